import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import type { ListingChange } from '../../src/features/listings/domain/ports.ts';
import { isKnownMail } from '../../src/domain/mail/mail.ts';
import { unreachedMessage } from '../../src/features/listings/mail/unreached-message.ts';
import { newListing, REPORTED_AFTER_MS } from '../../src/features/listings/domain/ports.ts';
import { applyOne, createUsers, loginAccount, STAMP } from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const CLAIM_MS = 1000;

function claim(nowMs: number): ListingChange {
  return { kind: 'claim', site: 'petfinder', nowMs, claimMs: CLAIM_MS };
}

const SENT = {
  kind: 'sent',
  site: 'petfinder',
  untilMs: 6000,
  startedAtMs: 5000,
  atMs: 5100,
  pets: 3,
  digest: 'files',
  mark: '7 1',
} as const;

const FAILED = {
  kind: 'failed',
  site: 'petfinder',
  untilMs: 6000,
  startedAtMs: 5000,
  atMs: 5100,
  error: '530 Login incorrect',
  attempts: 1,
  nextAtMs: 0,
} as const;

const SWITCHED_ON: ListingChange = { kind: 'switch', site: 'petfinder', isOn: true, stamp: STAMP };

export function describeListings(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('listing sites', () => {
    test('a site is off until it is switched on, and has one key', async ({ listings }) => {
      assert.deepEqual(await listings.find('petfinder'), newListing('petfinder'));
      await listings.apply(SWITCHED_ON);
      await listings.apply({ kind: 'set-key', site: 'petfinder', digest: 'first', stamp: STAMP });
      await listings.apply({ kind: 'set-key', site: 'petfinder', digest: 'second', stamp: STAMP });
      const { isOn, keyDigest, keyCreatedAtMs } = await listings.find('petfinder');
      assert.deepEqual([isOn, keyDigest, keyCreatedAtMs], [true, 'second', STAMP.atMs]);
      await listings.apply({ kind: 'set-key', site: 'petfinder', digest: null, stamp: STAMP });
      assert.equal((await listings.find('petfinder')).keyDigest, undefined);
      assert.deepEqual(await listings.find('open'), newListing('open'));
    });

    test('a pet is kept out of one site, once', async ({ listings }) => {
      const keepOut = { kind: 'set-listed', site: 'open', petId: 7n, isListed: false, stamp: STAMP } as const;
      await listings.apply(keepOut);
      await listings.apply(keepOut);
      assert.deepEqual([...(await listings.listUnlisted('open'))], [7n]);
      assert.deepEqual([...(await listings.listUnlisted('petfinder'))], []);
      await listings.apply({ ...keepOut, isListed: true });
      assert.deepEqual([...(await listings.listUnlisted('open'))], []);
      assert.equal((await listings.find('open')).changes, 3);
    });

    test('the pets of a list keep the time at which they were added, until they leave', async ({ listings }) => {
      const list = (atMs: number, added: readonly bigint[], removed: readonly bigint[] = []) =>
        listings.apply({ kind: 'list', site: 'open', added, removed, atMs });
      await list(1000, [1n, 2n, MAX_INT64]);
      await list(2000, [2n, 3n], [1n]);
      await list(3000, [1n]);
      const listed = [...(await listings.listListed('open'))].toSorted(([, a], [, b]) => a - b);
      assert.deepEqual(
        new Map(listed),
        new Map([
          [2n, 1000],
          [MAX_INT64, 1000],
          [3n, 2000],
          [1n, 3000],
        ]),
      );
      assert.equal((await listings.listListed('petfinder')).size, 0);
    });

    test('a change is in the audit log without the key', async ({ listings, audit }) => {
      await listings.apply(SWITCHED_ON);
      await listings.apply({ kind: 'set-key', site: 'petfinder', digest: 'digest-of-key', stamp: STAMP });
      const entries = await audit.list({ action: 'listing' }, { beforeId: undefined, limit: 10 });
      assert.deepEqual(
        entries.map(({ action, details }) => [action, details]),
        [
          ['listing.key-created', { site: 'petfinder' }],
          ['listing.changed', { site: 'petfinder', on: 'yes' }],
        ],
      );
    });

    test('one process claims the upload, and reports only while it has the claim', async ({ listings }) => {
      assert.equal(await listings.apply(claim(5000)), 0, 'nothing is known of the site');
      await listings.apply(SWITCHED_ON);
      assert.equal(await listings.apply(claim(5000)), 1);
      assert.equal(await listings.apply(claim(5500)), 0);
      const sent = { ...SENT, atMs: 5600 } as const;
      assert.equal(await listings.apply({ ...sent, untilMs: 5999 }), 0);
      assert.equal(await listings.apply({ ...sent, untilMs: 6000 }), 1);
      const { upload } = await listings.find('petfinder');
      const recorded = { sentAtMs: 5600, sentPets: 3, sentDigest: 'files', sentMark: '7 1' };
      assert.deepEqual(upload, { ...newListing('petfinder').upload, ...recorded });
    });

    test('a claim is renewed by the process that has it', async ({ listings }) => {
      await listings.apply(SWITCHED_ON);
      await listings.apply(claim(5000));
      const renewal = { kind: 'renew', site: 'petfinder', untilMs: 6000, nextMs: 6500 } as const;
      assert.equal(await listings.apply({ ...renewal, untilMs: 5999 }), 0);
      assert.equal(await listings.apply(renewal), 1);
      assert.equal(await listings.apply(claim(6000)), 0);
      assert.equal(await listings.apply(claim(6500)), 1);
      assert.equal(await listings.apply({ ...renewal, untilMs: 6500 }), 0);
    });

    test('a claim ends, and one of a wrong clock is ignored', async ({ listings }) => {
      await listings.apply(SWITCHED_ON);
      assert.equal(await listings.apply(claim(9_000_000)), 1);
      assert.equal(await listings.apply(claim(5000)), 1, 'made with a wrong clock');
      assert.equal(await listings.apply(claim(6000)), 1, 'ended');
    });

    test('a failure is kept with the next attempt, until an upload succeeds', async ({ listings }) => {
      await listings.apply(SWITCHED_ON);
      await listings.apply(claim(5000));
      await listings.apply({ ...FAILED, untilMs: 6000, atMs: 5100, nextAtMs: 9000, attempts: 2 });
      const { upload } = await listings.find('petfinder');
      assert.deepEqual(
        [upload.failedAtMs, upload.error, upload.attempts, upload.nextAtMs],
        [5100, '530 Login incorrect', 2, 9000],
      );
      assert.equal(await listings.apply(claim(8999)), 0, 'not before the next attempt');
      await listings.apply(claim(9000));
      await listings.apply({ ...SENT, untilMs: 10_000, atMs: 9100 });
      const { error, failingSinceMs } = (await listings.find('petfinder')).upload;
      assert.deepEqual([error, failingSinceMs], [undefined, undefined]);
    });

    test('a request is due at once, and ends with the upload that began after it', async ({ listings }) => {
      await listings.apply(SWITCHED_ON);
      await listings.apply(claim(5000));
      await listings.apply({ ...FAILED, untilMs: 6000, nextAtMs: 99_000 });
      const request = { kind: 'request', site: 'petfinder', stamp: { ...STAMP, atMs: 6500 } } as const;
      assert.equal(await listings.apply(request), 1);
      assert.equal(await listings.apply(claim(7000)), 1, 'before the next attempt');
      await listings.apply({ ...request, stamp: { ...STAMP, atMs: 7500 } });
      await listings.apply({ ...FAILED, untilMs: 8000, startedAtMs: 7000, nextAtMs: 99_000 });
      const { requestedAtMs, nextAtMs } = (await listings.find('petfinder')).upload;
      assert.deepEqual([requestedAtMs, nextAtMs], [7500, 0], 'asked for during the upload');
      await listings.apply(claim(8500));
      await listings.apply({ ...SENT, untilMs: 9500, startedAtMs: 8500 });
      assert.equal((await listings.find('petfinder')).upload.requestedAtMs, undefined);
    });

    test('after a day of failures, each administrator with an address gets one message', async (stores) => {
      const { listings, users, addresses, mail } = stores;
      const admin = { role: 'admin', profile: { username: 'root', email: 'Root@example.org' } } as const;
      await applyOne(users, createUsers(loginAccount('root', admin), loginAccount('ada')));
      const link = { purpose: 'confirmation', accountId: 1n, email: 'Root@example.org', digest: 'd' } as const;
      await addresses.apply({ kind: 'offer', link: { ...link, expiresAtMs: 5000, stamp: STAMP } });
      await addresses.apply({ kind: 'confirm', digest: 'd', language: 'de', stamp: STAMP });
      await listings.apply(SWITCHED_ON);
      const failAt = async (atMs: number) => {
        await listings.apply(claim(atMs));
        await listings.apply({ ...FAILED, untilMs: atMs + CLAIM_MS, atMs });
      };
      const waiting = async () => {
        const due = await mail.apply({ kind: 'claim', nowMs: 9e12, untilMs: 9e12, limit: 10 });
        return due.filter(({ kind }) => kind === 'listing-unreached');
      };
      await failAt(10_000);
      await failAt(10_000 + REPORTED_AFTER_MS - 1);
      assert.deepEqual(await waiting(), []);
      await failAt(10_000 + REPORTED_AFTER_MS);
      const [message, ...others] = await waiting();
      assert.deepEqual([message?.recipient, others.length], ['Root@example.org', 0]);
      assert.deepEqual(message?.details, { site: 'petfinder', error: '530 Login incorrect', atMs: '10000' });
      await failAt(10_000 + 2 * REPORTED_AFTER_MS);
      assert.equal((await waiting()).length, 1, 'still the first one');
      assert.ok(message !== undefined && isKnownMail(message));
      const siteUrl = 'https://pets.example.org';
      const written = await unreachedMessage(message, addresses, siteUrl);
      assert.equal(written?.language, 'de', 'in the language of the administrator');
      const ofDeleted = await unreachedMessage({ ...message, accountId: 99n }, addresses, siteUrl);
      assert.equal(ofDeleted, undefined, 'the account was deleted');
    });
  });
}
