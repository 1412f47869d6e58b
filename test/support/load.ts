import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { callAs, type HttpResponse, type Call } from './client.ts';
import { openConnection, type Connection } from './connection.ts';
import { Ledger } from './ledger.ts';
import type { Lifetime } from './lifetime.ts';
import { until } from './until.ts';

/* Clients that write while processes are stopped, killed and replaced, and checks of what they wrote. */

/** How long a client waits for a process that was killed, unless the connection breaks first. */
export const PATIENCE_MS = 3000;

export async function succeed(responding: Promise<HttpResponse>): Promise<HttpResponse> {
  const response = await responding;
  assert.equal(response.status, 200, response.text);
  return response;
}

export function idOf({ text }: HttpResponse): string {
  return /^\{"id":(\d+),/.exec(text)?.[1] ?? assert.fail(text);
}

export type Send = (method: string, path: string, json?: unknown) => Promise<HttpResponse>;

/** Each request uses a separate connection. */
export function sendAloneTo(base: string, headers: Readonly<Record<string, string>>): Send {
  return (method, path, json) =>
    callAs(base, method, path, { headers, ...(json !== undefined && { body: JSON.stringify(json) }) });
}

/** All requests use one connection, and another one after it broke. */
function sendOverOneTo(base: string): Send & { close: () => void } {
  let connection: Connection | undefined;
  const send: Send = async (method, path, json) => {
    connection ??= openConnection(base, { patienceMs: PATIENCE_MS });
    const response = await connection.call(method, path, json === undefined ? {} : { json }).catch(() => undefined);
    if (response !== undefined && response.status !== 503) return response;
    connection.close();
    connection = undefined;
    await delay(10);
    throw new NoResponse();
  };
  return Object.assign(send, { close: () => connection?.close() });
}

/** The connection broke, or the service is stopping. */
class NoResponse extends Error {}

/** Clients that change pets until the end, and record the responses. */
export class Load {
  readonly ledger = new Ledger();
  /** Changes without a response count only if each request has its own connection. */
  readonly failures: unknown[] = [];
  readonly #clients: readonly Promise<void>[];
  #isOver = false;

  /**
   * @param firstId of the pets of this load. A refused change leaves the pet as it was, so loads must not share pets.
   */
  constructor(t: Lifetime, sends: readonly Send[], firstId = 10 ** 9) {
    this.#clients = sends.map((send, client) => this.#work(send, firstId + client * 1_000_000));
    t.after(() => this.end());
  }

  /** Waits for this many more acknowledged changes. */
  async untilMore(count: number): Promise<void> {
    const goal = this.ledger.acknowledged + count;
    await until(`${count} more changes`, async () => this.ledger.acknowledged >= goal, 30_000);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  /** Creates, replaces, reads and deletes its own pets. After a failure, it goes on with another pet. */
  async #work(send: Send, firstId: number): Promise<void> {
    for (let id = firstId; !this.#isOver; id++) {
      try {
        for (const name of ['First', 'Second']) {
          const pet = { id, name, photoUrls: [], tags: [], status: 'sold' };
          const text = JSON.stringify(pet);
          await this.#change(`pet/${id}`, text, () => send(name === 'First' ? 'POST' : 'PUT', 'pet', pet));
          assert.equal((await send('GET', `pet/${id}`)).text, text);
        }
        if (id % 3 === 0) await this.#change(`pet/${id}`, null, () => send('DELETE', `pet/${id}`));
      } catch (error) {
        if (!(error instanceof NoResponse)) this.failures.push(error);
      }
    }
  }

  async #change(path: string, next: string | null, send: () => Promise<HttpResponse>): Promise<void> {
    await this.ledger.change(path, next, () => succeed(send()));
  }

  /** Compares every record with the responses, with each of these calls in turn. */
  async check(calls: readonly Call[]): Promise<void> {
    const keys = this.ledger.keys();
    assert.ok(keys.length > 0);
    await Promise.all(
      calls.map(async (call, part) => {
        for (let index = part; index < keys.length; index += calls.length) {
          const key = keys[index] ?? assert.fail();
          const { status, text } = await call('GET', key);
          this.ledger.check(key, status === 404 ? null : text);
        }
      }),
    );
  }
}

/** Each client has one connection to the service, whose processes may be stopped and killed. */
export function loadOver(t: Lifetime, base: string, clients: number): Load {
  const sends = Array.from({ length: clients }, () => sendOverOneTo(base));
  const load = new Load(t, sends);
  t.after(async () => sends.forEach(({ close }) => close()));
  return load;
}

export async function isReady(origin: string): Promise<boolean> {
  try {
    // A connection accepted by a worker in its last moment gets no response.
    const signal = AbortSignal.timeout(1000);
    return (await fetch(`${origin}/readyz`, { headers: { connection: 'close' }, signal })).status === 200;
  } catch {
    return false;
  }
}
