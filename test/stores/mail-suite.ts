import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { MailKind, NewMail } from '../../src/domain/mail/mail.ts';
import type { OfferedLink } from '../../src/domain/mail/ports.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import {
  applyFailing,
  applyOne,
  createUsers,
  HASH,
  loginAccount,
  newAccount,
  replaceUser,
  setStatus,
  STAMP,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const MAIL: NewMail = { kind: 'test', accountId: null, recipient: 'ada@example.org', details: { language: 'de' } };

function queue(stores: DatabaseStores, recipient: string, atMs: number, kind: MailKind = 'test') {
  return stores.mail.apply({ kind: 'queue', mail: { ...MAIL, kind, recipient }, stamp: { ...STAMP, atMs } });
}

/** As a node of a later version does. */
function queueUnknown(stores: DatabaseStores, recipient: string, atMs: number) {
  return queue(stores, recipient, atMs, 'later' as MailKind);
}

async function claim({ mail }: DatabaseStores, nowMs: number, limit = 10): Promise<readonly string[]> {
  const claimed = await mail.apply({ kind: 'claim', nowMs, untilMs: nowMs + 1000, limit });
  return claimed.map(({ recipient }) => recipient).toSorted();
}

/** Ada (1) and Bob (2) have addresses, and Eve (3) was invited. */
async function withAccounts({ users }: DatabaseStores): Promise<void> {
  await applyOne(
    users,
    createUsers(
      loginAccount('ada', { profile: { username: 'ada', email: 'Ada@example.org' } }),
      loginAccount('bob', { profile: { username: 'bob', email: 'bob@example.org' } }),
      newAccount('eve', { profile: { username: 'eve', email: 'eve@example.org' } }),
    ),
  );
}

function offer(purpose: OfferedLink['purpose'], accountId: bigint, email: string, other: Partial<OfferedLink> = {}) {
  const digest = `${purpose} of ${accountId}`;
  return {
    kind: 'offer',
    link: { purpose, accountId, email, digest, expiresAtMs: 5000, stamp: STAMP, ...other },
  } as const;
}

function confirm(digest: string, atMs = 2000) {
  return { kind: 'confirm', digest, language: 'de', stamp: { ...STAMP, atMs } } as const;
}

export function describeMail(openStores: OpenStores): void {
  describeQueue(openStores);
  describeAddresses(openStores);
  describeLinks(openStores);
}

