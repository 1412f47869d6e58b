import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import type { IndexSource } from '../../src/domain/search/index-source.ts';
import type { IndexState } from '../../src/domain/search/search-engine.ts';
import { LocalSearch } from '../../src/server/search/local-search.ts';
import { applyAll, applyOne, putPet } from '../support/changes.ts';
import { overriding } from '../support/overriding.ts';
import { ALL_PETS, STAFF_SCOPE, SYNONYMS } from '../support/search.ts';
import { openSqliteStores } from '../support/sqlite-stores.ts';

/*
 * How long searches wait while the index is loaded, built, or brought up to date. The clock stands still until `tick`.
 */

const WAIT_MS = 2000;

/** A source of which one method can be blocked, and the number of its calls. */
function blockable(source: IndexSource, method: 'listPets' | 'listChanges') {
  let gate: PromiseWithResolvers<void> | undefined;
  let called = Promise.withResolvers<void>();
  const blocked = overriding(source, {
    [method]: async (...parameters: [bigint, number]) => {
      called.resolve();
      await gate?.promise;
      return source[method](...parameters);
    },
  });
  return {
    source: blocked,
    block: () => {
      called = Promise.withResolvers();
      gate = Promise.withResolvers();
    },
    /** Resolves when a call is blocked. */
    blocked: () => called.promise,
    release: () => {
      gate?.resolve();
      gate = undefined;
    },
  };
}

async function setUp(t: TestContext, method: 'listPets' | 'listChanges', isWrong = () => false) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { pets, indexSource } = await openSqliteStores(t);
  await applyAll(
    pets,
    Array.from({ length: 40 }, (_, index) => putPet({ name: 'Rex' }, BigInt(index + 1))),
  );
  const gated = blockable(indexSource, method);
  const source = overriding(gated.source, {
    lastChange: () => indexSource.lastChange(),
    listChanges: async (after: bigint, limit: number) => {
      const { at, changes } = await gated.source.listChanges(after, limit);
      return { at: isWrong() ? undefined : at, changes };
    },
  });
  const states: IndexState[] = [];
  const search = new LocalSearch({ source, synonyms: SYNONYMS, onState: (state) => states.push(state) });
  const count = async () => (await search.search(ALL_PETS, STAFF_SCOPE, undefined, 1)).total;
  return { ...gated, pets, search, states, count, tick: () => t.mock.timers.tick(WAIT_MS) };
}

function isRefusal(message: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof Failure &&
    error.code === 'unavailable' &&
    error.details.retryAfterSeconds === 2 &&
    message.test(error.message);
}

const BUILDING = isRefusal(/^The search index is being built \(\d+ %\)\. Try again in a few seconds\.$/);
const LOADING = isRefusal(/^The search index is being loaded\. Try again in a few seconds\.$/);

const namesOf = (states: readonly IndexState[]) =>
  states.map(({ state }) => state).filter((name, place, all) => name !== all[place - 1]);

void describe('wait of a search', () => {
  void it('first build: is limited, and later searches find everything', async (t) => {
    const { block, blocked, release, count, tick, search, states } = await setUp(t, 'listPets');
    block();
    assert.deepEqual(await search.state(), { state: 'loading' });
    const counting = count();
    await blocked();
    assert.deepEqual(await search.state(), { state: 'building', done: 0, of: 40 });
    tick();
    await assert.rejects(counting, BUILDING);
    release();
    assert.equal(await count(), 40);
    const state = await search.state();
    assert.deepEqual(state, { state: 'ready', from: 'pets', ms: 'ms' in state && state.ms });
    assert.deepEqual(namesOf(states), ['building', 'ready']);
  });

  void it('build after a doubt: is limited, and later searches find everything', async (t) => {
    let isWrong = false;
    const { block, blocked, release, count, tick, search, states } = await setUp(t, 'listPets', () => isWrong);
    assert.equal(await count(), 40);
    isWrong = true;
    block();
    const counting = [count(), count()];
    await blocked();
    isWrong = false;
    tick();
    for (const each of counting) await assert.rejects(each, BUILDING);
    const next = count();
    tick();
    await assert.rejects(next, BUILDING);
    release();
    assert.equal(await count(), 40);
    assert.equal((await search.state()).state, 'ready');
    assert.deepEqual(namesOf(states), ['building', 'ready', 'building', 'ready']);
  });

  void it('changes that are read in several batches: is limited, and later searches find everything', async (t) => {
    const { block, blocked, release, pets, count, tick, search, states } = await setUp(t, 'listChanges');
    assert.equal(await count(), 40);
    await applyAll(
      pets,
      Array.from({ length: 40 }, () => putPet()),
    );
    block();
    const counting = count();
    await blocked();
    release();
    block();
    await blocked();
    tick();
    await assert.rejects(counting, LOADING);
    assert.deepEqual(await search.state(), { state: 'loading' });
    release();
    assert.equal(await count(), 80);
    const state = await search.state();
    assert.ok(state.state === 'ready' && state.from === 'changes' && state.ms >= WAIT_MS, JSON.stringify(state));
    assert.deepEqual(namesOf(states), ['building', 'ready', 'loading', 'ready']);
  });

  void it('one slow read of changes: is not limited', async (t) => {
    const { block, blocked, release, pets, count, tick } = await setUp(t, 'listChanges');
    assert.equal(await count(), 40);
    await applyOne(pets, putPet());
    block();
    const counting = count();
    await blocked();
    tick();
    release();
    assert.equal(await counting, 41);
  });
});
