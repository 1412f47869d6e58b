import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { startService, type Service } from '../../src/server/service.ts';
import { callAs, clientOf, type Answer } from '../support/client.ts';
import { openConnection } from '../support/connection.ts';
import { openFront } from '../support/front.ts';
import { Ledger } from '../support/ledger.ts';
import { dropDatabaseOf } from '../support/nodes.ts';
import { bearer, createKey, logIn, newSecuredFolder } from '../support/secured.ts';
import { testConfigOn, type Lifetime } from '../support/service.ts';
import { until } from '../support/workers.ts';

/*
 * Every node is restarted in turn under load. The load balancer sends nothing more to a node that is about to stop, and
 * the node finishes what it has begun.
 */

/** Changes between restarts. */
const CHANGES_BETWEEN = 40;

const PATIENCE_MS = 30_000;
const ON_ITS_WAY_MS = 100;

const silent = pino({ level: 'silent' });
const dataDir = await newSecuredFolder({ onPostgres: true });
const config = await testConfigOn(dataDir, ['--empty', '--access', 'secured', '--stop-timeout-seconds', '5']);
const nodes = await Promise.all([0, 1, 2].map(() => startService(config, silent)));
const front = await openFront(nodes.map(({ origin }) => origin));
after(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await front.close();
  await dropDatabaseOf(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});
const base = `${front.origin}/v2`;
const call = clientOf(base);
const { key } = await createKey(call, await logIn(call, 'edna'), ['write:pets']);
const headers = { ...bearer(key), 'content-type': 'application/json' };

async function restart(index: number): Promise<void> {
  const old = nodes[index] ?? assert.fail();
  front.nodes.splice(front.nodes.indexOf(old.origin), 1);
  // Wait for requests on their way: when a listening socket closes, the system refuses connections that it has not
  // accepted.
  await delay(ON_ITS_WAY_MS);
  await old.stop();
  const renewed: Service = await startService(config, silent);
  nodes[index] = renewed;
  front.nodes.push(renewed.origin);
}

type Send = (method: string, path: string, json?: unknown) => Promise<Answer>;

/** Each request uses a separate connection. */
const sendAlone: Send = (method, path, json) =>
  callAs(base, method, path, { headers, ...(json !== undefined && { body: JSON.stringify(json) }) });

class Load {
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
  async check(): Promise<void> {
    const calls = nodes.map(({ origin }) => clientOf(`${origin}/v2`));
    for (const [index, path] of this.ledger.keys().entries()) {
      const { status, text } = await (calls[index % calls.length] ?? assert.fail())('GET', path);
      this.ledger.check(path, status === 404 ? null : text);
    }
  }
}

async function restartAll(load: Load): Promise<void> {
  for (const index of nodes.keys()) {
    await load.untilMore(CHANGES_BETWEEN);
    await restart(index);
  }
  await load.untilMore(CHANGES_BETWEEN);
  await load.end();
}

void test('rolling restart: no request fails', async (t) => {
  const load = new Load(t, [sendAlone, sendAlone, sendAlone, sendAlone], 1_000_000);
  await restartAll(load);
  assert.deepEqual(load.failures, []);
  await load.check();
});

void test('rolling restart with persistent connections: only requests on closed connections fail', async (t) => {
  const connections = [0, 1, 2, 3].map(() => openConnection(base));
  t.after(async () => connections.forEach(({ close }) => close()));
  const load = new Load(
    t,
    connections.map((connection) => (method, path, json) => connection.call(method, path, { headers, json })),
    10_000_000,
  );
  await restartAll(load);
  for (const failure of load.failures) {
    assert.ok(failure instanceof Error && 'code' in failure);
    assert.equal(failure.code, 'ECONNRESET', failure.message);
  }
  assert.ok(load.failures.length <= 2 * nodes.length, `${load.failures.length} requests failed`);
  await load.check();
});
