import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createAccess, type Actor, type LoggedIn } from '../../src/domain/access.ts';
import { AuditLog, RefusalLog } from '../../src/domain/accounts/audit-log.ts';
import type { NewAuditEntry } from '../../src/domain/audit.ts';
import type { AuditStore, AuditChange } from '../../src/domain/audit.ts';
import { createUsers, newAccount, replaceUser, STAMP, testSession } from '../support/changes.ts';
import { TestClock } from '../support/memory-limits.ts';
import { openSqliteStores } from '../support/sqlite-stores.ts';

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;

function sessionOf(userId: bigint, role: 'admin' | 'viewer' = 'viewer'): LoggedIn {
  const session = testSession({ id: `session of ${userId}`, digest: 'digest', startedAtMs: 0 });
  return { kind: 'signed-in', address: '192.0.2.1', userId, username: `user${userId}`, role, session };
}

/** Records the changes requested of it, and claims to have this many old entries to delete. */
class RecordingAudit implements AuditStore {
  readonly changes: AuditChange[] = [];
  #old: number;

  constructor(old = 0) {
    this.#old = old;
  }

  list = () => Promise.resolve([]);

  async apply(change: AuditChange): Promise<number> {
    this.changes.push(change);
    if (change.kind === 'note') return 0;
    const removed = Math.min(change.limit, this.#old);
    this.#old -= removed;
    return removed;
  }
}

/** The audit log on real stores, with an account renamed from Ada to Lady, and an account Bob. */
async function openTrail(t: TestContext, audit?: AuditStore) {
  const stores = await openSqliteStores(t);
  const clock = new TestClock();
  const access = createAccess({ mode: 'open', signUp: true });
  const trail = new AuditLog({
    access,
    clock: clock.read,
    retentionMs: YEAR_MS,
    ...stores,
    ...(audit && { audit }),
  });
  await stores.users.apply(createUsers(newAccount('Ada', { publicId: 7n }), newAccount('Bob', { publicId: 7n })));
  await stores.users.apply(replaceUser('ada', { username: 'Lady' }));
  const by: NewAuditEntry = {
    stamp: { ...STAMP, actorId: 1n, actorName: 'Ada' },
    action: 'access',
    subject: null,
    outcome: 'refused',
    details: null,
  };
  await stores.audit.apply({ kind: 'note', entry: by });
  return { trail, clock };
}

const PART = { beforeId: undefined, limit: 100 };

void describe('audit log', () => {
  void it('is readable by administrators only, also in open mode', async (t) => {
    const { trail } = await openTrail(t);
    const listing = (actor: Actor) => trail.listEntries(actor, {}, PART);
    await assert.rejects(listing({ kind: 'anonymous', address: '192.0.2.1' }), { code: 'unauthenticated' });
    await assert.rejects(listing(sessionOf(2n)), { code: 'forbidden' });
  });

  const questions: [name: string, question: Parameters<AuditLog['listEntries']>[1], expected: string[]][] = [
    ['everything', {}, ['access', 'account.updated', 'account.created', 'account.created']],
    ['an actor by the former name', { actor: 'ADA' }, ['access']],
    ['an actor by the current name', { actor: 'lady' }, ['access']],
    ['a subject by the current name', { subject: 'LADY' }, ['account.updated', 'account.created']],
    ['a subject by the former name', { subject: 'ada' }, ['account.created']],
    ['a subject and an action', { subject: 'bob', action: 'account.created' }, ['account.created']],
    ['an unknown actor', { actor: 'nobody' }, []],
  ];
  void it('lists for an administrator what an actor did, or what happened to a subject', async (t) => {
    const { trail } = await openTrail(t);
    for (const [name, question, expected] of questions) {
      const entries = await trail.listEntries(sessionOf(9n, 'admin'), question, PART);
      assert.deepEqual(
        entries.map(({ action }) => action),
        expected,
        name,
      );
    }
  });

  void it('deletes entries older than the retention time, in batches', async (t) => {
    const audit = new RecordingAudit(12_000);
    const { trail, clock } = await openTrail(t, audit);
    await trail.deleteExpired();
    assert.ok(audit.changes.length >= 2);
    for (const change of audit.changes) {
      assert.ok(change.kind === 'forget' && change.beforeMs === clock.nowMs - YEAR_MS && change.limit <= 10_000);
    }
    assert.equal(await audit.apply({ kind: 'forget', beforeMs: 0, limit: 1 }), 0, 'no old entry is left');
  });

  void it('deletes no further batch when the service stops', async (t) => {
    const audit = new RecordingAudit(1_000_000);
    const { trail } = await openTrail(t, audit);
    await trail.deleteExpired(() => audit.changes.length >= 2);
    assert.equal(audit.changes.length, 2);
  });
});

void describe('refusal log', () => {
  void it('records actor and action for known actors', async (t) => {
    const { limits } = await openSqliteStores(t);
    const audit = new RecordingAudit();
    const clock = new TestClock();
    const log = new RefusalLog({ audit, limits, clock: clock.read });
    await log.write(sessionOf(7n), 'administer');
    await log.write({ kind: 'anonymous', address: '192.0.2.1' }, 'administer');
    assert.deepEqual(audit.changes, [
      {
        kind: 'note',
        entry: {
          stamp: {
            atMs: clock.nowMs,
            via: 'session',
            actorId: 7n,
            actorName: 'user7',
            actorRole: 'viewer',
            credentialId: 'session of 7',
            address: '192.0.2.1',
          },
          action: 'access',
          subject: null,
          outcome: 'refused',
          details: { wanted: 'administer' },
        },
      },
    ]);
  });

  void it('keeps at most twenty refusals a minute for each account', async (t) => {
    const { limits } = await openSqliteStores(t);
    const audit = new RecordingAudit();
    const clock = new TestClock(50 * MINUTE_MS);
    const log = new RefusalLog({ audit, limits, clock: clock.read });
    const refuse = async (userId: bigint, times: number) => {
      for (let time = 0; time < times; time++) await log.write(sessionOf(userId), 'write pets');
      return audit.changes.length;
    };
    assert.equal(await refuse(1n, 500), 20);
    assert.equal(await refuse(2n, 5), 25);
    clock.pass(MINUTE_MS - 1);
    assert.equal(await refuse(1n, 500), 25);
    clock.pass(1);
    assert.equal(await refuse(1n, 500), 45);
    assert.equal(await refuse(2n, 500), 65);
  });

  void it('shares the limit among all nodes', async (t) => {
    const { limits } = await openSqliteStores(t);
    const audit = new RecordingAudit();
    const clock = new TestClock(50 * MINUTE_MS);
    const nodes = Array.from({ length: 3 }, () => new RefusalLog({ audit, limits, clock: clock.read }));
    for (let time = 0; time < 30; time++) for (const log of nodes) await log.write(sessionOf(1n), 'write pets');
    assert.equal(audit.changes.length, 20);
  });
});
