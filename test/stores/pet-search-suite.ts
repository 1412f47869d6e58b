import assert from 'node:assert/strict';
import { describe } from 'node:test';
import * as fc from 'fast-check';
import type { Actor } from '../../src/domain/access.ts';
import type { Organisation } from '../../src/domain/organisation/organisation.ts';
import type { OwnField } from '../../src/domain/organisation/own-field.ts';
import type { SiteRecordKind } from '../../src/domain/organisation/ports.ts';
import type { LabelCount } from '../../src/domain/search/counts.ts';
import type { PetCriteria } from '../../src/domain/search/criteria.ts';
import type { MatchPosition } from '../../src/domain/search/matches.ts';
import { traitsOf } from '../../src/domain/search/pet-traits.ts';
import { wordsOf } from '../../src/domain/search/words.ts';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { STAMP, applyAll, applyEach, editPet, putPet, removePet, restorePet } from '../support/changes.ts';
import {
  assertFacets,
  findNaively,
  isPublished,
  PET_NAMES,
  petCriteria,
  petDetails,
  petProfile,
  suggestNaively,
  valuesOf,
  type KnownPet,
} from '../support/naive-search.ts';
import { ALL_PETS, ANYONE, petSearchIn, STAFF } from '../support/search.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

/** The ids on all pages, with an optional action between pages. */
async function findAll(
  stores: DatabaseStores,
  criteria: PetCriteria,
  { limit, between, actor = STAFF }: { limit: number; between?: () => Promise<unknown>; actor?: Actor },
): Promise<bigint[]> {
  const ids: bigint[] = [];
  let after: MatchPosition | undefined;
  do {
    const page = await petSearchIn(stores).search(actor, criteria, { after, limit });
    ids.push(...page.pets.map(({ id }) => id));
    after = page.last;
    await between?.();
  } while (after !== undefined);
  return ids;
}

async function countAll(stores: DatabaseStores, criteria: PetCriteria, actor: Actor): Promise<number> {
  return (await petSearchIn(stores).search(actor, criteria, { after: undefined, limit: 1 })).total;
}

const text = (words: string, other: Partial<PetCriteria> = {}): PetCriteria => ({
  ...ALL_PETS,
  words: wordsOf(words),
  sort: 'relevance',
  ...other,
});

const isKept = (id: bigint) => id <= 12n;

const at = (change: PetChange, atMs: number): PetChange => ({ ...change, stamp: { ...STAMP, atMs } });

const tags = (...names: string[]) => names.map((name) => ({ name }));

const changeOf = (id: fc.Arbitrary<bigint>): fc.Arbitrary<PetChange> =>
  fc
    .tuple(
      fc.oneof(
        { weight: 4, arbitrary: fc.tuple(petDetails, id).map(([pet, petId]) => putPet(pet, petId)) },
        {
          weight: 1,
          arbitrary: fc.tuple(fc.constantFrom(...PET_NAMES), id).map(([name, petId]) => editPet(petId, { name })),
        },
        {
          weight: 3,
          arbitrary: fc
            .tuple(petProfile, id)
            .map(([profile, petId]) => editPet(petId, { profile: { replacedBy: profile ?? {} } })),
        },
        { weight: 1, arbitrary: id.map((petId) => removePet(petId)) },
      ),
      fc.integer({ min: 1, max: 9 }),
    )
    .map(([change, time]) => ({ ...change, stamp: { ...STAMP, atMs: time * 1000 } }));

const traitsOfKnown = ({ stored, profile }: KnownPet) => traitsOf({ text: stored.text, profile });

interface Question {
  actor: Actor;
  asked: PetCriteria;
  /** The pets that the actor sees. */
  pets: readonly KnownPet[];
}

const namesOf = (facet: readonly LabelCount[]) => facet.map(({ name }) => name).toSorted();

const withSelected = (values: readonly string[], selected: readonly string[]) =>
  [...new Set([...values, ...selected])].toSorted();

