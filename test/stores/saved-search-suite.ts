import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { SAVED_SEARCH_LIMITS } from '../../src/features/saved-searches/domain/saved-search.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { STAMP } from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const DAY_MS = 24 * 3_600_000;

async function add({ savedSearches }: DatabaseStores, id: string, other: { email?: string; search?: string } = {}) {
  const search = { id, email: 'Ada@example.org', language: 'de', search: 'species=dog', ...other };
  return (await savedSearches.apply({ kind: 'add', search, nowMs: 1000 })).length;
}

async function addConfirmed(stores: DatabaseStores, id: string, search = `text=${id}`): Promise<void> {
  const { savedSearches } = stores;
  assert.equal(await add(stores, id, { search }), 1);
  await savedSearches.apply({ kind: 'offer', id, purpose: 'confirm', digest: `link of ${id}`, nowMs: 1000 });
  assert.equal(
    (await savedSearches.apply({ kind: 'confirm', digest: `link of ${id}`, stamp: { ...STAMP, atMs: 1000 } })).length,
    1,
  );
}

/** As the process whose claim lasts until this time: the confirmation has made the search due at 1000. */
function look(
  { savedSearches }: DatabaseStores,
  { id, untilMs = 1000 }: { id: string; untilMs?: number },
  ...petIds: readonly bigint[]
) {
  return savedSearches.apply({ kind: 'looked', id, untilMs, version: 50n, petIds, nowMs: 3000, nextAtMs: 9000 });
}

async function queued({ mail }: DatabaseStores) {
  const claimed = await mail.apply({ kind: 'claim', nowMs: 10_000, untilMs: 20_000, limit: 100 });
  return claimed.map(({ kind, recipient, details }) => ({ kind, recipient, details }));
}

export function describeSavedSearches(openStores: OpenStores): void {
  void describe('saved searches', () => {
    describeRequests(openStores);
    describeLooks(openStores);
    describeEnds(openStores);
  });
}

function describeRequests(openStores: OpenStores): void {
  const test = testsOn(openStores);

  test('an address has a search once, and a repeated message the search of the first', async (stores) => {
    assert.equal(await add(stores, 'first'), 1);
    assert.equal(await add(stores, 'second', { email: 'ADA@example.org' }), 0);
    assert.equal(await add(stores, 'first'), 1);
    assert.deepEqual(await stores.savedSearches.count(), { confirmed: 0, unconfirmed: 1 });
  });

  test('an address is the same in both forms of its domain', async (stores) => {
    const { savedSearches, addresses } = stores;
    assert.equal(await addresses.apply({ kind: 'renew-keys' }), 0);
    await add(stores, 'first', { email: 'ada@bücher.example' });
    assert.equal(await add(stores, 'second', { email: 'ada@XN--BCHER-KVA.example' }), 0);
    const found = await savedSearches.listOf('ada@bu\u0308cher.example');
    assert.deepEqual(
      found.map(({ id }) => id),
      ['first'],
    );
  });

  test('an address has few searches that are not confirmed, and some that are', async (stores) => {
    const { ofAddress, unconfirmedOfAddress } = SAVED_SEARCH_LIMITS;
    const added: number[] = [];
    for (let index = 0; index <= unconfirmedOfAddress; index++)
      added.push(await add(stores, `search ${index}`, { search: `text=${index}` }));
    assert.deepEqual(added, [...Array<number>(unconfirmedOfAddress).fill(1), 0]);
    for (const { id } of await stores.savedSearches.listOf('ada@example.org')) {
      await stores.savedSearches.apply({ kind: 'offer', id, purpose: 'confirm', digest: id, nowMs: 1000 });
      await stores.savedSearches.apply({ kind: 'confirm', digest: id, stamp: { ...STAMP, atMs: 1000 } });
    }
    for (let index = unconfirmedOfAddress; index < ofAddress; index++) await addConfirmed(stores, `more ${index}`);
    assert.equal(await add(stores, 'one more', { search: 'text=more' }), 0);
    assert.equal(await add(stores, 'of another', { email: 'bob@example.org' }), 1);
  });

  test('a link confirms a search in time, and later ones keep it', async (stores) => {
    const { savedSearches } = stores;
    await addConfirmed(stores, 'dogs');
    const [search = assert.fail()] = await savedSearches.listOf('ada@example.org');
    assert.deepEqual([search.confirmedAtMs, search.endsAtMs], [1000, 1000 + SAVED_SEARCH_LIMITS.lifetimeMs]);
    const manage = { kind: 'offer', id: 'dogs', purpose: 'manage', digest: 'later', nowMs: 2000 } as const;
    assert.equal((await savedSearches.apply(manage)).length, 1);
    assert.deepEqual(await savedSearches.apply({ ...manage, purpose: 'confirm', digest: 'again' }), []);
    const [kept = assert.fail()] = await savedSearches.apply({
      kind: 'confirm',
      digest: 'later',
      stamp: { ...STAMP, atMs: DAY_MS },
    });
    assert.deepEqual([kept.confirmedAtMs, kept.endsAtMs], [1000, DAY_MS + SAVED_SEARCH_LIMITS.lifetimeMs]);
    assert.deepEqual(
      await savedSearches.apply({ kind: 'confirm', digest: 'unknown', stamp: { ...STAMP, atMs: 2000 } }),
      [],
    );
    await add(stores, 'late', { search: 'text=late' });
    await savedSearches.apply({ kind: 'offer', id: 'late', purpose: 'confirm', digest: 'late', nowMs: 1000 });
    assert.deepEqual(
      await savedSearches.apply({ kind: 'confirm', digest: 'late', stamp: { ...STAMP, atMs: 1001 + DAY_MS } }),
      [],
    );
  });
}

