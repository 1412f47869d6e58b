import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { openConnection, type Connection } from '../support/connection.ts';
import type { HttpResponse } from '../support/client.ts';
import { Ledger } from '../support/ledger.ts';
import type { Lifetime } from '../support/lifetime.ts';

/** The outcome of one request. */
export interface LoadResponse {
  method: string;
  sentAtMs: number;
  tookMs: number;
  /** 0 if the connection broke or there was no response. */
  status: number;
  retryAfter: string | null;
}

export interface LoadOptions {
  /** Number of concurrent clients, spread over the services. */
  clients?: number;
  /** The first pet id: each load on a database needs its own range. */
  firstId?: number;
}

/** No response takes this long. */
const PATIENCE_MS = 30_000;
const PAUSE_AFTER_TROUBLE_MS = 20;

class NotDone extends Error {}

/** Clients that create, change, delete and read their own pets without a pause, and record the responses. */
export class MixedLoad {
  readonly responses: LoadResponse[] = [];
  readonly ledger = new Ledger();
  readonly #connections: readonly Connection[];
  readonly #clients: number;
  #nextId: number;
  #isOver = false;
  #working: Promise<unknown> = Promise.resolve();

  constructor(bases: readonly string[], { clients = 12, firstId = 1 }: LoadOptions = {}) {
    this.#clients = clients;
    this.#nextId = firstId;
    const connections = Math.ceil(clients / bases.length);
    this.#connections = bases.map((base) => openConnection(base, { connections, patienceMs: PATIENCE_MS }));
  }

  /** Ends with the test, so that a failed test does not wait for its clients. */
  start(t: Lifetime): void {
    t.after(() => this.stop().catch(() => {}));
    this.#working = Promise.all(Array.from({ length: this.#clients }, (_, number) => this.#work(number)));
  }

  /** Resolves when each pending request has its response. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
    for (const { close } of this.#connections) close();
  }

  since(timeMs: number): readonly LoadResponse[] {
    return this.responses.filter(({ sentAtMs }) => sentAtMs >= timeMs);
  }

  /** Checks that every pet is as acknowledged, or as a change without a response would have made it. */
  async check(base: string): Promise<void> {
    const connection = openConnection(base, { connections: 8 });
    const keys = this.ledger.keys().values();
    const checkSome = async () => {
      for (const key of keys) {
        const { status, text } = await connection.call('GET', key);
        assert.ok(status === 200 || status === 404, `${status} ${text}`);
        this.ledger.check(key, status === 404 ? null : text);
      }
    };
    await Promise.all(Array.from({ length: 8 }, checkSome));
    connection.close();
  }

  async #work(number: number): Promise<void> {
    const connection = this.#connections[number % this.#connections.length] ?? assert.fail();
    const own: string[] = [];
    for (let count = 0; !this.#isOver; count++) {
      try {
        await this.#doSomething(connection, own, count + number);
      } catch (error) {
        if (!(error instanceof NotDone)) throw error;
        await delay(PAUSE_AFTER_TROUBLE_MS);
      }
    }
  }

  async #doSomething(connection: Connection, own: string[], dice: number): Promise<void> {
    const key = own.at(-1);
    if (key === undefined || dice % 5 === 0) {
      const added = `pet/${this.#nextId}`;
      await this.#put(connection, 'POST', this.#nextId++, dice);
      own.push(added);
    } else if (dice % 5 === 1) {
      // The state after a change without a response is unknown, so the pet is left alone until the check.
      own.pop();
      await this.#put(connection, 'PUT', Number(key.slice('pet/'.length)), dice);
      own.push(key);
    } else if (dice % 25 === 2) {
      own.pop();
      await this.ledger.change(key, null, () => this.#send(connection, 'DELETE', key));
    } else {
      const { text } = await this.#send(connection, 'GET', key);
      assert.equal(text, this.ledger.certainOf(key), 'a client must read its own writes');
    }
  }

  async #put(connection: Connection, method: string, id: number, dice: number): Promise<void> {
    const status = ['available', 'pending', 'sold'][dice % 3];
    const pet = { id, name: `Pet ${id}/${dice}`, photoUrls: [], tags: [{ name: `t${dice % 7}` }], status };
    await this.ledger.change(`pet/${id}`, JSON.stringify(pet), () => this.#send(connection, method, 'pet', pet));
  }

  async #send({ call }: Connection, method: string, path: string, json?: unknown): Promise<HttpResponse> {
    const sentAtMs = Date.now();
    const response = await call(method, path, json === undefined ? {} : { json }).catch(() => undefined);
    const responses = { method, sentAtMs, tookMs: Date.now() - sentAtMs };
    this.responses.push({
      ...responses,
      status: response?.status ?? 0,
      retryAfter: response?.headers.get('retry-after') ?? null,
    });
    if (response?.status !== 200) throw new NotDone();
    return response;
  }
}

export function slowest(responses: readonly LoadResponse[]): number {
  return Math.max(0, ...responses.map(({ tookMs }) => tookMs));
}

/** Asserts successes, or 503 with Retry-After. */
export function assertOnlyUnavailable(responses: readonly LoadResponse[]): void {
  for (const { method, status, retryAfter, tookMs } of responses) {
    assert.ok(status === 200 || status === 503, `${method} got ${status} after ${tookMs} ms`);
    if (status === 503) assert.match(retryAfter ?? '', /^[1-9]\d*$/, 'expected a Retry-After header');
  }
}
