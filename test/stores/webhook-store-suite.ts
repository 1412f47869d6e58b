import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { DeliveryReport, WebhookChange } from '../../src/features/webhooks/domain/ports.ts';
import { WEBHOOK_LIMITS, type FailedDelivery, type Webhook } from '../../src/features/webhooks/domain/webhook.ts';
import { STAMP, applyAll, applyEach, applyFailing, applyOne, codesOf, putPet } from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const LEASE_MS = 1000;

function create(id: string, createdAtMs = 1000): Extract<WebhookChange, { kind: 'create' }> {
  const webhook = {
    id,
    url: `https://example.org/${id}`,
    patterns: ['pet.*', 'account.closed'],
    secret: 'whsec_AAAA',
    origin: 'http://pets.example.org',
    createdAtMs,
  };
  return { kind: 'create', webhook, most: WEBHOOK_LIMITS.webhooks, stamp: STAMP };
}

function lease(id: string, node: string, nowMs: number): WebhookChange {
  return { kind: 'lease', id, node, nowMs, leaseMs: LEASE_MS };
}

function report(id: string, node: string, other: Partial<DeliveryReport> = {}): WebhookChange {
  return { kind: 'report', id, node, report: { lastVersion: 0n, delivered: [], failed: [], isGone: false, ...other } };
}

function failure(version: bigint, other: Partial<FailedDelivery> = {}): FailedDelivery {
  return {
    version,
    attempts: 1,
    nextAtMs: 5000,
    isDead: false,
    lastStatus: 500,
    lastError: undefined,
    lastAtMs: 4000,
    ...other,
  };
}

async function find({ webhooks }: DatabaseStores, id: string): Promise<Webhook | undefined> {
  return (await webhooks.list()).find((webhook) => webhook.id === id);
}

function rotate(secret: string, nowMs = 1000): Extract<WebhookChange, { kind: 'rotate-secret' }> {
  return { kind: 'rotate-secret', id: 'w1', secret, nowMs, untilMs: nowMs + 1000, stamp: STAMP };
}

function retry(version?: bigint): WebhookChange {
  return { kind: 'retry', id: 'w1', version, nowMs: 7000, stamp: STAMP };
}

/** A webhook claimed by a node. */
async function addLeased({ webhooks }: DatabaseStores): Promise<void> {
  await applyEach(webhooks, [create('w1'), lease('w1', 'a', 10_000)]);
}