function describeLooks(openStores: OpenStores): void {
  const test = testsOn(openStores);

  test('a search is claimed once, if something has changed', async (stores) => {
    const { savedSearches } = stores;
    await addConfirmed(stores, 'dogs');
    const { seenVersion } = (await savedSearches.find('dogs')) ?? assert.fail();
    assert.equal(await savedSearches.hasDue(2000, seenVersion), false, 'nothing has changed');
    const version = seenVersion + 1n;
    assert.equal(await savedSearches.hasDue(2000, version), true);
    const claim = { kind: 'claim', nowMs: 2000, untilMs: 5000, version, limit: 10 } as const;
    const claims = await Promise.all([savedSearches.apply(claim), savedSearches.apply(claim)]);
    assert.deepEqual(
      claims.flat().map(({ id }) => id),
      ['dogs'],
    );
    assert.equal(await savedSearches.hasDue(4999, version), false);
    assert.equal(await savedSearches.hasDue(5000, version), true, 'the process that claimed it was killed');
  });

  test('a claim is renewed for the searches that still have it', async (stores) => {
    const { savedSearches } = stores;
    for (const id of ['dogs', 'cats']) await addConfirmed(stores, id);
    const { seenVersion } = (await savedSearches.find('dogs')) ?? assert.fail();
    const version = seenVersion + 1n;
    await savedSearches.apply({ kind: 'claim', nowMs: 2000, untilMs: 5000, version, limit: 10 });
    const renewal = { kind: 'renew', ids: ['dogs', 'unknown'], untilMs: 5000, nextMs: 6000 } as const;
    const renewed = await savedSearches.apply(renewal);
    assert.deepEqual(
      renewed.map(({ id }) => id),
      ['dogs'],
    );
    assert.deepEqual(await savedSearches.apply(renewal), []);
    const others = await savedSearches.apply({ kind: 'claim', nowMs: 5000, untilMs: 8000, version, limit: 10 });
    assert.deepEqual(
      others.map(({ id }) => id),
      ['cats'],
    );
  });

  test('of two processes that looked at the same changes, one queues a message', async (stores) => {
    const { savedSearches } = stores;
    await addConfirmed(stores, 'dogs');
    await queued(stores);
    const both = await Promise.all([look(stores, { id: 'dogs' }, 7n, 8n), look(stores, { id: 'dogs' }, 7n, 8n)]);
    assert.equal(both.flat().length, 1);
    const details = { search: 'dogs', language: 'de', pets: '7 8', more: '0' };
    assert.deepEqual(await queued(stores), [{ kind: 'search-matches', recipient: 'Ada@example.org', details }]);
    const { mailedAtMs, seenVersion } = (await savedSearches.find('dogs')) ?? assert.fail();
    assert.deepEqual([mailedAtMs, seenVersion], [3000, 50n]);
    assert.equal(await savedSearches.hasDue(3000 + SAVED_SEARCH_LIMITS.betweenMailsMs - 1, 99n), false);
    assert.equal(await savedSearches.hasDue(3000 + SAVED_SEARCH_LIMITS.betweenMailsMs, 99n), true);
  });

  test('a pet is mailed once for each search, and a message lists few', async (stores) => {
    await addConfirmed(stores, 'dogs');
    await addConfirmed(stores, 'cats');
    await queued(stores);
    await look(stores, { id: 'dogs' }, 1n);
    const tomorrow = 3000 + SAVED_SEARCH_LIMITS.betweenMailsMs;
    assert.deepEqual(await look(stores, { id: 'dogs', untilMs: tomorrow }, 1n), []);
    const many = Array.from({ length: 23 }, (_, index) => BigInt(index + 1));
    await look(stores, { id: 'dogs', untilMs: 9000 }, ...many);
    await look(stores, { id: 'cats' }, 1n);
    const details = (await queued(stores)).map(
      ({ details: { search, pets = '', more } }) => `${search}: ${pets.split(' ').length} and ${more}`,
    );
    assert.deepEqual(details.toSorted(), ['cats: 1 and 0', 'dogs: 1 and 0', 'dogs: 20 and 2']);
  });
}

