import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import type { DatabaseStores } from '../../src/domain/stores.ts';
import type { AuditFilter, AuditSubject, NewAuditEntry, Stamp } from '../../src/domain/audit.ts';
import type { AuditStore } from '../../src/domain/audit.ts';
import { applyEach, applyOne, STAMP } from '../support/changes.ts';
import type { OpenStores } from './store-suite.ts';

const MAY_BE_MANY = 1000;

/** An entry with defaults. */
function entry({ stamp, ...other }: Partial<Omit<NewAuditEntry, 'stamp'>> & { stamp?: Partial<Stamp> }): NewAuditEntry {
  const rest = { action: 'access', subject: null, outcome: 'done', details: null } as const;
  return { ...rest, ...other, stamp: { ...STAMP, ...stamp } };
}

const record = (newEntry: NewAuditEntry) => ({ kind: 'note', entry: newEntry }) as const;

const forget = (beforeMs: number, limit = MAY_BE_MANY) => ({ kind: 'forget', beforeMs, limit }) as const;

async function withEntries({ audit }: DatabaseStores, entries: readonly NewAuditEntry[]): Promise<void> {
  await applyEach(audit, entries.map(record));
}

const atTimes = (...times: number[]) => times.map((atMs) => entry({ stamp: { atMs } }));

async function timesOf(audit: AuditStore): Promise<readonly number[]> {
  const entries = await audit.list({}, { beforeId: undefined, limit: MAY_BE_MANY });
  return entries.map(({ stamp }) => stamp.atMs).toReversed();
}

const pet = (id: string): AuditSubject => ({ kind: 'pet', id, name: null });
const account = (id: string, name: string): AuditSubject => ({ kind: 'account', id, name });
const key = (id: string, name: string): AuditSubject => ({ kind: 'key', id, name });

const ADA = { actorId: 1n, actorName: 'Ada' };

/** The expectations below refer to each entry by its index in commit order. */
const TRAIL: readonly NewAuditEntry[] = [
  entry({ action: 'pet.added', subject: pet('5'), stamp: { atMs: 1000, ...ADA } }),
  entry({ action: 'pet.deleted', subject: pet('1'), stamp: { atMs: 2000, actorName: 'ADA' } }),
  entry({
    action: 'account.closed',
    subject: account('1', 'Ada'),
    stamp: { atMs: 3000, actorId: 9n, actorName: 'root' },
  }),
  entry({
    action: 'account.updated',
    subject: account('1', 'Lady'),
    stamp: { atMs: 4000, actorId: 1n, actorName: 'Lady' },
  }),
  entry({ action: 'session.begun', outcome: 'failed', stamp: { atMs: 5000, actorName: null } }),
  entry({
    action: 'session.begun',
    subject: account('5', 'bob'),
    stamp: { atMs: 6000, actorId: 5n, actorName: 'bob' },
  }),
  entry({ action: 'key.created', subject: key('xyz', 'Bob'), stamp: { atMs: 7000, actorId: 5n, actorName: 'Bob' } }),
  entry({ action: 'access', outcome: 'refused', stamp: { atMs: 8000, ...ADA } }),
  entry({ action: 'account.password-reset', subject: account('9', 'root'), stamp: { atMs: 9000, actorName: 'Zoë' } }),
];

const named = (name: string, accountId?: bigint) => ({ name, accountId });

