import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { readSavedCriteria, savedSearchText } from '../../src/features/saved-searches/api/saved-search-queries.ts';
import { MailBell } from '../../src/domain/mail/mail-bell.ts';
import { MatchMailing } from '../../src/features/saved-searches/domain/match-mailing.ts';
import { SearchMail } from '../../src/features/saved-searches/domain/search-mail.ts';
import { tokens } from '../../src/services/crypto/secrets.ts';
import { QUIET_MS } from '../../src/features/saved-searches/domain/pet-run.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { applyOne, editPet, putPet, removePet, restorePet, STAMP } from '../support/changes.ts';
import { openSqliteStores } from '../support/sqlite-stores.ts';
import { until } from '../support/until.ts';

/* Which pets are new matches of a saved search, and when they are mailed. */

const DAY_MS = 24 * 3_600_000;

async function start(t: Lifetime) {
  const stores = await openSqliteStores(t);
  const { pets, savedSearches, mail } = stores;
  const state = { nowMs: 1_000_000, renew: () => {} };
  const newProcess = (wait: () => Promise<void> = nextIteration) =>
    new MatchMailing({
      ...stores,
      source: stores.indexSource,
      synonyms: new Map([['kitten', ['cats']]]),
      criteriaOf: readSavedCriteria,
      bell: new MailBell(() => true),
      clock: () => state.nowMs,
      claimMs: 60_000,
      repeat(renew) {
        state.renew = renew;
        return () => {};
      },
      pause: wait,
    });
  const mailing = newProcess();
  const searchMail = new SearchMail({
    ...stores,
    tokens,
    clock: () => state.nowMs,
    siteUrl: 'https://pets.example',
    pageQueryOf: (search) => search,
  });
  return {
    state,
    newProcess,
    put: (name: string, other: Parameters<typeof putPet>[0] = {}, id?: bigint) =>
      applyOne(pets, putPet({ name, status: 'available', ...other }, id, { stamp: { ...STAMP, atMs: state.nowMs } })),
    change: (change: Parameters<typeof pets.apply>[0]) =>
      applyOne(pets, { ...change, stamp: { ...STAMP, atMs: state.nowMs } }),
    save: async (search: string) => {
      const text = savedSearchText(search);
      const atMs = state.nowMs;
      await savedSearches.apply({
        kind: 'add',
        search: { id: text, email: 'a@b.example', language: 'en', search: text },
        nowMs: atMs,
      });
      await savedSearches.apply({ kind: 'offer', id: text, purpose: 'confirm', digest: text, nowMs: atMs });
      await savedSearches.apply({ kind: 'confirm', digest: text, stamp: { ...STAMP, atMs: atMs } });
    },
    dueAt: async (atMs: number) => savedSearches.hasDue(atMs, await stores.changeFeed.lastVersion()),
    run: (process = mailing) => process.run(new AbortController().signal),
    /** The names of the pets in a message about these. */
    listed: async (search: string, ids: string) => {
      const queued = { kind: 'search-matches', details: { search: savedSearchText(search), pets: ids } } as const;
      const content = await searchMail.contentOf({
        ...queued,
        id: '1',
        accountId: null,
        recipient: '',
        createdAtMs: 0,
        attempts: 1,
      });
      return content?.kind === 'matches' ? content.pets.map(({ name }) => name) : undefined;
    },
    /** Runs when no pet has changed for long enough. */
    runQuiet: (process = mailing) => {
      state.nowMs += QUIET_MS;
      return process.run(new AbortController().signal);
    },
    /** The pets of the messages that were queued since the last call. */
    mailed: async () => {
      const queued = await mail.apply({
        kind: 'claim',
        nowMs: Number.MAX_SAFE_INTEGER,
        untilMs: Number.MAX_SAFE_INTEGER,
        limit: 100,
      });
      for (const { id } of queued) await mail.apply({ kind: 'done', id });
      return queued
        .flatMap(({ kind, details }) => (kind === 'search-matches' ? [String(details['pets'])] : []))
        .toSorted();
    },
  };
}

