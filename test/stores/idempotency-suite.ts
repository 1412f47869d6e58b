import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import type { IdempotencyStore, RequestChange } from '../../src/domain/request-claim.ts';
import type { ClaimOutcome, NewClaim, RequestClaim } from '../../src/domain/request-claim.ts';
import {
  STAMP,
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  claimAll,
  codesOf,
  createKey,
  createUsers,
  editPet,
  findAll,
  newAccount,
  photo,
  putPet,
  removePet,
  setStatus,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const CLAIM_MS = 30_000;
const NOW_MS = 1000;

function newClaim(token: string, other: Partial<NewClaim> = {}): NewClaim {
  const nowMs = other.nowMs ?? NOW_MS;
  const times = { nowMs, claimMs: CLAIM_MS, expiresAtMs: nowMs + 10_000 };
  return { digest: 'd', fingerprint: 'f', token, ...times, ...other };
}

async function claim(store: IdempotencyStore, token: string, other: Partial<NewClaim> = {}): Promise<ClaimOutcome> {
  const [outcome] = await claimAll(store, [newClaim(token, other)]);
  assert.ok(outcome !== undefined && !(outcome instanceof Error));
  return outcome;
}

const renew = (token: string, claimMs: number, digest = 'd'): RequestChange => ({
  kind: 'renew',
  digest,
  token,
  nowMs: NOW_MS,
  claimMs,
});

/** Claims a request whose owner died: its claim has ended. */
async function takeOver(
  store: IdempotencyStore,
  [owner, token]: readonly [owner: string, token: string],
  digest = 'd',
): Promise<ClaimOutcome> {
  await applyOne(store, renew(owner, 0, digest));
  return claim(store, token, { digest });
}

/** A change by a request that holds its key under this token. */
function by<C extends { stamp: typeof STAMP }>(token: string, change: C, other: Partial<RequestClaim> = {}): C {
  return { ...change, stamp: { ...STAMP, claim: { digest: 'd', token, isOneChange: true, ...other } } };
}

const record = (token: string, response: string | null): RequestChange => ({
  kind: 'record',
  digest: 'd',
  token,
  response,
});
const release = (token: string): RequestChange => ({ kind: 'release', digest: 'd', token });

async function versionsOf({ pets }: DatabaseStores, id: bigint): Promise<string | undefined> {
  const [pet] = await findAll(pets, [id]);
  return pet && `${pet.version} ${pet.text}`;
}

export function describeIdempotencyStore(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('idempotency keys', () => {
    test('belong to the first claim, within a batch and among many', async ({ requests: store }) => {
      const batch = await claimAll(store, [newClaim('one'), newClaim('two'), newClaim('other', { digest: 'e' })]);
      assert.deepEqual(
        batch.map((outcome) => (outcome as ClaimOutcome).kind),
        ['begun', 'in-flight', 'begun'],
      );
      const tries = Array.from({ length: 50 }, (_, index) => claim(store, `try ${index}`, { digest: 'many' }));
      const kinds = (await Promise.all(tries)).map(({ kind }) => kind);
      assert.deepEqual([kinds.filter((kind) => kind === 'begun').length, new Set(kinds).size], [1, 2]);
    });

    test('repeat the recorded response, for the same request only', async ({ requests: store }) => {
      await claim(store, 'one');
      await applyOne(store, record('one', 'sealed ÄÖ'));
      assert.deepEqual(await claim(store, 'two'), { kind: 'recorded', response: 'sealed ÄÖ' });
      assert.deepEqual(await claim(store, 'two', { fingerprint: 'g' }), { kind: 'reused' });
      assert.deepEqual(await claim(store, 'two', { digest: 'e', fingerprint: 'g' }), { kind: 'begun' });
    });

    test('expire, and are deleted in batches', async ({ requests: store }) => {
      for (const digest of ['d', 'e', 'g']) await claim(store, 'one', { digest });
      await applyOne(store, record('one', 'sealed'));
      await claim(store, 'young', { digest: 'young', nowMs: NOW_MS + 1 });
      assert.equal((await claim(store, 'two', { nowMs: NOW_MS + 9999 })).kind, 'recorded');
      assert.equal((await claim(store, 'two', { nowMs: NOW_MS + 10_000, fingerprint: 'g' })).kind, 'begun');
      const forgotten: number[] = [];
      for (let round = 0; round < 3; round++)
        forgotten.push(await applyOne(store, { kind: 'forget', nowMs: NOW_MS + 10_000, limit: 1 }));
      assert.deepEqual(forgotten, [1, 1, 0]);
      assert.equal((await claim(store, 'two', { digest: 'young', nowMs: NOW_MS + 50 })).kind, 'in-flight');
    });

    test('may be taken over when the lease of the owner expires', async ({ requests: store }) => {
      await claim(store, 'one', { claimMs: 0 });
      await applyOne(store, renew('one', CLAIM_MS));
      const inFlight = await claim(store, 'two');
      assert.ok(inFlight.kind === 'in-flight' && inFlight.leftMs > CLAIM_MS - 10_000 && inFlight.leftMs <= CLAIM_MS);
      assert.equal((await takeOver(store, ['one', 'two'])).kind, 'begun');
      // The first owner can no longer record a response.
      await applyEach(store, [renew('one', 0), record('one', 'too late'), release('one')]);
      assert.equal((await claim(store, 'three')).kind, 'in-flight');
    });

    test('are not blocked by a claim with a wrong clock', async ({ requests: store }) => {
      await claim(store, 'one', { claimMs: 3_600_000, expiresAtMs: 9_000_000_000_000 });
      assert.equal((await claim(store, 'two')).kind, 'begun');
    });

    test('start over when released, unless something was changed', async ({ requests: store, pets }) => {
      await claim(store, 'one');
      await applyOne(store, release('one'));
      assert.equal((await claim(store, 'two', { fingerprint: 'g' })).kind, 'begun');
      await applyOne(pets, by('two', putPet()));
      await applyOne(store, release('two'));
      assert.equal((await claim(store, 'three', { fingerprint: 'g' })).kind, 'resumed');
    });

    test('stay used if their response is not kept', async ({ requests: store }) => {
      await claim(store, 'one');
      await applyOne(store, record('one', null));
      assert.deepEqual(await claim(store, 'two'), { kind: 'done' });
    });
  });

  void describe('changes with an idempotency key', () => {
    test('are made once: a request that takes over gets the outcome', async (stores) => {
      const { requests: store, pets } = stores;
      const changes: readonly [first: PetChange & { stamp: typeof STAMP }, title: string][] = [
        [putPet({ name: 'Added' }), 'a new pet'],
        [putPet({ name: 'Replaced' }, 1n), 'a replaced pet'],
        [editPet(1n, { name: 'Edited' }), 'an edited pet'],
        [editPet(1n, { photo: photo('a') }), 'a photo'],
        [editPet(1n, { name: 'Edited' }), 'nothing'],
      ];
      for (const [index, [change, title]] of changes.entries()) {
        const digest = `d${index}`;
        await claim(store, 'one', { digest });
        const first = await applyOne(pets, by('one', change, { digest }));
        const before = await versionsOf(stores, 1n);
        assert.equal((await takeOver(store, ['one', 'two'], digest)).kind, 'resumed', title);
        assert.deepEqual(await applyOne(pets, by('two', change, { digest })), first, title);
        assert.equal(await versionsOf(stores, 1n), before, title);
        // That owner died as well.
        assert.equal((await takeOver(store, ['two', 'three'], digest)).kind, 'resumed', title);
        assert.deepEqual(await applyOne(pets, by('three', change, { digest })), first, title);
      }
      assert.equal(await versionsOf(stores, 2n), undefined);
    });

    test('repeat their outcome even after the pet was changed or deleted', async ({ requests: store, pets }) => {
      await claim(store, 'one');
      const first = await applyOne(pets, by('one', putPet({ name: 'As it was' })));
      await applyOne(pets, putPet({ name: 'Another' }, first.id));
      await takeOver(store, ['one', 'two']);
      assert.deepEqual(await applyOne(pets, by('two', putPet({ name: 'As it was' }))), first);
      await applyOne(pets, removePet(first.id));
      await takeOver(store, ['two', 'three']);
      assert.deepEqual(await applyOne(pets, by('three', putPet({ name: 'As it was' }))), first);
    });

    test('repeat their outcome for accounts as well', async ({ requests: store, users }) => {
      await claim(store, 'one');
      const create = createUsers(newAccount('ada'), newAccount('bob'));
      const ids = await applyOne(users, by('one', create));
      await takeOver(store, ['one', 'two']);
      assert.deepEqual(await applyOne(users, by('two', create)), ids);
      await claim(store, 'one', { digest: 'close' });
      await applyOne(users, by('one', setStatus('ada', 3), { digest: 'close' }));
      await takeOver(store, ['one', 'two'], 'close');
      await applyOne(users, setStatus('ada', 2));
      assert.deepEqual(await applyOne(users, by('two', setStatus('ada', 3), { digest: 'close' })), [ids[0]]);
      assert.equal((await findAll(users, ['ada']))[0]?.user.userStatus, 2);
    });

    test('are refused after another request took the key over', async (stores) => {
      const { requests: store, pets, users, keys } = stores;
      const [ada = 0n] = await applyOne(users, createUsers(newAccount('ada')));
      await claim(store, 'one');
      await takeOver(store, ['one', 'two']);
      await applyFailing(pets, by('one', putPet()), 'conflict');
      await applyFailing(users, by('one', createUsers(newAccount('bob'))), 'conflict');
      await applyFailing(keys, by('one', createKey('k', ada)), 'conflict');
      await applyFailing(pets, by('one', putPet(), { digest: 'none' }), 'conflict');
      assert.equal(await pets.isUnused(), true);
      assert.deepEqual(await findAll(users, ['bob']), [undefined]);
      assert.deepEqual(await findAll(keys, ['k']), [undefined]);
      await applyOne(pets, by('two', putPet()));
      assert.match((await versionsOf(stores, 1n)) ?? '', /Rex/);
    });

    test('are independent of each other and of changes without a key in a batch', async ({ requests: store, pets }) => {
      await claim(store, 'one');
      const outcomes = await applyAll(pets, [
        putPet({ name: 'Without' }),
        by('lost', putPet({ name: 'Lost' })),
        by('one', putPet({ name: 'With' })),
        editPet(77n, { name: 'None' }),
        putPet({ name: 'After' }),
      ]);
      assert.deepEqual(codesOf(outcomes), ['ok', 'conflict', 'ok', 'not-found', 'ok']);
      assert.deepEqual(
        outcomes.map((outcome) => ('id' in (outcome as object) ? (outcome as { id: bigint }).id : undefined)),
        [1n, undefined, 2n, undefined, 3n],
      );
    });

    test('leave no mark if they fail', async ({ requests: store, pets }) => {
      await claim(store, 'one');
      await applyFailing(pets, by('one', editPet(77n, { name: 'None' })), 'not-found');
      assert.equal((await takeOver(store, ['one', 'two'])).kind, 'begun');
    });

    test('have no repeatable outcome if a request makes several, or if its response has a secret', async ({
      requests: store,
      pets,
      users,
      keys,
    }) => {
      const [ada = 0n] = await applyOne(users, createUsers(newAccount('ada')));
      const several = { isOneChange: false };
      const cases: readonly [title: string, apply: () => Promise<unknown>][] = [
        ['one of several', () => applyOne(pets, by('one', putPet(), { ...several, digest: 'one of several' }))],
        [
          'two concurrently',
          () =>
            applyEach(
              pets,
              [1, 2].map(() => by('one', putPet(), { digest: 'two concurrently' })),
            ),
        ],
        [
          'one after the other',
          async () => {
            await applyOne(pets, by('one', putPet(), { digest: 'one after the other' }));
            await applyOne(pets, by('one', putPet(), { digest: 'one after the other' }));
          },
        ],
        ['a key', () => applyOne(keys, by('one', createKey('k', ada), { digest: 'a key' }))],
      ];
      for (const [digest, apply] of cases) {
        await claim(store, 'one', { digest });
        await apply();
        assert.deepEqual(await takeOver(store, ['one', 'two'], digest), { kind: 'done' }, digest);
      }
    });
  });
}