/** Compares each facet count with the true number, and the values with those of the pets. */
async function compareFacets(stores: DatabaseStores, { actor, asked, pets }: Question): Promise<void> {
  const facets = await petSearchIn(stores).facets(actor, asked);
  assertFacets(facets, asked, (criteria) => findNaively(pets, criteria).length);
  assert.equal(facets.published === undefined, actor === ANYONE);
  // A filter by drafts limits what is listed.
  if (asked.published !== undefined) return;
  const { categories, tags, breeds, ages, facts } = facets;
  const { species, location } = asked.facts;
  const used = valuesOf(pets);
  assert.deepEqual(namesOf(categories), withSelected(used.categories, asked.categories));
  assert.deepEqual(namesOf(tags), withSelected(used.tags, asked.tags));
  assert.deepEqual(namesOf(breeds), withSelected(used.breeds, asked.breeds));
  assert.deepEqual(namesOf(ages), withSelected(used.ages, asked.ages));
  assert.deepEqual(namesOf(facts.species), withSelected(used.species, species));
  assert.deepEqual(namesOf(facts.location), withSelected(used.locations, location));
}

/** Compares the suggestions with searches for each. */
async function compareSuggestions(
  stores: DatabaseStores,
  { actor, asked, pets }: Question,
  limit: number,
): Promise<void> {
  if (asked.words.length === 0) return;
  const { names, ...labels } = await petSearchIn(stores).suggest(actor, asked, limit);
  const folded = names.map(({ name, text, count }) => ({
    name: wordsOf(name).join(),
    text: wordsOf(text).join(' '),
    count,
  }));
  const naive = suggestNaively(pets, asked, limit);
  assert.deepEqual({ names: folded, ...labels }, naive, JSON.stringify(asked));
  const spelled = pets.flatMap((pet) => traitsOfKnown(pet).name.split(/[ -]/));
  for (const { name } of names)
    assert.ok(spelled.includes(name) || /^\p{Script=Han}|^\p{Script=Katakana}/u.test(name), name);
}

/** Defines the own fields and the locations of profiles. */
async function defineChoices({ siteRecords }: DatabaseStores): Promise<void> {
  const label = { en: 'Label', de: 'Name' };
  const fields: readonly OwnField[] = [
    { key: 'kind', type: 'choice', label, isPublic: true, choices: ['a', 'b:c', 'true'].map((value) => ({ value })) },
    { key: 'chipped', type: 'yes-no-unknown', label, isPublic: true },
    { key: 'toString', type: 'yes-no-unknown', label, isPublic: true },
    { key: 'secret', type: 'yes-no-unknown', label, isPublic: false },
    { key: 'note', type: 'text', label, isPublic: true },
  ];
  const organisation: Organisation = { locations: ['east', 'west'].map((id) => ({ id, name: id })) };
  const put = (record: SiteRecordKind, value: unknown) =>
    siteRecords.apply({
      kind: 'put',
      record,
      text: JSON.stringify(value),
      precondition: undefined,
      action: `${record}.changed`,
      stamp: STAMP,
    });
  await put('own-fields', fields);
  await put('organisation', organisation);
}

/** A question of those who may change pets, and the same question of everyone. */
function questionsOf(asked: PetCriteria, known: readonly KnownPet[]): readonly Question[] {
  const published = { ...asked, published: undefined };
  return [
    { actor: STAFF, asked, pets: known },
    { actor: ANYONE, asked: published, pets: known.filter(isPublished) },
  ];
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
      const isPublication = before?.stored.isDraft === true && !outcome.isDraft;
      const addedVersion = isPublication ? outcome.version : (before?.addedVersion ?? outcome.version);
      known.set(outcome.id, {
        stored: outcome,
        profile: outcome.profile.text,
        addedVersion,
        changedAtMs: change.stamp.atMs,
      });
    }
  }
}