function describeQueue(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('mail queue', () => {
    test('claims messages that are due, the oldest first, once', async (stores) => {
      await queue(stores, 'second', 2000);
      await queue(stores, 'first', 1000);
      assert.deepEqual([await stores.mail.hasDue(999), await stores.mail.hasDue(1000)], [false, true]);
      assert.deepEqual(await claim(stores, 2000, 1), ['first']);
      assert.deepEqual(await claim(stores, 2000), ['second']);
      assert.deepEqual(await claim(stores, 2999), []);
      assert.deepEqual(await claim(stores, 3000), ['first', 'second']);
    });

    test('claims messages by priority, retries included, then by time', async (stores) => {
      await queue(stores, 'matches', 1000, 'search-matches');
      await queue(stores, 'sign-up', 1001, 'email-confirmation');
      await queue(stores, 'answer', 1002, 'enquiry-answer');
      await queue(stores, 'invitation', 1003, 'invitation');
      await queue(stores, 'alert', 1004, 'alert');
      await queue(stores, 'reset', 1005, 'password-reset');
      const first = ['alert', 'reset', 'answer', 'invitation', 'matches', 'sign-up'];
      const claimed = [];
      for (const _ of first) claimed.push(...(await claim(stores, 2000, 1)));
      assert.deepEqual(claimed, first);
      const again = [];
      for (const _ of first) again.push(...(await claim(stores, 3000, 1)));
      assert.deepEqual(again.slice(0, 2).toSorted(), ['alert', 'reset']);
    });

    test('leaves kinds of a later version unclaimed, and counts them', async (stores) => {
      const { mail } = stores;
      await queueUnknown(stores, 'unknown', 1000);
      assert.equal(await mail.hasDue(9000), false);
      await queue(stores, 'known', 2000);
      assert.deepEqual(await claim(stores, 9000), ['known']);
      const { waiting, unknown, oldestAtMs } = await mail.readState();
      assert.deepEqual([waiting, unknown, oldestAtMs], [2, 1, 1000]);
    });

    test('returns the message as it was queued, and counts attempts', async ({ mail }) => {
      await mail.apply({ kind: 'queue', mail: MAIL, stamp: STAMP });
      await mail.apply({ kind: 'claim', nowMs: 1000, untilMs: 1000, limit: 1 });
      const [claimed] = await mail.apply({ kind: 'claim', nowMs: 1000, untilMs: 2000, limit: 1 });
      assert.deepEqual({ ...claimed, id: '' }, { ...MAIL, id: '', createdAtMs: 1000, attempts: 2 });
    });

    test('gives each message to one of many claims', async (stores) => {
      const recipients = Array.from({ length: 40 }, (_, index) => `${index}@example.org`);
      await Promise.all(recipients.map((recipient) => queue(stores, recipient, 1000)));
      const claims = await Promise.all(Array.from({ length: 10 }, () => claim(stores, 1000, 7)));
      assert.deepEqual(claims.flat().toSorted(), recipients.toSorted());
    });

    test('keeps failed messages for later, and dead ones for operators', async (stores) => {
      const { mail } = stores;
      for (const recipient of ['sent', 'failed', 'dead']) await queue(stores, recipient, 1000);
      for (const { id, recipient } of await mail.apply({ kind: 'claim', nowMs: 1000, untilMs: 9000, limit: 3 })) {
        if (recipient === 'sent') await mail.apply({ kind: 'done', id });
        else await mail.apply({ kind: 'failed', id, nextAtMs: 2000, isDead: recipient === 'dead', error: recipient });
      }
      const { lastError, ...state } = await mail.readState();
      assert.deepEqual(state, { waiting: 1, unknown: 0, oldestAtMs: 1000, dead: 1 });
      assert.ok(lastError === 'failed' || lastError === 'dead');
      assert.deepEqual(await claim(stores, 2000), ['failed']);
      const [dead, ...others] = await mail.listDead(10);
      assert.deepEqual([dead?.recipient, dead?.failedAtMs, dead?.lastError, others.length], ['dead', 2000, 'dead', 0]);
      const forget = async (beforeMs: number) => (await mail.apply({ kind: 'forget', beforeMs, limit: 10 })).length;
      assert.deepEqual([await forget(1999), await forget(2000), await forget(2000)], [0, 1, 0]);
      assert.deepEqual(await mail.readState(), {
        waiting: 1,
        unknown: 0,
        oldestAtMs: 1000,
        dead: 0,
        lastError: 'failed',
      });
    });

    test('messages that wait for their next attempt become due, but not those that are being sent', async (stores) => {
      const { mail } = stores;
      for (const recipient of ['claimed', 'failed']) await queue(stores, recipient, 1000);
      for (const { id, recipient } of await mail.apply({ kind: 'claim', nowMs: 1000, untilMs: 9000, limit: 2 }))
        if (recipient === 'failed')
          await mail.apply({ kind: 'failed', id, nextAtMs: 99_000, isDead: false, error: 'no answer' });
      await mail.apply({ kind: 'hasten', nowMs: 2000 });
      assert.deepEqual(await claim(stores, 2000), ['failed']);
      await mail.apply({ kind: 'retry-waiting', stamp: { ...STAMP, atMs: 9000 } });
      assert.deepEqual(await claim(stores, 9000), ['claimed', 'failed'], 'their claims have ended');
    });

    test('only dead messages are retried as new ones, or deleted, by administrators', async (stores) => {
      const { mail } = stores;
      await queue(stores, 'ada', 1000);
      const [{ id } = assert.fail()] = await mail.apply({ kind: 'claim', nowMs: 1000, untilMs: 9000, limit: 1 });
      const [retry, remove] = (['retry', 'delete'] as const).map((kind) => ({ kind, id, stamp: STAMP }));
      for (const change of [retry, remove])
        await assert.rejects(mail.apply(change ?? assert.fail()), { code: 'not-found' });
      await mail.apply({ kind: 'failed', id, nextAtMs: 2000, isDead: true, error: 'refused' });
      await mail.apply(retry ?? assert.fail());
      const [again] = await mail.apply({ kind: 'claim', nowMs: STAMP.atMs, untilMs: 9000, limit: 1 });
      assert.deepEqual([again?.id, again?.attempts, again?.createdAtMs], [id, 1, STAMP.atMs]);
      await mail.apply({ kind: 'failed', id, nextAtMs: 2000, isDead: true, error: 'refused' });
      await mail.apply(remove ?? assert.fail());
      assert.deepEqual(await mail.listDead(10), []);
    });
  });
}

