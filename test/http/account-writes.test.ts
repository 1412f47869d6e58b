import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { AccountWriteLimits, type AccountWrite } from '../../src/domain/accounts/account-writes.ts';
import { assertRefused } from '../support/client.ts';
import { startComposed, type ComposedOptions } from '../support/composed-service.ts';
import { MemoryLimits } from '../support/memory-limits.ts';
import { bearer, logIn, newSecuredFolder } from '../support/secured.ts';
import type { Lifetime } from '../support/lifetime.ts';

/* The limit of account changes per account and hour, so that a flood of changes cannot fill the database. */

const HOUR_MS = 3_600_000;
const NOON_MS = Date.UTC(2026, 0, 15, 12, 20, 0);

async function start(t: Lifetime, options: ComposedOptions = {}) {
  const time = { nowMs: NOON_MS };
  const { composition, ...service } = await startComposed(t, { clock: () => time.nowMs, ...options });
  return { ...service, time, writes: composition.accounts.writeLimits };
}

async function startSecured(t: Lifetime) {
  const service = await start(t, { flags: ['--access', 'secured'], newFolder: newSecuredFolder });
  const writerOf = async (username: string) => {
    const { user, role } = (await service.stores.users.find(username)) ?? assert.fail();
    return { via: 'session', actorId: user.id, actorRole: role, address: '127.0.0.1' } as const;
  };
  return { ...service, writerOf };
}

void test('account writes: refused after the limit of an account, until the next hour; other accounts are unaffected', async (t) => {
  const { call, time, writes, writerOf, stores } = await startSecured(t);
  const [vera, otto, root] = await Promise.all(['vera', 'otto', 'root'].map((name) => logIn(call, name)));
  const update = (username: string, token = '') =>
    call('PUT', `user/${username}`, { headers: bearer(token), json: { firstName: 'Again' } });
  await writes.spend('changes', await writerOf('vera'), 999);
  assert.equal((await update('vera', vera)).status, 200);
  const entries = await stores.audit.list({ action: 'account.updated' }, { beforeId: undefined, limit: 10 });
  for (const refused of [
    await update('vera', vera),
    await call('POST', 'account/keys', { headers: bearer(vera ?? ''), json: { name: 'one', scopes: ['read:pets'] } }),
  ]) {
    assert.equal(
      assertRefused(refused, 429).message,
      'Too many requests: the limit is 1000 changes of users per hour. Try again later.',
    );
    assert.equal(refused.headers.get('retry-after'), '2400');
  }
  const after = await stores.audit.list({ action: 'account.updated' }, { beforeId: undefined, limit: 10 });
  assert.equal(after.length, entries.length);
  for (const [name, token] of [
    ['otto', otto],
    ['vera', root],
  ] as const)
    assert.equal((await update(name, token)).status, 200);
  // Logins, logouts and password changes are counted separately.
  assert.equal((await call('GET', 'user/logout', { headers: bearer(await logIn(call, 'vera')) })).status, 200);
  time.nowMs += HOUR_MS;
  assert.equal((await update('vera', vera)).status, 200);
});

void test('account writes: requests with idempotency keys are limited, and leave nothing behind', async (t) => {
  const { call, writes, writerOf } = await startSecured(t);
  const headers = { ...bearer(await logIn(call, 'vera')), 'idempotency-key': randomUUID() };
  await writes.spend('requests with an idempotency key', await writerOf('vera'), 1000);
  const json = { name: 'one', scopes: ['read:pets'] };
  assertRefused(await call('POST', 'account/keys', { headers, json }), 429);
  assert.equal((await call('POST', 'account/keys', { headers: bearer(await logIn(call, 'vera')), json })).status, 200);
});

void test('account writes: refusals are recorded up to a limit, then their keys are released', async (t) => {
  const { call, writes } = await start(t);
  const keys = [randomUUID(), randomUUID()];
  const edit = async (key = '') => {
    const response = await call('POST', 'pet/4711', { form: { name: 'Late' }, headers: { 'idempotency-key': key } });
    return { status: response.status, isReplayed: response.headers.has('idempotency-replayed') };
  };
  const anonymous = { via: 'anonymous', actorId: null, actorRole: null, address: '127.0.0.1' } as const;
  await writes.spend('refusals kept', anonymous, 999);
  for (const key of keys) assert.deepEqual(await edit(key), { status: 404, isReplayed: false });
  assert.equal((await call('POST', 'pet', { json: { id: 4711, name: 'Here now' } })).status, 200);
  assert.deepEqual(await edit(keys[0]), { status: 404, isReplayed: true });
  assert.deepEqual(await edit(keys[1]), { status: 200, isReplayed: false });
});

const viewer = { via: 'session', actorId: 7n, actorRole: 'viewer', address: '203.0.113.7' } as const;
const allowed: [write: AccountWrite, mode: 'secured' | 'sandbox' | 'open', role: 'viewer' | 'admin', most: number][] = [
  ['changes', 'secured', 'viewer', 1000],
  ['changes', 'secured', 'admin', 100_000],
  ['logins', 'secured', 'viewer', 10_000],
  ['changes', 'sandbox', 'viewer', 100_000],
  ['changes', 'open', 'viewer', Infinity],
  ['refusals kept', 'sandbox', 'admin', 1000],
  ['refusals kept', 'open', 'viewer', 1000],
];

for (const [write, mode, actorRole, most] of allowed) {
  void test(`account writes: ${write} of one ${actorRole} in ${mode} access, ${most} an hour`, async () => {
    const writes = new AccountWriteLimits({ limits: new MemoryLimits(), clock: () => NOON_MS, mode });
    const writer = { ...viewer, actorRole };
    if (most === Infinity) return writes.spend(write, writer, 1_000_000);
    await writes.spend(write, writer, most - 1);
    // A list beyond the rest is refused as a whole, without using the rest.
    await assert.rejects(writes.spend(write, writer, 2), { code: 'too-many-requests' });
    await writes.spend(write, writer);
    await assert.rejects(writes.spend(write, writer), { code: 'too-many-requests' });
    return undefined;
  });
}
