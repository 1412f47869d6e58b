import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { PET_SORTS, STATUS_FILTERS, type PetCriteria, type StatusFilter } from '../../src/domain/search/criteria.ts';
import type { MatchPosition } from '../../src/domain/search/matches.ts';
import { traitsOfText } from '../../src/domain/search/traits.ts';
import { wordsOf } from '../../src/domain/search/words.ts';
import { PET_STATUSES, type PetDetails } from '../../src/domain/pets/pet.ts';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import type { DatabaseStores } from '../../src/domain/stores.ts';
import { STAMP, applyAll, applyEach, applyOne, editPet, putPet, removePet, restorePet } from '../support/changes.ts';
import { findNaively, suggestNaively, type KnownPet } from '../support/naive-search.ts';
import { ALL_PETS, petSearchIn } from '../support/search.ts';
import type { OpenStores } from './store-suite.ts';

/** The ids on all pages, with an optional action between pages. */
async function findAll(
  stores: DatabaseStores,
  criteria: PetCriteria,
  { limit, between }: { limit: number; between?: () => Promise<unknown> },
): Promise<bigint[]> {
  const ids: bigint[] = [];
  let after: MatchPosition | undefined;
  do {
    const page = await petSearchIn(stores).search(criteria, { after, limit });
    ids.push(...page.pets.map(({ id }) => id));
    after = page.last;
    await between?.();
  } while (after !== undefined);
  return ids;
}

async function countAll(stores: DatabaseStores, criteria: PetCriteria): Promise<number> {
  return (await petSearchIn(stores).search(criteria, { after: undefined, limit: 1 })).total;
}

/** Values around 1000, the time of the changes under test. */
const SINCE = [
  { updatedSinceMs: 500 },
  { updatedSinceMs: 500, words: ['r', '2'] },
  { updatedSinceMs: 2000, words: ['r'] },
];

const text = (words: string, other: Partial<PetCriteria> = {}): PetCriteria => ({
  ...ALL_PETS,
  words: wordsOf(words),
  sort: 'relevance',
  ...other,
});

const isKept = (id: bigint) => id <= 12n;

const at = (change: PetChange, atMs: number): PetChange => ({ ...change, stamp: { ...STAMP, atMs } });

const tags = (...names: string[]) => names.map((name) => ({ name }));

const NAMES = [
  'Žofie',
  'zofie the cat',
  'Zo',
  'ZOFIE-Ann',
  'Straße 7',
  'STRASSE',
  '猫カフェ',
  '🐕',
  'cat',
  '\uFA0E',
  '𐐀𐐁',
  'éclair',
];
const LABELS = ['cat', 'Cat', 'Zoo animals', 'ß_x', 'éclair', '猫'];
const WORDS = ['zo', 'zofie', 'cat', 'c', 'strasse', '猫', 'an', 'e', '7', 'nothing', 'kitten', 'bunny'];

const details: fc.Arbitrary<Partial<PetDetails>> = fc.record(
  {
    name: fc.constantFrom(...NAMES),
    category: fc.constantFrom(...LABELS, undefined).map((name) => (name === undefined ? {} : { name })),
    tags: fc.array(
      fc.constantFrom(...LABELS).map((name) => ({ name })),
      { maxLength: 3 },
    ),
    status: fc.constantFrom(...PET_STATUSES),
  },
  { requiredKeys: ['name'] },
);

const changeOf = (id: fc.Arbitrary<bigint>): fc.Arbitrary<PetChange> =>
  fc
    .tuple(
      fc.oneof(
        { weight: 4, arbitrary: fc.tuple(details, id).map(([pet, petId]) => putPet(pet, petId)) },
        {
          weight: 1,
          arbitrary: fc.tuple(fc.constantFrom(...NAMES), id).map(([name, petId]) => editPet(petId, { name })),
        },
        { weight: 1, arbitrary: id.map((petId) => removePet(petId)) },
      ),
      fc.integer({ min: 1, max: 9 }),
    )
    .map(([change, time]) => ({ ...change, stamp: { ...STAMP, atMs: time * 1000 } }));

