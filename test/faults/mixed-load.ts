import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { openConnection, type Connection } from '../support/connection.ts';
import type { Answer } from '../support/client.ts';
import { Ledger } from '../support/ledger.ts';
import type { Lifetime } from '../support/service.ts';

/** What became of one request. */
export interface Told {
  method: string;
  sentAtMs: number;
  tookMs: number;
  /** 0 where the connection broke, or nobody answered at all. */
  status: number;
  retryAfter: string | null;
}

export interface LoadOptions {
  /** How many clients do something at a time; they are spread over the services. */
  clients?: number;
  /** Ids of pets begin here: each load on one database has its own. */
  firstId?: number;
}

/** Whoever waits longer for an answer waits for ever. */
const PATIENCE_MS = 30_000;
const PAUSE_AFTER_TROUBLE_MS = 20;

class NotDone extends Error {}

/** Clients that add, change, remove and read pets of their own, as fast as they are answered, and note what they were told. */
export class MixedLoad {
  readonly told: Told[] = [];
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

  /** At the latest it ends with the test: one that fails is not to wait for its clients. */
  start(t: Lifetime): void {
    t.after(() => this.stop().catch(() => {}));
    this.#working = Promise.all(Array.from({ length: this.#clients }, (_, number) => this.#work(number)));
  }

  /** Answers when each request under way has had its answer. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
    for (const { close } of this.#connections) close();
  }

  since(timeMs: number): readonly Told[] {
    return this.told.filter(({ sentAtMs }) => sentAtMs >= timeMs);
  }

  /** Every pet is as it was acknowledged, or as an unanswered change would have made it. */
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
      // After a change that was not answered nobody knows what it is: it is left as it is, until it is checked.
      own.pop();
      await this.#put(connection, 'PUT', Number(key.slice('pet/'.length)), dice);
      own.push(key);
    } else if (dice % 25 === 2) {
      own.pop();
      await this.ledger.change(key, null, () => this.#send(connection, 'DELETE', key));
    } else {
      const { text } = await this.#send(connection, 'GET', key);
      assert.equal(text, this.ledger.certainOf(key), 'one reads what one has written');
    }
  }

  async #put(connection: Connection, method: string, id: number, dice: number): Promise<void> {
    const status = ['available', 'pending', 'sold'][dice % 3];
    const pet = { id, name: `Pet ${id}/${dice}`, photoUrls: [], tags: [{ name: `t${dice % 7}` }], status };
    await this.ledger.change(`pet/${id}`, JSON.stringify(pet), () => this.#send(connection, method, 'pet', pet));
  }

  async #send({ call }: Connection, method: string, path: string, json?: unknown): Promise<Answer> {
    const sentAtMs = Date.now();
    const answer = await call(method, path, json === undefined ? {} : { json }).catch(() => undefined);
    const told = { method, sentAtMs, tookMs: Date.now() - sentAtMs };
    this.told.push({
      ...told,
      status: answer?.status ?? 0,
      retryAfter: answer?.headers.get('retry-after') ?? null,
    });
    if (answer?.status !== 200) throw new NotDone();
    return answer;
  }
}

export function slowest(told: readonly Told[]): number {
  return Math.max(0, ...told.map(({ tookMs }) => tookMs));
}

/** Nothing but successes, and refusals that say when to come again. */
export function assertOnlyUnavailable(told: readonly Told[]): void {
  for (const { method, status, retryAfter, tookMs } of told) {
    assert.ok(status === 200 || status === 503, `${method} got ${status} after ${tookMs} ms`);
    if (status === 503) assert.match(retryAfter ?? '', /^[1-9]\d*$/, 'it is said when to come again');
  }
}
