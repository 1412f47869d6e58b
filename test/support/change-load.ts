import assert from 'node:assert/strict';
import { callAs, clientOf, type Answer } from './client.ts';
import { Ledger } from './ledger.ts';
import type { Lifetime } from './service.ts';
import { until } from './workers.ts';

const PATIENCE_MS = 30_000;

export type Send = (method: string, path: string, json?: unknown) => Promise<Answer>;

/** Each request uses a separate connection. */
export function sendAloneTo(base: string, headers: Readonly<Record<string, string>>): Send {
  return (method, path, json) =>
    callAs(base, method, path, { headers, ...(json !== undefined && { body: JSON.stringify(json) }) });
}

/** Clients that change pets until the end, and record the answers. */
export class ChangeLoad {
  readonly ledger = new Ledger();
  readonly failures: unknown[] = [];
  readonly #clients: readonly Promise<void>[];
  #isOver = false;

  /** @param firstId of the pets of this load. A refused change leaves the pet as it was, so loads must not share pets. */
  constructor(t: Lifetime, sends: readonly Send[], firstId: number) {
    this.#clients = sends.map((send, client) => this.#work(send, firstId + client * 1_000_000));
    t.after(() => this.end());
  }

  async untilMore(count: number): Promise<void> {
    const goal = this.ledger.acknowledged + count;
    await until(`${count} more changes`, async () => this.ledger.acknowledged >= goal, PATIENCE_MS);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  /** Creates, replaces, reads and deletes its own pets. */
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

  async #change(path: string, next: string | null, send: () => Promise<Answer>): Promise<void> {
    await this.ledger.change(path, next, async () => {
      const answer = await send();
      assert.equal(answer.status, 200, answer.text);
    });
  }

  /** Compares every record with the answers, at each node in turn. */
  async check(origins: readonly string[]): Promise<void> {
    const calls = origins.map((origin) => clientOf(`${origin}/v2`));
    for (const [index, path] of this.ledger.keys().entries()) {
      const { status, text } = await (calls[index % calls.length] ?? assert.fail())('GET', path);
      this.ledger.check(path, status === 404 ? null : text);
    }
  }
}