export function describePetSearch(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('search', () => {
    test('matches prefixes of words, without case and accents, best first', async (stores) => {
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

    test('corrects a word that no pet has, and tells which', async (stores) => {
      await applyEach(stores.pets, [
        putPet({ name: 'Žofie' }, 1n),
        putPet({ name: 'Rex', tags: tags('friendly') }, 2n),
      ]);
      const search = async (words: string) => {
        const { pets, total, correctedWords } = await petSearchIn(stores).search(STAFF, text(words), {
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

    test('synonyms: match categories and tags, after the pets with the word, and are reported', async (stores) => {
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
        const { total, synonyms, correctedWords } = await petSearchIn(stores).search(STAFF, asked, {
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
      const { categories } = await petSearchIn(stores).facets(STAFF, text('kitten'));
      assert.deepEqual(categories, [{ name: 'Cats', count: 2 }]);
    });

    test('facets: drafts and others are counted with the words that a search for them has', async (stores) => {
      const draft = { profile: { replacedBy: { isPublished: false } } };
      await applyEach(stores.pets, [
        putPet({ name: 'Tom', category: { name: 'Cats' } }, 1n),
        putPet({ name: 'Kittens' }, 2n),
        editPet(1n, draft),
      ]);
      const petSearch = petSearchIn(stores);
      for (const words of ['kitten', 'kittesn', 'tmo'])
        for (const published of [undefined, true, false]) {
          const facets = await petSearch.facets(STAFF, text(words, { published }));
          for (const { name, count } of facets.published ?? []) {
            const found = await countAll(stores, text(words, { published: name === 'true' }), STAFF);
            assert.equal(count, found, JSON.stringify({ words, published, name }));
          }
        }
    });

    test('suggestions: complete the last word by names, categories and tags, with the totals of a search', async (stores) => {
      await applyEach(stores.pets, [
        putPet({ name: 'Žofie LUNA', tags: tags('lucky') }, 1n),
        putPet({ name: 'Luna', category: { name: 'Guinea pigs' }, status: 'sold' }, 2n),
        putPet({ name: 'Lunara', category: { name: 'Guinea pigs' }, tags: tags('lucky') }, 3n),
        putPet({ name: 'Kitten', category: { name: 'Dogs' } }, 4n),
        putPet({ name: 'Tom', category: { name: 'Cat' } }, 5n),
      ]);
      const suggest = (words: string, limit = 5, other: Partial<PetCriteria> = {}) =>
        petSearchIn(stores).suggest(STAFF, text(words, other), limit);
      const none = { names: [], categories: [], tags: [], breeds: [] };
      assert.deepEqual(await suggest('lu'), {
        // As the name of the pet with the lowest ID is spelled.
        names: [
          { name: 'LUNA', text: 'LUNA', count: 3 },
          { name: 'Lunara', text: 'Lunara', count: 1 },
        ],
        categories: [],
        tags: [{ name: 'lucky', text: '', count: 2 }],
        breeds: [],
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

    test('finds the pets of the lowest and the highest id', async (stores) => {
      const ids = [-(2n ** 63n), 0n, 2n ** 63n - 1n];
      await applyEach(
        stores.pets,
        ids.map((id) => putPet({}, id)),
      );
      assert.deepEqual(await findAll(stores, ALL_PETS, { limit: 1 }), ids);
    });

    test('equals a scan of all pets, in its order, on pages of any size, during changes', async (stores) => {
      const kept = fc.bigInt({ min: 1n, max: 12n });
      const others = fc.bigInt({ min: 13n, max: 18n });
      const known = new Map<bigint, KnownPet>();
      await defineChoices(stores);
      const property = fc.asyncProperty(
        fc.array(changeOf(kept), { maxLength: 12 }),
        fc.array(petCriteria, { minLength: 1, maxLength: 4 }),
        fc.array(changeOf(others), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 5 }),
        async (changes, questions, meanwhile, limit) => {
          await applyAndRecord(stores, changes, known);
          for (const asked of questions) {
            const expected = findNaively([...known.values()], asked);
            for (const question of questionsOf(asked, [...known.values()])) {
              const { actor, pets } = question;
              const ids = findNaively(pets, question.asked);
              assert.deepEqual(await findAll(stores, question.asked, { limit, actor }), ids);
              assert.equal(await countAll(stores, question.asked, actor), ids.length);
              await compareFacets(stores, question);
              await compareSuggestions(stores, question, limit);
            }
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

    test('statistics: totals and daily activity', async (stores) => {
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
      const { days, ...numbers } = await petSearch.statistics(STAFF, 0, 3 * day);
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

    test('statistics: a restore counts as a change, and the pet keeps its place by creation', async (stores) => {
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
      const { days } = await petSearchIn(stores, () => STAMP.atMs).statistics(STAFF, STAMP.atMs, STAMP.atMs);
      assert.deepEqual(
        days.map(({ added, changed, deleted, adopted }) => ({ added, changed, deleted, adopted })),
        [{ added: 5, changed: 6, deleted: 6, adopted: 1 }],
      );
    });
  });
}
