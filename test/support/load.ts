import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './client.ts';
import { openConnection, type Connection } from './connection.ts';
import { Ledger } from './ledger.ts';
import type { Lifetime } from './service.ts';
import { until } from './workers.ts';

/* Clients that write while processes are stopped, killed and replaced, and checks of what they wrote. */

/** How long a client waits for a process that was killed, unless the connection breaks first. */
export const PATIENCE_MS = 3000;

export async function succeed(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering;
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

export function idOf({ text }: Answer): string {
  return /^\{"id":(\d+),/.exec(text)?.[1] ?? assert.fail(text);
}

/** Clients that create, replace and delete pets of their own as fast as they can. */
export class Load {
  readonly ledger = new Ledger();
  readonly #base: string;
  readonly #clients: readonly Promise<void>[];
  #isOver = false;

  constructor(t: Lifetime, base: string, clients: number) {
    this.#base = base;
    this.#clients = Array.from({ length: clients }, (_, number) => this.#work(number + 1));
    t.after(() => this.end());
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  /** Waits for this many more acknowledged changes. */
  async untilMore(count: number): Promise<void> {
    const goal = this.ledger.acknowledged + count;
    await until(`${count} more changes`, async () => this.ledger.acknowledged >= goal);
  }

  /** Checks all records in the ledger, over each of these connections in turn. */
  async check(connections: readonly Connection[]): Promise<void> {
    const keys = this.ledger.keys();
    assert.ok(keys.length > 0);
    await Promise.all(
      connections.map(async ({ call }, part) => {
        for (let index = part; index < keys.length; index += connections.length) {
          const key = keys[index] ?? assert.fail();
          const { status, text } = await call('GET', key);
          this.ledger.check(key, status === 404 ? null : text);
        }
      }),
    );
  }

  async #work(client: number): Promise<void> {
    let connection = openConnection(this.#base, { patienceMs: PATIENCE_MS });
    for (let count = 0; !this.#isOver; count++) {
      const isAnswered = await this.#changeOne(connection, client * 10 ** 9 + count);
      if (isAnswered) continue;
      // The outcome is unknown. Go on with another pet.
      connection.close();
      connection = openConnection(this.#base, { patienceMs: PATIENCE_MS });
      await delay(10);
    }
    connection.close();
  }

  async #changeOne({ call }: Connection, id: number): Promise<boolean> {
    const key = `pet/${id}`;
    const textOf = (name: string) => JSON.stringify({ id, name, photoUrls: [], tags: [], status: 'available' });
    const send = async (method: string, text?: string) => {
      const path = method === 'DELETE' ? key : 'pet';
      let answer: Answer;
      try {
        answer = await call(method, path, text === undefined ? {} : { json: JSON.parse(text) as unknown });
      } catch {
        throw new Unanswered();
      }
      if (answer.status === 503) throw new Unanswered();
      assert.equal(answer.status, 200, answer.text);
    };
    try {
      await this.ledger.change(key, textOf('New'), () => send('POST', textOf('New')));
      await this.ledger.change(key, textOf('Changed'), () => send('PUT', textOf('Changed')));
      if (id % 3 === 0) await this.ledger.change(key, null, () => send('DELETE'));
      return true;
    } catch (error) {
      if (error instanceof Unanswered) return false;
      throw error;
    }
  }
}

/** The connection broke, or the service is stopping. */
class Unanswered extends Error {}

export async function isReady(origin: string): Promise<boolean> {
  try {
    // A connection accepted by a worker in its last moment gets no answer.
    const signal = AbortSignal.timeout(1000);
    return (await fetch(`${origin}/readyz`, { headers: { connection: 'close' }, signal })).status === 200;
  } catch {
    return false;
  }
}