function describeEnds(openStores: OpenStores): void {
  const test = testsOn(openStores);

  test('a search is stopped by a link, once', async (stores) => {
    const { savedSearches } = stores;
    await addConfirmed(stores, 'dogs');
    const stop = { kind: 'stop', digest: 'link of dogs', stamp: STAMP } as const;
    assert.equal((await savedSearches.apply(stop)).length, 1);
    assert.deepEqual(await savedSearches.apply(stop), []);
    assert.equal(await savedSearches.find('dogs'), undefined);
    assert.deepEqual(await look(stores, { id: 'dogs' }, 1n), []);
  });

  test('an address is erased, also from messages, and not named in the audit log', async (stores) => {
    const { savedSearches } = stores;
    await addConfirmed(stores, 'dogs');
    await add(stores, 'cats', { search: 'species=cat' });
    await add(stores, 'of bob', { email: 'bob@example.org' });
    for (const recipient of ['ADA@example.org', 'bob@example.org']) {
      const request = { kind: 'search-confirmation', accountId: null, recipient, details: {} } as const;
      await stores.mail.apply({ kind: 'queue', mail: request, stamp: { ...STAMP, atMs: 1000 } });
    }
    const erased = await savedSearches.apply({ kind: 'erase', email: 'ada@EXAMPLE.org', stamp: STAMP });
    assert.equal(erased.length, 2);
    assert.deepEqual(await savedSearches.count(), { confirmed: 0, unconfirmed: 1 });
    assert.deepEqual(
      (await queued(stores)).map(({ recipient }) => recipient),
      ['bob@example.org'],
    );
  });

  test('ended and unconfirmed searches are deleted', async (stores) => {
    const { savedSearches } = stores;
    await addConfirmed(stores, 'dogs');
    await add(stores, 'cats', { search: 'species=cat' });
    const forget = (nowMs: number) => savedSearches.apply({ kind: 'forget', nowMs, limit: 10 });
    assert.deepEqual(await forget(1000), []);
    assert.deepEqual(
      (await forget(1000 + DAY_MS)).map(({ id }) => id),
      ['cats'],
    );
    assert.deepEqual(
      (await forget(1000 + SAVED_SEARCH_LIMITS.lifetimeMs)).map(({ id }) => id),
      ['dogs'],
    );
  });
}