const criteria: fc.Arbitrary<PetCriteria> = fc
  .record({
    words: fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 2 }),
    statuses: fc.uniqueArray(fc.constantFrom(...STATUS_FILTERS), { maxLength: 4 }),
    categories: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 1 }),
    tags: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 2 }),
    tagMatch: fc.constantFrom('any', 'all'),
    updatedSinceMs: fc.constantFrom(undefined, undefined, 4000),
    sort: fc.constantFrom(...PET_SORTS),
  })
  .map((asked) => ({ ...asked, sort: asked.sort === 'relevance' && asked.words.length === 0 ? 'id' : asked.sort }));

/** The true number of pets for each facet value, by a scan of all pets. */
function countNaively(pets: readonly KnownPet[], asked: PetCriteria) {
  const beside = (change: Partial<PetCriteria>) => {
    const ids = new Set(findNaively(pets, { ...asked, ...change, sort: 'id' }));
    return pets.filter(({ stored }) => ids.has(stored.id)).map(({ stored }) => traitsOfText(stored.text));
  };
  const [forStatus, forCategory] = [beside({ statuses: [] }), beside({ categories: [] })];
  const forTag = asked.tagMatch === 'all' ? beside({}) : beside({ tags: [] });
  return {
    status: (status: StatusFilter) => forStatus.filter((pet) => (pet.status ?? 'none') === status).length,
    category: (name: string) => forCategory.filter((pet) => pet.categoryName === name).length,
    tag: (name: string) => forTag.filter(({ tagNames }) => tagNames.includes(name)).length,
  };
}

/** Compares each facet count with the true number. */
async function compareFacets(stores: DatabaseStores, pets: readonly KnownPet[], asked: PetCriteria): Promise<void> {
  const { statuses, categories, tags } = await petSearchIn(stores).facets(asked);
  const naive = countNaively(pets, asked);
  const real = {
    statuses: STATUS_FILTERS.map((status) => ({ status, count: naive.status(status) })),
    categories: categories.map(({ name }) => ({ name, count: naive.category(name) })),
    tags: tags.map(({ name }) => ({ name, count: naive.tag(name) })),
  };
  assert.deepEqual({ statuses, categories, tags }, real, JSON.stringify(asked));
  const labels = pets.map(({ stored }) => traitsOfText(stored.text));
  const used = new Set(labels.flatMap(({ tagNames }) => tagNames));
  const listed = new Set(tags.map(({ name }) => name));
  assert.ok(listed.size >= Math.min(used.size, 100), JSON.stringify(asked));
}

/** Compares the suggestions with searches for each. */
async function compareSuggestions(
  stores: DatabaseStores,
  pets: readonly KnownPet[],
  asked: PetCriteria,
  limit: number,
): Promise<void> {
  if (asked.words.length === 0) return;
  const { names, categories, tags } = await petSearchIn(stores).suggest(asked, limit);
  const folded = names.map(({ name, text, count }) => ({
    name: wordsOf(name).join(),
    text: wordsOf(text).join(' '),
    count,
  }));
  const naive = suggestNaively(pets, asked, limit);
  assert.deepEqual({ names: folded, categories, tags }, naive, JSON.stringify(asked));
  const spelled = pets.flatMap(({ stored }) => traitsOfText(stored.text).name.split(/[ -]/));
  for (const { name } of names)
    assert.ok(spelled.includes(name) || /^\p{Script=Han}|^\p{Script=Katakana}/u.test(name), name);
}

/** The current pets, according to the outcomes of their changes. */
async function applyAndRecord(
  stores: DatabaseStores,
  changes: readonly PetChange[],
  known: Map<bigint, KnownPet>,
): Promise<void> {
  const outcomes = await applyAll(stores.pets, changes);
  for (const [index, outcome] of outcomes.entries()) {
    const change = changes[index];
    if (outcome instanceof Error || change === undefined) continue;
    if (change.kind === 'delete') known.delete(outcome.id);
    else {
      const before = known.get(outcome.id);
      if (before?.stored.version === outcome.version) continue;
      const addedVersion = before?.addedVersion ?? outcome.version;
      known.set(outcome.id, { stored: outcome, addedVersion, changedAtMs: change.stamp.atMs });
    }
  }
}