const filters: { name: string; filter: AuditFilter; expected: readonly number[] }[] = [
  { name: 'nothing', filter: {}, expected: [8, 7, 6, 5, 4, 3, 2, 1, 0] },
  { name: 'a whole action', filter: { action: 'pet.deleted' }, expected: [1] },
  { name: 'an action without a dot', filter: { action: 'access' }, expected: [7] },
  { name: 'the part of an action before the dot', filter: { action: 'account' }, expected: [8, 3, 2] },
  { name: 'another part of an action before the dot', filter: { action: 'session' }, expected: [5, 4] },
  { name: 'half a word of an action', filter: { action: 'acc' }, expected: [] },
  { name: 'an action with half of its second part', filter: { action: 'account.password' }, expected: [] },
  { name: 'the part of an action after the dot', filter: { action: 'deleted' }, expected: [] },
  { name: 'an action with a SQL wildcard', filter: { action: 'account%' }, expected: [] },
  { name: 'an empty action', filter: { action: '' }, expected: [] },
  { name: 'the outcome done', filter: { outcome: 'done' }, expected: [8, 6, 5, 3, 2, 1, 0] },
  { name: 'the outcome failed', filter: { outcome: 'failed' }, expected: [4] },
  { name: 'the outcome refused', filter: { outcome: 'refused' }, expected: [7] },
  { name: 'an actor by a name in any case', filter: { actor: named('aDA') }, expected: [7, 1, 0] },
  { name: 'an actor by a name beyond ASCII', filter: { actor: named('Zoë') }, expected: [8] },
  {
    name: 'an actor by a name, and by the id under other names',
    filter: { actor: named('lady', 1n) },
    expected: [7, 3, 0],
  },
  { name: 'an actor by an id alone', filter: { actor: named('somebody', 5n) }, expected: [6, 5] },
  { name: 'an actor by half a name', filter: { actor: named('ad') }, expected: [] },
  { name: 'an actor without entries', filter: { actor: named('nobody') }, expected: [] },
  { name: 'the subject kind pet', filter: { subjectKind: 'pet' }, expected: [1, 0] },
  { name: 'the subject kind account', filter: { subjectKind: 'account' }, expected: [8, 5, 3, 2] },
  { name: 'the subject kind key', filter: { subjectKind: 'key' }, expected: [6] },
  { name: 'a subject by its id', filter: { subject: named('5') }, expected: [5, 0] },
  { name: 'a pet by its id', filter: { subject: named('5'), subjectKind: 'pet' }, expected: [0] },
  { name: 'a subject by a name in any case', filter: { subject: named('BOB') }, expected: [6, 5] },
  { name: 'a key by its id', filter: { subject: named('xyz') }, expected: [6] },
  {
    name: 'an account by a name, and by the id under other names',
    filter: { subject: named('Lady', 1n) },
    expected: [3, 2],
  },
  {
    name: 'an account by an id that a pet has as well',
    filter: { subject: named('-', 1n) },
    expected: [3, 2],
  },
  { name: 'a subject without entries', filter: { subject: named('nobody') }, expected: [] },
  { name: 'a start time', filter: { sinceMs: 7000 }, expected: [8, 7, 6] },
  { name: 'an end time', filter: { untilMs: 3000 }, expected: [1, 0] },
  { name: 'a start and an end time', filter: { sinceMs: 2000, untilMs: 4000 }, expected: [2, 1] },
  { name: 'a time range without entries', filter: { sinceMs: 2001, untilMs: 3000 }, expected: [] },
  {
    name: 'all filters together',
    filter: {
      action: 'account',
      outcome: 'done',
      actor: named('root', 9n),
      subjectKind: 'account',
      subject: named('ada', 1n),
      sinceMs: 3000,
      untilMs: 3001,
    },
    expected: [2],
  },
  { name: 'filters that match different entries', filter: { action: 'pet', outcome: 'failed' }, expected: [] },
];

export function describeAuditStore(openStores: OpenStores): void {
  describeLists(openStores);
  describeDeletion(openStores);
}