void test('saved search: pets that are added, become available or begin to match, not edits of known ones', async (t) => {
  const { put, change, save, runQuiet, mailed, state } = await start(t);
  await put('Known', { tags: [{ name: 'calm' }] }, 1n);
  await put('Reserved', { status: 'pending', tags: [{ name: 'calm' }] }, 2n);
  await put('Wild', {}, 3n);
  await save('tags=calm');
  await runQuiet();
  assert.deepEqual(await mailed(), [], 'those before the search are known');
  await put('Known, renamed', { tags: [{ name: 'calm' }] }, 1n);
  await put('Adopted', { status: 'sold', tags: [{ name: 'calm' }] }, 4n);
  await runQuiet();
  assert.deepEqual(await mailed(), []);
  await put('Reserved', { tags: [{ name: 'calm' }] }, 2n);
  await put('Wild', { tags: [{ name: 'calm' }] }, 3n);
  await put('Added', { tags: [{ name: 'calm' }] }, 5n);
  await put('Added and deleted', { tags: [{ name: 'calm' }] }, 6n);
  await change(removePet(6n));
  await runQuiet();
  assert.deepEqual(await mailed(), ['2 3 5']);
  state.nowMs += DAY_MS;
  await change(removePet(5n));
  await change(restorePet(5n));
  await runQuiet();
  assert.deepEqual(await mailed(), [], 'each pet once');
});

void test('saved search: a message at most once a day, with what was added meanwhile', async (t) => {
  const { put, save, run, runQuiet, mailed, state } = await start(t);
  await save('text=kitten');
  await put('First', { category: { name: 'Cats' } }, 1n);
  await runQuiet();
  assert.deepEqual(await mailed(), ['1'], 'synonyms match');
  for (const id of [2n, 3n]) await put(`Kitten ${id}`, {}, id);
  state.nowMs += DAY_MS - 1;
  await run();
  assert.deepEqual(await mailed(), []);
  await put('Kitten, adopted', { status: 'sold' }, 3n);
  state.nowMs += 1;
  await run();
  assert.deepEqual(await mailed(), ['2']);
});

void test('saved search: drafts are no matches, and a message has none that became a draft since', async (t) => {
  const { put, change, save, runQuiet, mailed, listed } = await start(t);
  const profile = { replacedBy: { isPublished: false } } as const;
  await save('text=rex');
  await put('Rex, published', {}, 1n);
  await change(putPet({ name: 'Rex, a draft', status: 'available' }, 2n, { profile }));
  await runQuiet();
  assert.deepEqual(await mailed(), ['1']);
  assert.deepEqual(await listed('text=rex', '1'), ['Rex, published']);
  await put('Rex, still published', {}, 3n);
  await change(editPet(1n, { profile }));
  assert.deepEqual(await listed('text=rex', '1 3'), ['Rex, still published']);
  assert.equal(await listed('text=rex', '1'), undefined, 'no message without pets');
});

void test('saved search: a pet is mailed when it was quiet for a quarter of an hour, and once', async (t) => {
  const { put, save, run, runQuiet, mailed, state } = await start(t);
  await put('Known', {}, 1n);
  state.nowMs += QUIET_MS;
  await save('text=rex');
  await put('Rexx', {}, 2n);
  await run();
  assert.deepEqual(await mailed(), []);
  state.nowMs += QUIET_MS - 1;
  await put('Rex', {}, 2n);
  await put('Rex', {}, 3n);
  await put('Rex, known', {}, 1n);
  state.nowMs += 1;
  await run();
  assert.deepEqual(await mailed(), [], 'changed again');
  await put('Rex', { status: 'pending' }, 3n);
  await put('Known', {}, 1n);
  state.nowMs += QUIET_MS - 2;
  await run();
  assert.deepEqual(await mailed(), []);
  state.nowMs += 1;
  await run();
  assert.deepEqual(await mailed(), ['2'], 'not the one that was reserved meanwhile');
  await put('Rex', {}, 3n);
  state.nowMs += DAY_MS;
  await runQuiet();
  assert.deepEqual(await mailed(), ['3']);
});

void test('saved search: a typing error in a known pet that is corrected soon makes no new match', async (t) => {
  const { put, save, run, runQuiet, mailed, state } = await start(t);
  await put('Rex', {}, 1n);
  await put('Rex', {}, 2n);
  state.nowMs += QUIET_MS;
  await save('text=rex');
  for (const id of [1n, 2n]) await put('Rxe', {}, id);
  state.nowMs += QUIET_MS - 1;
  await run();
  await put('Rex', {}, 1n);
  await runQuiet();
  assert.deepEqual(await mailed(), []);
  await put('Rex', {}, 2n);
  await runQuiet();
  assert.deepEqual(await mailed(), ['2'], 'it began to match again much later');
});

