import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { AuditFilter, AuditSubject, NewAuditEntry, Stamp } from '../../src/domain/audit.ts';
import type { AuditStore } from '../../src/domain/audit.ts';
import { applyEach, applyOne, STAMP } from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

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

const filters: [name: string, filter: AuditFilter, expected: number[]][] = [
  ['nothing', {}, [8, 7, 6, 5, 4, 3, 2, 1, 0]],
  ['a whole action', { action: 'pet.deleted' }, [1]],
  ['an action without a dot', { action: 'access' }, [7]],
  ['the part of an action before the dot', { action: 'account' }, [8, 3, 2]],
  ['another part of an action before the dot', { action: 'session' }, [5, 4]],
  ['half a word of an action', { action: 'acc' }, []],
  ['an action with half of its second part', { action: 'account.password' }, []],
  ['the part of an action after the dot', { action: 'deleted' }, []],
  ['an action with a SQL wildcard', { action: 'account%' }, []],
  ['an empty action', { action: '' }, []],
  ['the outcome done', { outcome: 'done' }, [8, 6, 5, 3, 2, 1, 0]],
  ['the outcome failed', { outcome: 'failed' }, [4]],
  ['the outcome refused', { outcome: 'refused' }, [7]],
  ['an actor by a name in any case', { actor: named('aDA') }, [7, 1, 0]],
  ['an actor by a name beyond ASCII', { actor: named('Zoë') }, [8]],
  ['an actor by a name, and by the id under other names', { actor: named('lady', 1n) }, [7, 3, 0]],
  ['an actor by an id alone', { actor: named('somebody', 5n) }, [6, 5]],
  ['an actor by half a name', { actor: named('ad') }, []],
  ['an actor without entries', { actor: named('nobody') }, []],
  ['the subject kind pet', { subjectKind: 'pet' }, [1, 0]],
  ['the subject kind account', { subjectKind: 'account' }, [8, 5, 3, 2]],
  ['the subject kind key', { subjectKind: 'key' }, [6]],
  ['a subject by its id', { subject: named('5') }, [5, 0]],
  ['a pet by its id', { subject: named('5'), subjectKind: 'pet' }, [0]],
  ['a subject by a name in any case', { subject: named('BOB') }, [6, 5]],
  ['a key by its id', { subject: named('xyz') }, [6]],
  ['an account by a name, and by the id under other names', { subject: named('Lady', 1n) }, [3, 2]],
  ['an account by an id that a pet has as well', { subject: named('-', 1n) }, [3, 2]],
  ['a subject without entries', { subject: named('nobody') }, []],
  ['a start time', { sinceMs: 7000 }, [8, 7, 6]],
  ['an end time', { untilMs: 3000 }, [1, 0]],
  ['a start and an end time', { sinceMs: 2000, untilMs: 4000 }, [2, 1]],
  ['a time range without entries', { sinceMs: 2001, untilMs: 3000 }, []],
  [
    'all filters together',
    {
      action: 'account',
      outcome: 'done',
      actor: named('root', 9n),
      subjectKind: 'account',
      subject: named('ada', 1n),
      sinceMs: 3000,
      untilMs: 3001,
    },
    [2],
  ],
  ['filters that match different entries', { action: 'pet', outcome: 'failed' }, []],
];

export function describeAuditStore(openStores: OpenStores): void {
  describeLists(openStores);
  describeDeletion(openStores);
}

function describeLists(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('audit log', () => {
    test('returns entries unchanged, with any content', async ({ audit }) => {
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

    test('is sorted newest first, by ids in commit order, whatever the clocks say', async (stores) => {
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

    test('filters by all given criteria', async (stores) => {
      await withEntries(stores, TRAIL);
      for (const [name, filter, expected] of filters) {
        const entries = await stores.audit.list(filter, { beforeId: undefined, limit: MAY_BE_MANY });
        const places = entries.map(({ stamp }) => stamp.atMs / 1000 - 1);
        assert.deepEqual(places, expected, `by ${name}`);
      }
    });

    test('pages add up to the whole list, filtered or not', async (stores) => {
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
  });
}

function describeDeletion(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('deletion of old audit entries', () => {
    test('deletes the entries older than the time, and returns their number', async (stores) => {
      await withEntries(stores, atTimes(1000, 2000, 2999, 3000, 4000));
      assert.equal(await applyOne(stores.audit, forget(3000)), 3);
      assert.deepEqual(await timesOf(stores.audit), [3000, 4000]);
      assert.equal(await applyOne(stores.audit, forget(3000)), 0);
    });

    test('deletes the given number at a time, oldest first', async (stores) => {
      await withEntries(stores, atTimes(1000, 2000, 3000, 4000, 5000, 6000));
      assert.equal(await applyOne(stores.audit, forget(6000, 2)), 2);
      assert.deepEqual(await timesOf(stores.audit), [3000, 4000, 5000, 6000]);
      assert.deepEqual(await applyEach(stores.audit, [forget(6000, 2), forget(6000, 2), forget(6000, 2)]), [2, 1, 0]);
      assert.deepEqual(await timesOf(stores.audit), [6000]);
    });

    test('never deletes younger entries, even after a clock error', async (stores) => {
      await withEntries(stores, atTimes(1000, 9000, 2000, 3000));
      for (let round = 0; round < 3; round++) await applyOne(stores.audit, forget(3000, 2));
      const left = await timesOf(stores.audit);
      assert.deepEqual(
        left.filter((atMs) => atMs >= 3000),
        [9000, 3000],
      );
      assert.ok(!left.includes(1000));
    });

    test('never reuses the id of a deleted entry', async (stores) => {
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

/** @param open a log of 25,000 entries: the first and the last by Ada, and number 10,000 of a failure */
export function testAuditScans(open: (t: TestContext) => Promise<AuditStore>): void {
  const ofAda: AuditFilter = { actor: { name: 'ada', accountId: undefined } };
  const questions: [name: string, filter: AuditFilter, limit: number, expected: bigint[], beforeId?: bigint][] = [
    ['finds the first and the last one', ofAda, 100, [25_000n, 1n]],
    ['stops at the last one', ofAda, 1, [25_000n]],
    ['continues from there to the first one', ofAda, 1, [1n], 25_000n],
    ['finds nothing before the first one', ofAda, 1, [], 1n],
    ['finds one at the limit of a scan', { outcome: 'failed' }, 9, [10_000n]],
    ['finds nothing', { outcome: 'refused' }, 9, []],
  ];
  void it('of more entries than a scan reads: finds them at its limits', async (t) => {
    const audit = await open(t);
    for (const [name, filter, limit, expected, beforeId] of questions) {
      const entries = await audit.list(filter, { beforeId, limit });
      assert.deepEqual(
        entries.map(({ id }) => id),
        expected,
        name,
      );
    }
  });
}