function describeLists(openStores: OpenStores): void {
  void describe('audit log', () => {
    void it('returns entries unchanged, with any content', async (t) => {
      const { audit } = await openStores(t);
      const full = entry({
        action: 'key.created',
        subject: key('x/y', `CI "ü" ' 🐈`),
        outcome: 'refused',
        details: { account: '%_\\', scopes: 'read:pets write:pets', none: '' },
        stamp: {
          atMs: 1_795_189_369_123,
          via: 'reset-link',
          actorId: 9_223_372_036_854_775_807n,
          actorName: 'Zoë "x"',
          credentialId: 'abc',
          address: '2001:db8::1',
        },
      });
      const bare = entry({ stamp: { via: 'anonymous', actorName: null } });
      assert.deepEqual(await applyEach(audit, [record(full), record(bare)]), [0, 0]);
      const entries = await audit.list({}, { beforeId: undefined, limit: MAY_BE_MANY });
      assert.deepEqual(
        entries.map(({ id, ...rest }) => (assert.equal(typeof id, 'bigint'), rest)),
        [bare, full],
      );
    });

    void it('is sorted newest first, by ids in commit order, whatever the clocks say', async (t) => {
      const stores = await openStores(t);
      await withEntries(stores, atTimes(3000, 1000));
      await withEntries(stores, atTimes(2000));
      const entries = await stores.audit.list({}, { beforeId: undefined, limit: MAY_BE_MANY });
      assert.deepEqual(
        entries.map(({ stamp }) => stamp.atMs),
        [2000, 1000, 3000],
      );
      const ids = entries.map(({ id }) => id);
      assert.deepEqual(
        ids,
        [...new Set(ids)].toSorted((a, b) => (a > b ? -1 : 1)),
      );
    });

    void it('filters by all given criteria', async (t) => {
      const stores = await openStores(t);
      await withEntries(stores, TRAIL);
      for (const { name, filter, expected } of filters) {
        const entries = await stores.audit.list(filter, { beforeId: undefined, limit: MAY_BE_MANY });
        const places = entries.map(({ stamp }) => stamp.atMs / 1000 - 1);
        assert.deepEqual(places, expected, `by ${name}`);
      }
    });

    void it('pages add up to the whole list, filtered or not', async (t) => {
      const stores = await openStores(t);
      await withEntries(stores, TRAIL);
      for (const filter of [{}, { outcome: 'done' }, { action: 'account' }] as const) {
        const whole = await stores.audit.list(filter, { beforeId: undefined, limit: MAY_BE_MANY });
        for (const limit of [1, 2, whole.length]) {
          const collected = [];
          let part = await stores.audit.list(filter, { beforeId: undefined, limit });
          while (part.length > 0) {
            assert.ok(part.length <= limit);
            collected.push(...part);
            part = await stores.audit.list(filter, { beforeId: part.at(-1)?.id, limit });
          }
          assert.deepEqual(collected, whole);
        }
      }
    });

    void it('pages do not shift when entries are added', async (t) => {
      const stores = await openStores(t);
      await withEntries(stores, atTimes(1000, 2000, 3000));
      const [newest] = await stores.audit.list({}, { beforeId: undefined, limit: 1 });
      await withEntries(stores, atTimes(4000));
      const rest = await stores.audit.list({}, { beforeId: newest?.id, limit: MAY_BE_MANY });
      assert.deepEqual(
        rest.map(({ stamp }) => stamp.atMs),
        [2000, 1000],
      );
    });

    void it('is empty at first', async (t) => {
      const { audit } = await openStores(t);
      assert.deepEqual(await audit.list({}, { beforeId: undefined, limit: MAY_BE_MANY }), []);
      assert.deepEqual(await audit.list({}, { beforeId: 1n, limit: MAY_BE_MANY }), []);
    });
  });
}

function describeDeletion(openStores: OpenStores): void {
  void describe('deletion of old audit entries', () => {
    void it('deletes the entries older than the time, and returns their number', async (t) => {
      const stores = await openStores(t);
      await withEntries(stores, atTimes(1000, 2000, 2999, 3000, 4000));
      assert.equal(await applyOne(stores.audit, forget(3000)), 3);
      assert.deepEqual(await timesOf(stores.audit), [3000, 4000]);
      assert.equal(await applyOne(stores.audit, forget(3000)), 0);
    });

    void it('deletes the given number at a time, oldest first', async (t) => {
      const stores = await openStores(t);
      await withEntries(stores, atTimes(1000, 2000, 3000, 4000, 5000, 6000));
      assert.equal(await applyOne(stores.audit, forget(6000, 2)), 2);
      assert.deepEqual(await timesOf(stores.audit), [3000, 4000, 5000, 6000]);
      assert.deepEqual(await applyEach(stores.audit, [forget(6000, 2), forget(6000, 2), forget(6000, 2)]), [2, 1, 0]);
      assert.deepEqual(await timesOf(stores.audit), [6000]);
    });

    void it('never deletes younger entries, even after a clock error', async (t) => {
      const stores = await openStores(t);
      await withEntries(stores, atTimes(1000, 9000, 2000, 3000));
      for (let round = 0; round < 3; round++) await applyOne(stores.audit, forget(3000, 2));
      const left = await timesOf(stores.audit);
      assert.deepEqual(
        left.filter((atMs) => atMs >= 3000),
        [9000, 3000],
      );
      assert.ok(!left.includes(1000));
    });

    void it('of everything leaves an empty log', async (t) => {
      const stores = await openStores(t);
      await withEntries(stores, atTimes(1000, 2000));
      assert.equal(await applyOne(stores.audit, forget(9000)), 2);
      assert.deepEqual(await timesOf(stores.audit), []);
      assert.equal(await applyOne(stores.audit, forget(9000)), 0);
    });

    void it('never reuses the id of a deleted entry', async (t) => {
      const stores = await openStores(t);
      await withEntries(stores, atTimes(1000, 2000));
      const [last] = await stores.audit.list({}, { beforeId: undefined, limit: 1 });
      await applyOne(stores.audit, forget(9000));
      await withEntries(stores, atTimes(3000));
      const [next] = await stores.audit.list({}, { beforeId: undefined, limit: 1 });
      assert.ok(last !== undefined && next !== undefined, inspect({ last, next }));
      assert.ok(next.id > last.id, `${next.id} came after ${last.id}`);
    });
  });
}
