import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import { PET_SORTS } from '../../src/domain/search/criteria.ts';
import type { SavedIndex } from '../../src/domain/search/index-follower.ts';
import type { IndexSource } from '../../src/domain/search/index-source.ts';
import type { MatchPage, MatchPosition } from '../../src/domain/search/matches.ts';
import type { SearchService } from '../../src/domain/search/search-engine.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { LocalSearch } from '../../src/server/search/local-search.ts';
import { STAMP, applyAll, applyEach, applyOne, editPet, putPet, removePet, restorePet } from '../support/changes.ts';
import { overriding } from '../support/overriding.ts';
import { FACET_CHOICES, petProfile } from '../support/naive-search.ts';
import { ALL_PETS, PUBLIC_SCOPE, searchIn, STAFF_SCOPE, SYNONYMS } from '../support/search.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const at = (change: PetChange, atMs: number): PetChange => ({ ...change, stamp: { ...STAMP, atMs } });

function find(search: SearchService, word: string): Promise<MatchPage> {
  return search.search({ ...ALL_PETS, words: [word] }, STAFF_SCOPE, undefined, 10);
}

async function idsOf(search: SearchService, word: string): Promise<readonly bigint[]> {
  return (await find(search, word)).matches.map(({ id }) => id);
}

/** Everything that searches return: the pets and their versions in each order, and the facets. */
async function contentsOf(search: SearchService) {
  const orders: unknown[] = [];
  for (const sort of PET_SORTS) {
    let after: MatchPosition | undefined;
    do {
      const page = await search.search({ ...ALL_PETS, sort }, STAFF_SCOPE, after, 500);
      orders.push(sort, page.total, ...page.matches);
      after = page.hasMore ? page.matches.at(-1) : undefined;
    } while (after !== undefined);
  }
  const labels = await Promise.all(
    (['category', 'tag', 'breed'] as const).map((kind) => search.labels(kind, [], undefined, 99, true)),
  );
  const recent = await search.search({ ...ALL_PETS, updatedSinceMs: 5000 }, STAFF_SCOPE, undefined, 500);
  return {
    orders,
    labels,
    recent: recent.matches,
    facets: await search.facets(ALL_PETS, STAFF_SCOPE, FACET_CHOICES),
    publicFacets: await search.facets(ALL_PETS, PUBLIC_SCOPE, FACET_CHOICES),
    counts: await Promise.all([search.counts(true), search.counts(false)]),
  };
}

interface Watched {
  search: LocalSearch;
  /** The reasons for which the index was built again. */
  doubts: string[];
}

function open(source: IndexSource, saved?: SavedIndex): Watched {
  const doubts: string[] = [];
  const readSaved = async () => saved;
  const onDoubt = (reason: string) => void doubts.push(reason);
  return { search: new LocalSearch({ source, synonyms: SYNONYMS, readSaved, onDoubt }), doubts };
}

/** Checks that the index has what one that is built now has. */
async function assertCurrent(search: SearchService, { indexSource }: DatabaseStores): Promise<void> {
  assert.deepEqual(await contentsOf(search), await contentsOf(open(indexSource).search));
}

async function savedIndexOf({ indexSource }: DatabaseStores): Promise<SavedIndex> {
  const { search } = open(indexSource);
  await search.load();
  return structuredClone(search.save());
}

const NAMES = ['Rex', 'Rex Žofie', 'Max', '猫'];
const LABELS = ['cat', 'Cat', 'dog'];
const ids = fc.bigInt({ min: 1n, max: 6n });
const change: fc.Arbitrary<PetChange> = fc
  .tuple(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc
          .record({
            id: ids,
            name: fc.constantFrom(...NAMES),
            category: fc.constantFrom(...LABELS),
            tag: fc.constantFrom(...LABELS),
          })
          .map(({ id, name, category, tag }) =>
            putPet({ name, category: { name: category }, tags: [{ name: tag }], status: 'sold' }, id),
          ),
      },
      {
        weight: 2,
        arbitrary: fc.tuple(ids, fc.constantFrom(...NAMES)).map(([id, name]) => editPet(id, { name })),
      },
      {
        weight: 3,
        arbitrary: fc
          .tuple(ids, petProfile)
          .map(([id, profile]) => editPet(id, { profile: { replacedBy: profile ?? {} } })),
      },
      { weight: 2, arbitrary: ids.map((id) => removePet(id)) },
      { weight: 2, arbitrary: ids.map((id) => restorePet(id)) },
    ),
    fc.integer({ min: 1, max: 9 }),
  )
  .map(([made, time]) => at(made, time * 1000));
const changes = (maxLength: number) => fc.array(change, { maxLength });

/** A source that calls a function before each of its responses. */
function interrupted(source: IndexSource, interrupt: () => Promise<void>): IndexSource {
  const after =
    <P extends unknown[], R>(read: (...parameters: P) => R) =>
    async (...parameters: P): Promise<Awaited<R>> => {
      await interrupt();
      return await read(...parameters);
    };
  return {
    lastChange: after(() => source.lastChange()),
    countPets: after(() => source.countPets()),
    listPets: after((...page) => source.listPets(...page)),
    listChanges: after((...page) => source.listChanges(...page)),
  };
}

