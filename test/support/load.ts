import assert from 'node:assert/strict';
import { callAs, type HttpResponse, type Call } from './client.ts';
import { Ledger } from './ledger.ts';
import type { Lifetime } from './lifetime.ts';
import { until } from './until.ts';

/* Clients that write while processes are stopped, killed and replaced, and checks of what they wrote. */

async function succeed(responding: Promise<HttpResponse>): Promise<HttpResponse> {
  const response = await responding;
  assert.equal(response.status, 200, response.text);
  return response;
}

export type Send = (method: string, path: string, json?: unknown) => Promise<HttpResponse>;

/** Each request uses a separate connection. */
export function sendAloneTo(base: string, headers: Readonly<Record<string, string>>): Send {
  return (method, path, json) =>
    callAs(base, method, path, { headers, ...(json !== undefined && { body: JSON.stringify(json) }) });
}

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
        this.failures.push(error);
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