export function describeWebhookStore(openStores: OpenStores): void {
  const test = testsOn(openStores);
  const testPrepared = testsOn(openStores, addLeased);
  void describe('webhooks', () => {
    test('start after the newest change, and are listed by creation', async (stores) => {
      const { pets, webhooks } = stores;
      await applyOne(pets, putPet());
      await applyOne(webhooks, create('w2', 1000));
      await applyOne(pets, putPet());
      await applyOne(webhooks, create('w1', 2000));
      const [first, second] = await webhooks.list();
      const { webhook } = create('w2');
      const fresh = { state: 'active', waiting: 0, nextDueMs: undefined, previousSecret: undefined } as const;
      assert.deepEqual(first, { ...webhook, ...fresh, lastVersion: 1n });
      assert.deepEqual([second?.id, second?.lastVersion], ['w1', 2n]);
    });

    test('are changed in the given fields, and deleted', async (stores) => {
      const { webhooks } = stores;
      await applyOne(webhooks, create('w1'));
      const before = await find(stores, 'w1');
      await applyOne(webhooks, { kind: 'update', id: 'w1', state: 'paused', stamp: STAMP });
      assert.deepEqual(await find(stores, 'w1'), { ...before, state: 'paused' });
      const edit = { url: 'https://example.org/new', patterns: ['*'], secret: 'whsec_BBBB', state: 'active' } as const;
      await applyOne(webhooks, { kind: 'update', id: 'w1', ...edit, stamp: STAMP });
      assert.deepEqual(await find(stores, 'w1'), { ...before, ...edit });
      await applyOne(webhooks, { kind: 'delete', id: 'w1', stamp: STAMP });
      assert.deepEqual(await webhooks.list(), []);
      for (const id of ['w1', '\0'])
        for (const change of [
          { kind: 'update', id, stamp: STAMP },
          { ...rotate('whsec_B'), id },
          { kind: 'end-rotation', id, stamp: STAMP },
          { kind: 'delete', id, stamp: STAMP },
          { kind: 'retry', id, version: undefined, nowMs: 1, stamp: STAMP },
        ] as const)
          await applyFailing(webhooks, change, 'not-found');
    });

    testPrepared('rotate their secret: one of two rotations at the same time, until it ends', async (stores) => {
      const { webhooks } = stores;
      const outcomes = await applyAll(webhooks, [rotate('whsec_B'), rotate('whsec_C')]);
      assert.deepEqual(codesOf(outcomes), ['ok', 'conflict']);
      const rotated = await find(stores, 'w1');
      assert.deepEqual(
        [rotated?.secret, rotated?.previousSecret],
        ['whsec_B', { secret: 'whsec_AAAA', untilMs: 2000 }],
      );
      await applyFailing(webhooks, rotate('whsec_C', 1999), 'conflict');
      assert.equal(await applyOne(webhooks, { kind: 'end-rotation', id: 'w1', stamp: STAMP }), 1);
      assert.equal(await applyOne(webhooks, { kind: 'end-rotation', id: 'w1', stamp: STAMP }), 0);
      assert.deepEqual(await find(stores, 'w1'), { ...rotated, previousSecret: undefined });
    });

    testPrepared('forget the previous secret after its time, or when another one is set', async (stores) => {
      const { webhooks } = stores;
      const previous = async () => (await find(stores, 'w1'))?.previousSecret;
      await applyOne(webhooks, rotate('whsec_B'));
      await applyOne(webhooks, { kind: 'update', id: 'w1', state: 'paused', stamp: STAMP });
      assert.equal((await previous())?.secret, 'whsec_AAAA', 'another change keeps it');
      assert.equal(await applyOne(webhooks, { kind: 'forget-secrets', nowMs: 1999 }), 0);
      assert.equal(await applyOne(webhooks, { kind: 'forget-secrets', nowMs: 2000 }), 1);
      assert.equal(await previous(), undefined);
      await applyOne(webhooks, rotate('whsec_C'));
      assert.equal(await applyOne(webhooks, rotate('whsec_D', 2000)), 1, 'the rotation before has ended by itself');
      assert.deepEqual(await previous(), { secret: 'whsec_C', untilMs: 3000 });
      await applyOne(webhooks, { kind: 'update', id: 'w1', secret: 'whsec_E', stamp: STAMP });
      assert.equal(await previous(), undefined);
    });

    test('are limited in number', async ({ webhooks }) => {
      const outcomes = await applyAll(
        webhooks,
        Array.from({ length: WEBHOOK_LIMITS.webhooks + 1 }, (_, index) => create(`w${index}`)),
      );
      assert.deepEqual(codesOf(outcomes.slice(-2)), ['ok', 'conflict']);
    });

    testPrepared('are claimed by one node at a time, until its lease expires', async ({ webhooks }) => {
      const taken = (node: string, nowMs: number) => applyOne(webhooks, lease('w1', node, nowMs));
      assert.equal(await taken('b', 10_500), 0);
      assert.equal(await taken('a', 10_900), 1, 'the owner renews its lease');
      assert.equal(await taken('b', 11_500), 0);
      assert.equal(await taken('b', 11_900), 1, 'the lease has expired');
      assert.equal(await taken('a', 12_000), 0);
      assert.equal(await applyOne(webhooks, { kind: 'release', node: 'b' }), 1);
      assert.equal(await taken('a', 12_000), 1);
      assert.equal(await taken('b', 5000), 1, 'a lease too far in the future comes from a wrong clock');
      await applyOne(webhooks, { kind: 'update', id: 'w1', state: 'paused', stamp: STAMP });
      assert.equal(await taken('b', 5000), 0, 'a paused webhook is not claimed');
    });

    testPrepared('accept progress only from the owner of the lease, and never go back', async (stores) => {
      const { webhooks } = stores;
      assert.equal(await applyOne(webhooks, report('w1', 'b', { lastVersion: 9n, failed: [failure(9n)] })), 0);
      assert.equal((await find(stores, 'w1'))?.lastVersion, 0n);
      assert.equal(await applyOne(webhooks, report('w1', 'a', { lastVersion: 7n })), 1);
      await applyOne(webhooks, report('w1', 'a', { lastVersion: 3n }));
      assert.equal((await find(stores, 'w1'))?.lastVersion, 7n);
      await applyOne(webhooks, report('w1', 'a', { isGone: true }));
      assert.equal((await find(stores, 'w1'))?.state, 'gone');
    });

    testPrepared('remember failures until they are delivered or dead', async (stores) => {
      const { webhooks } = stores;
      const later = failure(4n, { nextAtMs: 6000, lastStatus: undefined, lastError: 'not reached (ECONNREFUSED)' });
      await applyOne(webhooks, report('w1', 'a', { lastVersion: 4n, failed: [failure(3n), later] }));
      const { waiting, nextDueMs } = (await find(stores, 'w1')) ?? assert.fail();
      assert.deepEqual([waiting, nextDueMs], [2, 5000]);
      assert.deepEqual(await webhooks.listDue('w1', 4999, 10), []);
      assert.deepEqual(await webhooks.listDue('w1', 5000, 10), [failure(3n)]);
      assert.deepEqual(await webhooks.listDue('w1', 9000, 10), [failure(3n), later]);
      const dead = failure(4n, { isDead: true, attempts: 2 });
      await applyOne(webhooks, report('w1', 'a', { delivered: [3n], failed: [dead] }));
      assert.deepEqual(await webhooks.listDue('w1', 9000, 10), []);
      assert.deepEqual(await webhooks.listDeadLetters('w1', 0n, 10), [dead]);
      assert.deepEqual(await webhooks.listDeadLetters('w1', 4n, 10), []);
      assert.equal((await find(stores, 'w1'))?.waiting, 0);
    });

    testPrepared('retry dead letters, one or all, as new', async ({ webhooks }) => {
      const failed = [1n, 2n, 3n].map((version) => failure(version, { isDead: true, attempts: 9 }));
      await applyOne(webhooks, report('w1', 'a', { failed }));
      assert.equal(await applyOne(webhooks, retry(2n)), 1);
      assert.deepEqual(await webhooks.listDue('w1', 7000, 10), [failure(2n, { attempts: 0, nextAtMs: 7000 })]);
      await applyFailing(webhooks, retry(2n), 'not-found');
      assert.equal(await applyOne(webhooks, retry()), 2);
      assert.deepEqual(await webhooks.listDeadLetters('w1', 0n, 10), []);
      assert.equal(await applyOne(webhooks, retry()), 0);
    });

    testPrepared(
      'write an audit entry for each administrative action, without URL and secret',
      async ({ webhooks, audit }) => {
        await applyOne(webhooks, { kind: 'update', id: 'w1', state: 'paused', stamp: STAMP });
        await applyOne(webhooks, report('w1', 'a', { failed: [failure(1n, { isDead: true })] }));
        await applyOne(webhooks, { kind: 'retry', id: 'w1', version: undefined, nowMs: 1, stamp: STAMP });
        await applyOne(webhooks, rotate('whsec_B'));
        await applyOne(webhooks, { kind: 'end-rotation', id: 'w1', stamp: STAMP });
        await applyOne(webhooks, { kind: 'end-rotation', id: 'w1', stamp: STAMP });
        await applyOne(webhooks, { kind: 'delete', id: 'w1', stamp: STAMP });
        const entries = await audit.list({ subjectKind: 'webhook' }, { beforeId: undefined, limit: 10 });
        assert.deepEqual(
          entries.map(({ action, subject, details }) => [action, subject, details]).toReversed(),
          ['created', 'updated', 'dead-letters-retried', 'secret-rotated', 'rotation-ended', 'deleted'].map((verb) => [
            `webhook.${verb}`,
            { kind: 'webhook', id: 'w1', name: null },
            null,
          ]),
        );
      },
    );
  });
}
