import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lifetime } from './lifetime.ts';

/*
 * Clients that send every change with an idempotency key, and repeat it until they get a response. Whatever happens to
 * the service meanwhile, each change must be made exactly once.
 */

interface Change {
  key: string;
  path: string;
  body: unknown;
  /** Assertions about the response. */
  response: RegExp;
}

const PAUSE_MS = 20;
const PATIENCE_MS = 60_000;
/** A change is not in progress, or another client's is; or a dependency is out of reach. */
const RETRIED = new Set([409, 503]);

export class KeyedClients {
  #base = '';
  #movedMs = 0;
  /** Number of changes of each pet including its creation, by its first name. */
  readonly pets = new Map<string, { id: string; changes: number }>();
  readonly users = new Set<string>();
  acknowledged = 0;
  sentAgain = 0;
  readonly #prefix: string;
  #isOver = false;
  #working: Promise<unknown> = Promise.resolve();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The base URL, another after each start. Undefined while no service runs: retries would slow down the start. */
  set base(base: string) {
    this.#base = base;
    this.#movedMs = Date.now();
  }

  /** Ends with the test, so that a failed test does not wait for the clients. */
  start(t: Lifetime, count: number): void {
    t.after(() => this.stop().catch(() => {}));
    this.#working = Promise.all(Array.from({ length: count }, (_, number) => this.#work(`${this.#prefix}-${number}`)));
  }

  /** Resolves when each pending request has its response. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  async #work(name: string): Promise<void> {
    for (let count = 0; !this.#isOver; count++) {
      const unique = `${name}-${count}`;
      if (count % 7 === 6) await this.#addUser(unique);
      else await this.#addPet(unique, count % 3);
    }
  }

  async #addPet(name: string, edits: number): Promise<void> {
    const text = await this.#change({
      key: name,
      path: 'pet',
      body: { name },
      response: new RegExp(`"name":"${name}"`),
    });
    const { id } = JSON.parse(text) as { id: number };
    assert.ok(!this.pets.has(name));
    this.pets.set(name, { id: String(id), changes: 1 + edits });
    for (let edit = 1; edit <= edits; edit++) {
      const body = new URLSearchParams({ name: `${name}, edit ${edit}` });
      const response = new RegExp(`"message":"${id}"`);
      await this.#change({ key: `${name}/edit/${edit}`, path: `pet/${id}`, body, response });
    }
  }

  async #addUser(username: string): Promise<void> {
    // Changes of accounts get long keys, which seal secrets.
    const key = `key-of-the-new-account-${username}`;
    await this.#change({ key, path: 'user', body: { username }, response: /"message":"\d+"/ });
    this.users.add(username);
  }

  async #change({ key, path, body, response }: Change): Promise<string> {
    const isForm = body instanceof URLSearchParams;
    const headers = { 'idempotency-key': `"${key}"`, ...(!isForm && { 'content-type': 'application/json' }) };
    const startedMs = Date.now();
    for (let tries = 0; ; tries++) {
      // A service that does not live long enough for a response owes none.
      assert.ok(Date.now() - Math.max(startedMs, this.#movedMs) < PATIENCE_MS, `${key}: no response`);
      if (this.#base === '') {
        await delay(PAUSE_MS);
        continue;
      }
      const got = await fetch(`${this.#base}/${path}`, {
        method: 'POST',
        headers,
        body: isForm ? body : JSON.stringify(body),
      })
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => undefined);
      if (got !== undefined && !RETRIED.has(got.status)) {
        assert.equal(got.status, 200, `${key}, try ${tries}: ${got.text}`);
        assert.match(got.text, response);
        this.acknowledged++;
        return got.text;
      }
      if (got?.status === 409) assert.match(got.text, /still in progress|took over/);
      this.sentAgain++;
      await delay(PAUSE_MS);
    }
  }
}