function describeAddresses(openStores: OpenStores): void {
  const test = testsOn(openStores, withAccounts);
  void describe('addresses', () => {
    test('are confirmed by a link that was sent to them, once', async ({ addresses, audit }) => {
      assert.equal((await addresses.find(1n))?.confirmed, undefined);
      assert.equal(await addresses.apply(offer('confirmation', 1n, 'Ada@example.org')), 1);
      await applyFailing(addresses, confirm('confirmation of 1', 5000), 'not-found');
      assert.equal(await addresses.apply(confirm('confirmation of 1')), 1);
      await applyFailing(addresses, confirm('confirmation of 1'), 'not-found');
      const confirmed = { email: 'Ada@example.org', language: 'de' };
      const ada = { id: 1n, username: 'ada', email: 'Ada@example.org', hasPassword: true, isClosed: false, confirmed };
      assert.deepEqual(await addresses.find(1n), ada);
      assert.deepEqual(await addresses.listConfirmed('aDA@EXAMPLE.org', 10), [ada]);
      assert.deepEqual(await addresses.listConfirmed('bob@example.org', 10), []);
      const [entry] = await audit.list({ action: 'account.email-confirmed' }, { beforeId: undefined, limit: 10 });
      assert.deepEqual(entry?.subject, { kind: 'account', id: '1', name: 'ada' });
    });

    test('of closed accounts get no links', async ({ addresses, users }) => {
      await addresses.apply(offer('confirmation', 2n, 'bob@example.org'));
      await addresses.apply(confirm('confirmation of 2'));
      await applyOne(users, setStatus('bob', 3));
      assert.deepEqual(await addresses.listConfirmed('bob@example.org', 10), []);
      for (const purpose of ['confirmation', 'reset', 'invitation'] as const)
        assert.equal(await addresses.apply(offer(purpose, 2n, 'bob@example.org')), 0);
    });

    test('of deleted accounts are forgotten', async ({ addresses, users }) => {
      await addresses.apply(offer('confirmation', 2n, 'bob@example.org'));
      await addresses.apply(confirm('confirmation of 2'));
      await applyOne(users, { kind: 'delete', username: 'bob', stamp: STAMP });
      assert.equal(await addresses.find(2n), undefined);
      assert.deepEqual(await addresses.listConfirmed('bob@example.org', 10), []);
      assert.equal(await addresses.apply(offer('confirmation', 2n, 'bob@example.org')), 0);
    });
  });
}

function describeLinks(openStores: OpenStores): void {
  const test = testsOn(openStores, withAccounts);
  void describe('links sent by e-mail', () => {
    test('are not sent to an address that the account does not have', async ({ addresses }) => {
      assert.equal(await addresses.apply(offer('confirmation', 1n, 'bob@example.org')), 0);
      assert.equal(await addresses.apply(offer('reset', 1n, 'Ada@example.org')), 0, 'it is not confirmed');
    });

    test('set a password at a confirmed address', async ({ addresses, users, audit }) => {
      await addresses.apply(offer('confirmation', 1n, 'Ada@example.org'));
      await addresses.apply(confirm('confirmation of 1'));
      assert.equal(await addresses.apply(offer('reset', 1n, 'ada@example.org')), 1);
      assert.equal(await users.findReset('reset of 1', 2000), 'ada');
      const [entry] = await audit.list({ action: 'account.reset-link-issued' }, { beforeId: undefined, limit: 10 });
      assert.deepEqual(entry?.details, { expires: new Date(5000).toISOString(), by: 'e-mail' });
    });

    const changes: [what: string, email: string | undefined][] = [
      ['another one is confirmed', 'ada@example.net'],
      ['the account has none any more', undefined],
    ];
    for (const [what, email] of changes) {
      test(`to a confirmed address end when ${what}`, async ({ addresses, users }) => {
        await addresses.apply(offer('confirmation', 1n, 'Ada@example.org'));
        await addresses.apply(confirm('confirmation of 1'));
        await addresses.apply(offer('reset', 1n, 'ada@example.org'));
        await applyOne(users, replaceUser('ada', { username: 'ada', email }));
        if (email !== undefined) {
          assert.equal(await users.findReset('reset of 1', 2000), 'ada', 'it is not confirmed yet');
          await addresses.apply(offer('confirmation', 1n, email));
          await addresses.apply(confirm('confirmation of 1'));
        }
        assert.equal(await users.findReset('reset of 1', 2000), undefined);
        assert.equal((await addresses.find(1n))?.confirmed?.email, email);
      });
    }

    test('of an invitation set the first password, and confirm the address', async ({ addresses, users }) => {
      assert.equal(await addresses.apply(offer('invitation', 1n, 'Ada@example.org')), 0, 'it has a password');
      assert.equal(await addresses.apply(offer('invitation', 3n, 'eve@example.org')), 1);
      const stamp = { ...STAMP, atMs: 2000 };
      const use = { kind: 'use-reset', digest: 'invitation of 3', passwordHash: HASH, language: 'de', stamp } as const;
      await applyOne(users, use);
      const { confirmed, hasPassword } = (await addresses.find(3n)) ?? assert.fail();
      assert.deepEqual([confirmed, hasPassword], [{ email: 'eve@example.org', language: 'de' }, true]);
    });
  });
}