export function describePetSearch(openStores: OpenStores): void {
  void describe('search', () => {
    void it('matches prefixes of words, without case and accents, best first', async (t) => {
      const stores = await openStores(t);
      await applyEach(stores.pets, [
        putPet({ name: 'Rex', tags: tags('Žofie-friend') }, 1n),
        putPet({ name: 'Zofinka' }, 2n),
        putPet({ name: 'Žofie' }, 3n),
        putPet({ name: 'Paul', category: { name: 'Zoo' } }, 4n),
        putPet({ name: 'Žofie the 2nd' }, 5n),
      ]);
      const ids = async (words: string) => findAll(stores, text(words), { limit: 2 });
      assert.deepEqual(await ids('ZOFIE'), [3n, 5n, 1n]);
      assert.deepEqual(await ids('zof'), [2n, 3n, 5n, 1n]);
      assert.deepEqual(await ids('žo'), [2n, 3n, 5n, 1n, 4n]);
      assert.deepEqual(await ids('fri zof'), [1n]);
      assert.deepEqual(await ids('2 zofie'), [5n]);
      assert.deepEqual(await ids('fie'), []);
    });

    void it('corrects a word that no pet has, and tells which', async (t) => {
      const stores = await openStores(t);
      await applyEach(stores.pets, [
        putPet({ name: 'Žofie' }, 1n),
        putPet({ name: 'Rex', tags: tags('friendly') }, 2n),
      ]);
      const search = async (words: string) => {
        const { pets, total, correctedWords } = await petSearchIn(stores).search(text(words), {
          after: undefined,
          limit: 1,
        });
        return [pets.map(({ id }) => id), total, correctedWords];
      };
      assert.deepEqual(await search('ofie'), [[1n], 1, ['zofie']]);
      assert.deepEqual(await search('rex frendly'), [[2n], 1, ['rex', 'friendly']]);
      assert.deepEqual(await search('rex friend'), [[2n], 1, undefined]);
      assert.deepEqual(await search('nothing'), [[], 0, undefined]);
      // A word that some pet has stays, even if the pets with the other words do not have it.
      assert.deepEqual(await search('zofie friendly'), [[], 0, undefined]);
    });

    void it('synonyms: match categories and tags, after the pets with the word, and are reported', async (t) => {
      const stores = await openStores(t);
      await applyEach(stores.pets, [
        putPet({ name: 'Rex', category: { name: 'Cats' } }, 1n),
        putPet({ name: 'Max', tags: tags('CATS!', 'calm'), category: { name: 'Cats' } }, 2n),
        putPet({ name: 'Paul', tags: tags('good with cats') }, 3n),
        putPet({ name: 'Anna', tags: tags('kittens') }, 4n),
        putPet({ name: 'Kittenish' }, 5n),
        putPet({ name: 'Kitten', category: { name: 'Dogs' } }, 6n),
      ]);
      const search = async (words: string) => {
        const asked = text(words);
        const { total, synonyms, correctedWords } = await petSearchIn(stores).search(asked, {
          after: undefined,
          limit: 1,
        });
        const ids = await findAll(stores, asked, { limit: 2 });
        assert.equal(ids.length, total);
        return { ids, synonyms, correctedWords };
      };
      const cats = [{ word: 'kitten', names: ['CATS!', 'Cats'] }];
      assert.deepEqual(await search('KITTEN'), {
        ids: [6n, 5n, 4n, 1n, 2n],
        synonyms: cats,
        correctedWords: undefined,
      });
      assert.deepEqual(await search('kitten calm'), { ids: [2n], synonyms: cats, correctedWords: undefined });
      // The beginning of a word has no synonyms.
      assert.deepEqual((await search('kitte')).ids, [5n, 6n, 4n]);
      // No pet has the word or a synonym.
      assert.deepEqual((await search('bunny')).ids, []);
      // A word with synonyms is not corrected, and others are corrected to it.
      await applyEach(
        stores.pets,
        [4n, 5n, 6n].map((id) => removePet(id)),
      );
      const corrected = { ids: [1n, 2n], synonyms: cats, correctedWords: ['kitten'] };
      assert.deepEqual(await search('kitten'), { ...corrected, correctedWords: undefined });
      assert.deepEqual(await search('kitte'), corrected);
      assert.deepEqual(await search('ktiten'), corrected);
      const { categories } = await petSearchIn(stores).facets(text('kitten'));
      assert.deepEqual(categories, [{ name: 'Cats', count: 2 }]);
    });

    void it('suggestions: complete the last word by names, categories and tags, with the totals of a search', async (t) => {
      const stores = await openStores(t);
      await applyEach(stores.pets, [
        putPet({ name: 'Žofie LUNA', tags: tags('lucky') }, 1n),
        putPet({ name: 'Luna', category: { name: 'Guinea pigs' }, status: 'sold' }, 2n),
        putPet({ name: 'Lunara', category: { name: 'Guinea pigs' }, tags: tags('lucky') }, 3n),
        putPet({ name: 'Kitten', category: { name: 'Dogs' } }, 4n),
        putPet({ name: 'Tom', category: { name: 'Cat' } }, 5n),
      ]);
      const suggest = (words: string, limit = 5, other: Partial<PetCriteria> = {}) =>
        petSearchIn(stores).suggest(text(words, other), limit);
      const none = { names: [], categories: [], tags: [] };
      assert.deepEqual(await suggest('lu'), {
        // As the name of the pet with the lowest ID is spelled.
        names: [
          { name: 'LUNA', text: 'LUNA', count: 3 },
          { name: 'Lunara', text: 'Lunara', count: 1 },
        ],
        categories: [],
        tags: [{ name: 'lucky', text: '', count: 2 }],
      });
      assert.deepEqual(await suggest('LU', 1, { statuses: ['sold'] }), {
        ...none,
        names: [{ name: 'Luna', text: 'Luna', count: 1 }],
      });
      assert.deepEqual(await suggest('zofie lu'), {
        ...none,
        names: [{ name: 'LUNA', text: 'zofie LUNA', count: 1 }],
        tags: [{ name: 'lucky', text: 'zofie', count: 1 }],
      });
      // A filter takes the place of all its words.
      assert.deepEqual(await suggest('guinea luna p'), {
        ...none,
        categories: [{ name: 'Guinea pigs', text: 'luna', count: 2 }],
      });
      // By a synonym, and a name with one.
      assert.deepEqual(await suggest('kitten'), {
        ...none,
        names: [{ name: 'Kitten', text: 'Kitten', count: 2 }],
        categories: [{ name: 'Cat', text: '', count: 1 }],
      });
      assert.deepEqual(await suggest('guniea'), await suggest('guinea'), 'corrected');
      assert.deepEqual(await suggest('qqqq'), none);
    });

    void it('reflects a change as soon as it is answered', async (t) => {
      const stores = await openStores(t);
      const ids = (words: string) => findAll(stores, text(words), { limit: 10 });
      await applyOne(stores.pets, putPet({ name: 'First' }, 1n));
      assert.deepEqual(await ids('first'), [1n]);
      await applyEach(stores.pets, [editPet(1n, { name: 'Second' }), editPet(1n, { status: 'sold' })]);
      assert.deepEqual([await ids('first'), await ids('second')], [[], [1n]]);
      await applyEach(stores.pets, [removePet(1n), putPet({ name: 'Third' }, 1n)]);
      assert.deepEqual([await ids('second'), await ids('third')], [[], [1n]]);
      await applyOne(stores.pets, removePet(1n));
      assert.deepEqual(await ids('third'), []);
    });

    void it('counts all matches, however many there are', async (t) => {
      const stores = await openStores(t);
      const pets = Array.from({ length: 2500 }, (_, index) =>
        putPet({ name: `Pet ${index}`, tags: tags('every', `t${index % 2}`), status: 'sold' }),
      );
      await applyEach(stores.pets, pets);
      const total = (asked: Partial<PetCriteria>) => countAll(stores, { ...ALL_PETS, ...asked });
      assert.equal(await total({}), 2500);
      assert.equal(await total({ statuses: ['sold'] }), 2500);
      assert.equal(await total({ statuses: ['none'] }), 0);
      assert.equal(await total({ tags: ['t1'] }), 1250);
      assert.equal(await total({ tags: ['t1', 'every'], tagMatch: 'all' }), 1250);
      assert.equal(await total({ words: ['pet'] }), 2500);
      assert.equal(await total({ words: ['pet', '17'] }), 1 + 10 + 100);
    });

    void it('facets: exact for few matches and for many', async (t) => {
      const stores = await openStores(t);
      const known = new Map<bigint, KnownPet>();
      const changes = Array.from({ length: 4200 }, (_, index) =>
        putPet(
          {
            name: index % 2 === 0 ? 'Rex' : `Rex ${index}`,
            category: { name: `k${index % 3}` },
            tags: tags('every', `t${index % 30}`, ...(index > 4000 ? ['late'] : [])),
            ...(index % 4 > 0 && { status: index % 4 === 1 ? 'sold' : 'available' }),
          },
          BigInt(index + 1),
        ),
      );
      await applyAndRecord(stores, changes, known);
      const pets = [...known.values()];
      const questions: readonly Partial<PetCriteria>[] = [
        {},
        { tags: ['t7'] },
        { tags: ['late', 'every'], tagMatch: 'all' },
        { words: ['4199'] },
        { words: ['r'], tags: ['t7'], statuses: ['sold'], tagMatch: 'all' },
        { words: ['nothing'] },
        { words: ['nothing'], updatedSinceMs: 500 },
        { updatedSinceMs: 2000 },
        { statuses: ['available'] },
        { categories: ['k1', 'k2'] },
        { tags: ['every'], tagMatch: 'all' },
        { words: ['rex'] },
        { words: ['r'], statuses: ['available'], categories: ['k1'], tags: ['every'] },
      ];
      for (const asked of questions) await compareFacets(stores, pets, { ...ALL_PETS, ...asked });
    });

    void it('pages of a long list contain every pet once, in every order', async (t) => {
      const stores = await openStores(t);
      const known = new Map<bigint, KnownPet>();
      const changes = Array.from({ length: 2600 }, (_, index) =>
        putPet(
          { name: index % 3 === 0 ? 'Rex' : `Rex ${(index * 7919) % 2600}`, tags: tags(index % 5 === 0 ? 'a' : 'b') },
          BigInt(((index * 31) % 2600) + 1),
        ),
      );
      await applyAndRecord(stores, changes, known);
      for (const sort of PET_SORTS)
        for (const asked of [{ words: ['rex'] }, { words: ['r', '2'] }, { words: ['rex'], tags: ['a'] }, ...SINCE])
          for (const limit of [1000, 700]) {
            const whole = { ...ALL_PETS, ...asked, sort };
            if (sort === 'relevance' && whole.words.length === 0) continue;
            const found = await findAll(stores, whole, { limit });
            assert.deepEqual(found, findNaively([...known.values()], whole), JSON.stringify(whole));
          }
      assert.deepEqual(
        await findAll(stores, { ...ALL_PETS, sort: 'name' }, { limit: 900 }),
        findNaively([...known.values()], { ...ALL_PETS, sort: 'name' }),
      );
    });

    void it('finds the pets of the lowest and the highest id', async (t) => {
      const stores = await openStores(t);
      const ids = [-(2n ** 63n), 0n, 2n ** 63n - 1n];
      await applyEach(
        stores.pets,
        ids.map((id) => putPet({}, id)),
      );
      assert.deepEqual(await findAll(stores, ALL_PETS, { limit: 1 }), ids);
    });

    void it('equals a scan of all pets, in its order, on pages of any size, during changes', async (t) => {
      const stores = await openStores(t);
      const kept = fc.bigInt({ min: 1n, max: 12n });
      const others = fc.bigInt({ min: 13n, max: 18n });
      const known = new Map<bigint, KnownPet>();
      const property = fc.asyncProperty(
        fc.array(changeOf(kept), { maxLength: 12 }),
        fc.array(criteria, { minLength: 1, maxLength: 4 }),
        fc.array(changeOf(others), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 5 }),
        async (changes, questions, meanwhile, limit) => {
          await applyAndRecord(stores, changes, known);
          for (const asked of questions) {
            const expected = findNaively([...known.values()], asked);
            assert.deepEqual(await findAll(stores, asked, { limit }), expected);
            assert.equal(await countAll(stores, asked), expected.length);
            await compareFacets(stores, [...known.values()], asked);
            await compareSuggestions(stores, [...known.values()], asked, limit);
            const one = meanwhile.values();
            const between = async () => {
              const { value } = one.next();
              if (value !== undefined) await applyAndRecord(stores, [value], known);
            };
            const found = await findAll(stores, asked, { limit, between });
            assert.deepEqual(found.filter(isKept), expected.filter(isKept));
          }
        },
      );
      await fc.assert(property, { numRuns: 80 });
    });

    void it('statistics: totals and daily activity', async (t) => {
      const stores = await openStores(t);
      const day = 86_400_000;
      await applyEach(stores.pets, [
        at(putPet({ category: { name: 'Cats' }, tags: tags('b', 'a', 'a'), status: 'sold' }, 1n), 0),
        at(putPet({ category: { name: 'Cats' }, tags: tags('b', '') }, 2n), day),
        at(putPet({ category: { id: 7n }, tags: tags('c') }, 3n), day),
      ]);
      await applyEach(stores.pets, [
        at(editPet(1n, { status: 'pending' }), day),
        at(editPet(1n, { status: 'pending' }), day),
        at(removePet(3n), day),
        at(putPet({ name: 'Again' }, 3n), 2 * day),
        at(removePet(3n), 2 * day),
      ]);
      const petSearch = petSearchIn(stores, () => 2 * day);
      const { days, ...numbers } = await petSearch.statistics(0, 3 * day);
      assert.deepEqual(numbers, {
        total: 2,
        statuses: [
          { status: 'available', count: 0 },
          { status: 'pending', count: 1 },
          { status: 'sold', count: 0 },
        ],
        withoutStatus: 1,
        categories: [{ name: 'Cats', count: 2 }],
        tags: [
          { name: 'b', count: 2 },
          { name: '', count: 1 },
          { name: 'a', count: 1 },
        ],
        photos: { count: 0, bytes: 0 },
      });
      assert.deepEqual(days, [
        { day: '1970-01-01', added: 1, changed: 0, deleted: 0, adopted: 1 },
        { day: '1970-01-02', added: 2, changed: 1, deleted: 1, adopted: 0 },
        { day: '1970-01-03', added: 1, changed: 0, deleted: 1, adopted: 0 },
        { day: '1970-01-04', added: 0, changed: 0, deleted: 0, adopted: 0 },
      ]);
    });

    void it('statistics: a restore counts as a change, and the pet keeps its place by creation', async (t) => {
      const stores = await openStores(t);
      const newest = () => findAll(stores, { ...ALL_PETS, sort: 'newest' }, { limit: 10 });
      await applyEach(stores.pets, [
        putPet({ name: 'First' }, 1n),
        putPet({ name: 'Second' }, 2n),
        removePet(2n),
        putPet({ name: 'Second again', status: 'sold' }, 2n),
        putPet({ name: 'Third' }, 3n),
      ]);
      assert.deepEqual(await newest(), [3n, 2n, 1n]);
      await applyEach(stores.pets, [removePet(1n), editPet(2n, { name: 'Edited' }), removePet(2n)]);
      await applyEach(stores.pets, [restorePet(1n), restorePet(2n), removePet(2n), restorePet(2n)]);
      assert.deepEqual(await newest(), [3n, 2n, 1n]);
      // All in one transaction.
      await applyAll(stores.pets, [removePet(2n), restorePet(2n), putPet({}, 4n), removePet(4n), restorePet(4n)]);
      assert.deepEqual(await newest(), [4n, 3n, 2n, 1n]);
      const { days } = await petSearchIn(stores, () => STAMP.atMs).statistics(STAMP.atMs, STAMP.atMs);
      assert.deepEqual(
        days.map(({ added, changed, deleted, adopted }) => ({ added, changed, deleted, adopted })),
        [{ added: 5, changed: 6, deleted: 6, adopted: 1 }],
      );
    });

    void it('labels: by use and then by name, in pages, or by a prefix of their words', async (t) => {
      const stores = await openStores(t);
      const labels = ['Big dog', 'big', 'a', 'Zoë', 'dog', 'small dog'];
      await applyEach(
        stores.pets,
        labels.map((name, index) => putPet({ tags: tags(name, ...(index < 3 ? ['dog'] : [])) })),
      );
      const petSearch = petSearchIn(stores);
      const names: string[] = [];
      let after: { name: string; count: number } | undefined;
      do {
        const part = await petSearch.listLabels('tag', [], after, 2);
        names.push(...part.map(({ name }) => name));
        after = part.at(-1);
      } while (after !== undefined);
      assert.deepEqual(names, ['dog', 'Big dog', 'Zoë', 'a', 'big', 'small dog']);
      const begun = async (...words: string[]) =>
        (await petSearch.listLabels('tag', words, undefined, 10)).map(({ name }) => name);
      assert.deepEqual(await begun('do'), ['dog', 'Big dog', 'small dog']);
      assert.deepEqual(await begun('do', 'big'), ['Big dog']);
      assert.deepEqual(await begun('zoe'), ['Zoë']);
      assert.deepEqual(await petSearch.listLabels('category', [], undefined, 10), []);
    });
  });
}