/** Words of three letters, which are not corrected. */
const wordOf = (letter: string, index: number) => letter + index.toString(36).padStart(2, '0');

export function describeSearchIndex(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('search index', () => {
    test('has each change as soon as it is acknowledged, also with many at the same time', async (stores) => {
      const search = searchIn(stores);
      const check = async (index: number) => {
        const id = BigInt(index + 1);
        const [old, now] = [wordOf('p', index), wordOf('q', index)];
        const put = await applyOne(stores.pets, putPet({ name: old }, id));
        const found = await find(search, old);
        assert.deepEqual(
          found.matches.map(({ id, version }) => [id, version]),
          [[id, put.version]],
        );
        await applyOne(stores.pets, editPet(id, { name: now }));
        assert.deepEqual([await idsOf(search, old), await idsOf(search, now)], [[], [id]]);
        await applyOne(stores.pets, removePet(id));
        assert.deepEqual(await idsOf(search, now), []);
        if (index % 2 === 0) return;
        await applyOne(stores.pets, restorePet(id));
        assert.deepEqual(await idsOf(search, now), [id]);
      };
      await Promise.all(Array.from({ length: 200 }, (_, index) => check(index)));
      await assertCurrent(search, stores);
    });

    test('has a pet in the version that was acknowledged or a later one while all change the same pet', async (stores) => {
      const search = searchIn(stores);
      await applyOne(stores.pets, putPet({}, 1n));
      const check = async (index: number) => {
        const { version } = await applyOne(stores.pets, editPet(1n, { name: `Rex ${wordOf('r', index)}` }));
        const [match] = (await find(search, 'rex')).matches;
        assert.ok(match !== undefined && match.version >= version, `${match?.version} after ${version}`);
      };
      await Promise.all(Array.from({ length: 200 }, (_, index) => check(index)));
      await assertCurrent(search, stores);
    });

    test('follows several changes of a pet at a time: an edit, a deletion, another addition', async (stores) => {
      const search = searchIn(stores);
      await applyEach(
        stores.pets,
        Array.from({ length: 5 }, (_, index) => putPet({ name: wordOf('p', index) }, BigInt(index + 1))),
      );
      await assertCurrent(search, stores);
      await applyEach(stores.pets, [editPet(2n, { name: 'Edited' }), removePet(2n)]);
      await assertCurrent(search, stores);
      await applyEach(stores.pets, [restorePet(2n), editPet(2n, { name: 'Again' }), removePet(2n), putPet({}, 2n)]);
      await applyEach(stores.pets, [editPet(4n, { name: 'Edited' }), removePet(4n), restorePet(4n)]);
      await assertCurrent(search, stores);
    });

    test('is the same by any changes as one that is built from the pets, also in between', async (stores) => {
      const { search, doubts } = open(stores.indexSource);
      const property = fc.asyncProperty(changes(12), changes(6), async (before, meanwhile) => {
        await applyAll(stores.pets, before);
        await assertCurrent(search, stores);
        const next = meanwhile.values();
        const source = interrupted(stores.indexSource, async () => {
          const { value } = next.next();
          if (value !== undefined) await applyAll(stores.pets, [value]);
        });
        const built = open(source);
        await assertCurrent(built.search, stores);
        assert.deepEqual([...doubts, ...built.doubts], []);
      });
      await fc.assert(property, { numRuns: 60 });
    });

    test('is built from pets in batches while they change', async (stores) => {
      const count = 300;
      const some = (n: number) => BigInt((n % count) + 1);
      await applyAll(
        stores.pets,
        Array.from({ length: count }, (_, index) => putPet({ name: `Rex ${wordOf('p', index)}` }, BigInt(index + 1))),
      );
      let reads = 0;
      const source = interrupted(stores.indexSource, async () => {
        reads++;
        if (reads > 8) return;
        const changed = Array.from({ length: 40 }, (_, index) => some(index * 37 + reads * 11));
        await applyAll(stores.pets, [
          ...changed.map((id, index) => (index % 3 === 0 ? removePet(id) : editPet(id, { name: wordOf('q', index) }))),
          ...changed.slice(0, 20).map((id, index) => (index % 2 === 0 ? restorePet(id) : putPet({}, id))),
          putPet({ name: wordOf('n', reads) }),
        ]);
      });
      const { search, doubts } = open(source);
      await assertCurrent(search, stores);
      assert.ok(reads > 8);
      assert.deepEqual(doubts, []);
    });

    test('that was saved catches up with the changes since', async (stores) => {
      await applyEach(stores.pets, [putPet({ name: 'One' }, 1n), putPet({ name: 'Two' }, 2n), putPet({}, 3n)]);
      const saved = await savedIndexOf(stores);
      const unchanged = open(stores.indexSource, structuredClone(saved));
      assert.deepEqual(await idsOf(unchanged.search, 'two'), [2n]);
      await applyEach(stores.pets, [
        removePet(1n),
        editPet(2n, { name: 'Second' }),
        ...Array.from({ length: 100 }, (_, index) => putPet({ name: wordOf('n', index) })),
      ]);
      const listsPets = overriding(stores.indexSource, { listPets: () => assert.fail('it is built again') });
      const { search, doubts } = open(listsPets, saved);
      assert.deepEqual(await idsOf(search, 'one'), []);
      assert.deepEqual(await idsOf(search, 'second'), [2n]);
      await assertCurrent(search, stores);
      await assertCurrent(unchanged.search, stores);
      assert.deepEqual([...doubts, ...unchanged.doubts], []);
    });

    test('that was saved catches up after the database was unavailable meanwhile', async (stores) => {
      await applyEach(stores.pets, [putPet({ name: 'One' }, 1n), putPet({ name: 'Two' }, 2n)]);
      const saved = await savedIndexOf(stores);
      await applyEach(
        stores.pets,
        Array.from({ length: 100 }, (_, index) => editPet(1n + BigInt(index % 2), { name: wordOf('n', index) })),
      );
      let reads = 0;
      const source = interrupted(stores.indexSource, async () => {
        if (++reads === 2) throw new Error('unavailable');
      });
      const { search, doubts } = open(source, saved);
      await assert.rejects(search.load(), /^Error: unavailable$/);
      await search.load();
      await assertCurrent(search, stores);
      assert.deepEqual(doubts, []);
    });

    const restored: readonly (readonly [of: string, made: readonly PetChange[]])[] = [
      ['without any pet', []],
      ['of an earlier state, with another last change', [putPet({ name: 'One' }, 1n), putPet({ name: 'Other' }, 3n)]],
      [
        'of an earlier state, with the last change at another time',
        [putPet({ name: 'One' }, 1n), at(putPet({ name: 'Other' }, 2n), 7000)],
      ],
      [
        'of an earlier state, with more changes than there were',
        [putPet({ name: 'One' }, 1n), putPet({ name: 'Other' }, 4n), editPet(4n, { name: 'Another' }), putPet()],
      ],
    ];
    for (const [of, made] of restored)
      void it(`is built again for a restored database ${of}, when saved and in use`, async (t) => {
        const before = await openStores(t);
        await applyEach(before.pets, [putPet({ name: 'One' }, 1n), putPet({ name: 'Two' }, 2n)]);
        const saved = await savedIndexOf(before);
        let current = before.indexSource;
        const replaceable: IndexSource = {
          lastChange: () => current.lastChange(),
          countPets: () => current.countPets(),
          listPets: (...page) => current.listPets(...page),
          listChanges: (...page) => current.listChanges(...page),
        };
        const inUse = open(replaceable);
        assert.deepEqual(await idsOf(inUse.search, 'two'), [2n]);
        // Empty again, as if nothing had ever happened.
        const stores = await openStores(t);
        await applyEach(stores.pets, made);
        current = stores.indexSource;
        const both = [open(stores.indexSource, saved), inUse];
        for (const { search, doubts } of both) {
          await assertCurrent(search, stores);
          assert.deepEqual(doubts, ['the last change in the index, version 2 of pet 2, is not in the database']);
        }
        await applyEach(stores.pets, [putPet({ name: 'Later' }), putPet({ name: 'Later' })]);
        for (const { search, doubts } of both) {
          await assertCurrent(search, stores);
          assert.equal(doubts.length, 1);
        }
      });

    test('is built again after a change that does not follow its version of the pet', async (stores) => {
      await applyEach(stores.pets, [putPet({ name: 'One' }, 1n), putPet({ name: 'Two' }, 2n)]);
      let isWrong = false;
      const source = overriding(stores.indexSource, {
        async listChanges(after, limit) {
          const { at, changes } = await stores.indexSource.listChanges(after, limit);
          return { at, changes: changes.map((one) => (isWrong ? { ...one, previous: 99n } : one)) };
        },
      });
      const { search, doubts } = open(source);
      assert.deepEqual(await idsOf(search, 'one'), [1n]);
      isWrong = true;
      await applyEach(stores.pets, [editPet(2n, { name: 'Three' }), editPet(1n, { name: 'Four' })]);
      await assertCurrent(search, stores);
      assert.deepEqual(doubts, ['pet 2 is indexed in version 2, but its change 3 follows 99']);
    });

    test('is built again after a change of a pet that it does not have', async (stores) => {
      await applyEach(stores.pets, [putPet({ name: 'One' }, 1n), putPet({ name: 'Two' }, 2n)]);
      let isHidden = true;
      const source = overriding(stores.indexSource, {
        listPets: async (from, limit) => {
          const pets = await stores.indexSource.listPets(from, limit);
          return isHidden ? pets.slice(1) : pets;
        },
      });
      const { search, doubts } = open(source);
      assert.deepEqual(await idsOf(search, 'one'), []);
      isHidden = false;
      await applyOne(stores.pets, editPet(1n, { status: 'sold' }));
      await assertCurrent(search, stores);
      assert.deepEqual(doubts, ['pet 1 is indexed in version undefined, but its change 3 follows 1']);
    });
  });
}