void test('saved search: a look while pets change makes no difference, whatever order they change in', async (t) => {
  const { put, save, run, runQuiet, mailed, state } = await start(t);
  await put('Rex, known', {}, 1n);
  state.nowMs += QUIET_MS;
  await save('text=rex');
  await put('Rxe', {}, 1n);
  await put('Rex, added', {}, 2n);
  await put('Rex, corrected', {}, 3n);
  await put('Rex, known', {}, 1n);
  await put('Rxe', {}, 2n);
  await run();
  await put('Rex, added', {}, 2n);
  await runQuiet();
  assert.deepEqual(await mailed(), ['2 3']);
});

void test('saved search: a pet that was not quiet when others were mailed is in the next message', async (t) => {
  const { put, save, run, mailed, state } = await start(t);
  await save('text=rex');
  await put('Rex', {}, 1n);
  state.nowMs += QUIET_MS - 1;
  await put('Young Rex', {}, 2n);
  state.nowMs += 1;
  await run();
  assert.deepEqual(await mailed(), ['1']);
  state.nowMs += DAY_MS - 1;
  await run();
  assert.deepEqual(await mailed(), []);
  state.nowMs += 1;
  await run();
  assert.deepEqual(await mailed(), ['2']);
});

void test('saved search: a pet that changes all the time, or in the future, is not waited for any longer', async (t) => {
  const { put, save, run, mailed, state } = await start(t);
  await save('text=rex');
  for (let minute = 0; minute < 60; minute++) {
    await put(`Rex ${minute}`, {}, 1n);
    state.nowMs += 60_000;
    if (minute < 59) await run();
  }
  assert.deepEqual(await mailed(), []);
  await run();
  assert.deepEqual(await mailed(), ['1']);
  state.nowMs += 2 * DAY_MS;
  await put('Rex of tomorrow', {}, 2n);
  state.nowMs -= DAY_MS;
  await run();
  assert.deepEqual(await mailed(), ['2']);
});

void test('saved search: a process that is killed while it looks loses nothing, and a slow one mails nothing twice', async (t) => {
  const { put, save, run, mailed, newProcess, state } = await start(t);
  await save('species=dog');
  await save('text=rex');
  await put('Rex', {}, 1n);
  state.nowMs += QUIET_MS;
  const held = Promise.withResolvers<void>();
  const isLooking = Promise.withResolvers<void>();
  const slow = newProcess(() => {
    isLooking.resolve();
    return held.promise;
  });
  const slowRun = run(slow);
  await isLooking.promise;
  await run();
  assert.deepEqual(await mailed(), [], 'another process has claimed the searches');
  state.nowMs += 60_000;
  await run();
  assert.deepEqual(await mailed(), ['1'], 'after the claim');
  held.resolve();
  await slowRun;
  assert.deepEqual(await mailed(), []);
});

void test('saved search: a claim is renewed while a process looks', async (t) => {
  const { put, save, run, mailed, newProcess, state, dueAt } = await start(t);
  await save('text=rex');
  await put('Rex', {}, 1n);
  state.nowMs += QUIET_MS;
  const held = Promise.withResolvers<void>();
  const isLooking = Promise.withResolvers<void>();
  const slowRun = run(
    newProcess(() => {
      isLooking.resolve();
      return held.promise;
    }),
  );
  await isLooking.promise;
  const endMs = state.nowMs + 60_000;
  state.nowMs = endMs - 1;
  state.renew();
  await until('the claim was renewed', async () => !(await dueAt(endMs)));
  held.resolve();
  await slowRun;
  assert.deepEqual(await mailed(), ['1']);
});

void test('saved search: the same search has one text, and other parameters are refused', () => {
  assert.equal(savedSearchText('age=young&species=dog&age=baby'), savedSearchText('species=dog&age=baby&age=young'));
  for (const search of ['', 'status=sold', 'published=false', 'updatedSince=2026-01-01', 'limit=1', 'species=unicorn'])
    assert.throws(() => savedSearchText(search), { code: 'invalid-input' }, search);
});
