import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { Total } from '../../src/domain/search/counts.ts';
import { PetSearch, type SearchPage } from '../../src/domain/search/pet-search.ts';
import type { Place } from '../../src/domain/search/ports.ts';
import { PET_SORTS, STATUS_FILTERS, type PetQuestion, type StatusFilter } from '../../src/domain/search/question.ts';
import { traitsOfText } from '../../src/domain/search/tokens.ts';
import { wordsOf } from '../../src/domain/search/words.ts';
import type { Actor } from '../../src/domain/access.ts';
import { PET_STATUSES, type PetDetails } from '../../src/domain/pets/pet.ts';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import type { DatabaseStores } from '../../src/domain/stores.ts';
import { STAMP, applyAll, applyEach, applyOne, editPet, putPet, removePet, restorePet } from '../support/changes.ts';
import { findNaively, type KnownPet } from '../support/naive-finding.ts';
import type { OpenStores } from './store-suite.ts';

const ANYBODY: Actor = { kind: 'anonymous', address: '127.0.0.1' };
const ALL: PetQuestion = {
  words: [],
  statuses: [],
  categories: [],
  tags: [],
  tagMatch: 'any',
  updatedSinceMs: undefined,
  sort: 'id',
};

/** Many, though nobody has counted them: then an engine walks in the order, instead of sorting what was found. */
const MANY: Total = { count: 5000, exact: false };

const find = (stores: DatabaseStores, question: PetQuestion, part: SearchPage) =>
  new PetSearch({ ...stores, clock: Date.now }).search(ANYBODY, question, part);

/** The ids on all pages; between two of them, something may happen. */
async function findAll(
  stores: DatabaseStores,
  question: PetQuestion,
  { limit, total, between }: { limit: number; total?: Total | undefined; between?: () => Promise<unknown> },
): Promise<bigint[]> {
  const ids: bigint[] = [];
  let after: Place | undefined;
  do {
    const page = await find(stores, question, { after, total, limit });
    ids.push(...page.pets.map(({ id }) => id));
    after = page.last;
    await between?.();
  } while (after !== undefined);
  return ids;
}

/** Of what is changed at 1000. */
const SINCE = [
  { updatedSinceMs: 500 },
  { updatedSinceMs: 500, words: ['r', '2'] },
  { updatedSinceMs: 2000, words: ['r'] },
];

const text = (words: string, other: Partial<PetQuestion> = {}): PetQuestion => ({
  ...ALL,
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
const WORDS = ['zo', 'zofie', 'cat', 'c', 'strasse', '猫', 'an', 'e', '7', 'nothing'];

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

const question: fc.Arbitrary<PetQuestion> = fc
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

/** How many pets there would be with a choice, by looking at all of them. */
function countNaively(pets: readonly KnownPet[], asked: PetQuestion) {
  const beside = (change: Partial<PetQuestion>) => {
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

/** Each number that is told, and what it really is. */
async function compareChoices(stores: DatabaseStores, pets: readonly KnownPet[], asked: PetQuestion) {
  const petSearch = new PetSearch({ ...stores, clock: Date.now });
  const { statuses, categories, tags } = await petSearch.facets(ANYBODY, asked);
  const naive = countNaively(pets, asked);
  const compared = [
    ...statuses.map(({ status, ...told }) => ({ ...told, choice: status as string, real: naive.status(status) })),
    ...categories.map(({ name, ...told }) => ({ ...told, choice: name, real: naive.category(name) })),
    ...tags.map(({ name, ...told }) => ({ ...told, choice: name, real: naive.tag(name) })),
  ];
  for (const each of compared)
    assert.ok(each.exact ? each.count === each.real : each.count <= each.real, JSON.stringify([asked, each]));
  return compared;
}

/** What is there, by what the changes answered. */
async function applyNoting(
  stores: DatabaseStores,
  changes: readonly PetChange[],
  known: Map<bigint, KnownPet>,
): Promise<void> {
  const outcomes = await applyAll(stores.pets, changes);
  for (const [index, outcome] of outcomes.entries()) {
    const change = changes[index];
    if (outcome instanceof Error || change === undefined) continue;
    if (change.kind === 'remove') known.delete(outcome.id);
    else {
      const before = known.get(outcome.id);
      if (before?.stored.version === outcome.version) continue;
      const addedVersion = before?.addedVersion ?? outcome.version;
      known.set(outcome.id, { stored: outcome, addedVersion, changedAtMs: change.stamp.atMs });
    }
  }
}

export function describeFinding(openStores: OpenStores): void {
  void describe('finding', () => {
    void it('finds what people type: beginnings of words, without regard to case and accents, best first', async (t) => {
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
      assert.deepEqual(await ids('ofie'), []);
    });

    void it('finds a pet as it is the moment its change is answered', async (t) => {
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

    void it('counts exactly where it can, and says so where it does not', async (t) => {
      const stores = await openStores(t);
      const pets = Array.from({ length: 2500 }, (_, index) =>
        putPet({ name: `Pet ${index}`, tags: tags('every', `t${index % 2}`), status: 'sold' }),
      );
      await applyEach(stores.pets, pets);
      const total = async (asked: Partial<PetQuestion>) =>
        (await find(stores, { ...ALL, ...asked }, { after: undefined, total: undefined, limit: 1 })).total;
      assert.deepEqual(await total({}), { count: 2500, exact: true });
      assert.deepEqual(await total({ statuses: ['sold'] }), { count: 2500, exact: true });
      assert.deepEqual(await total({ statuses: ['none'] }), { count: 0, exact: true });
      assert.deepEqual(await total({ tags: ['t1'] }), { count: 1250, exact: true });
      assert.deepEqual(await total({ tags: ['t1', 'every'], tagMatch: 'all' }), { count: 1250, exact: true });
      assert.deepEqual(await total({ words: ['pet'] }), { count: 2000, exact: false });
      assert.deepEqual(await total({ words: ['pet', '17'] }), { count: 1 + 10 + 100, exact: true });
    });

    void it('counts choices exactly among few and of what is kept, and tells no number too high', async (t) => {
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
      await applyNoting(stores, changes, known);
      const pets = [...known.values()];
      const inexact = async (asked: Partial<PetQuestion>) =>
        (await compareChoices(stores, pets, { ...ALL, ...asked })).filter(({ exact }) => !exact);
      const few: readonly Partial<PetQuestion>[] = [
        {},
        { tags: ['t7'] },
        { tags: ['late', 'every'], tagMatch: 'all' },
        { words: ['4199'] },
        { words: ['r'], tags: ['t7'], statuses: ['sold'], tagMatch: 'all' },
        { words: ['nothing'] },
        { words: ['nothing'], updatedSinceMs: 500 },
        { updatedSinceMs: 2000 },
      ];
      for (const asked of few) assert.deepEqual(await inexact(asked), [], JSON.stringify(asked));
      const many: readonly Partial<PetQuestion>[] = [
        { statuses: ['available'] },
        { categories: ['k1', 'k2'] },
        { tags: ['every'], tagMatch: 'all' },
        { words: ['rex'] },
        { words: ['r'], statuses: ['available'], categories: ['k1'], tags: ['every'] },
      ];
      for (const asked of many) {
        const common = (await inexact(asked)).filter(({ real }) => real > 300);
        // Of what many have, some are met.
        assert.ok(common.length > 0 && common.every(({ count }) => count > 10), JSON.stringify([asked, common]));
      }
      // The numbers of a kind from which alone something is chosen are kept.
      const kept = (await inexact({ statuses: ['available'] })).filter(({ choice }) => /sold|available/.test(choice));
      assert.deepEqual(kept, []);
    });

    void it('meets every pet once on all pages of a long list, in every order, whichever way it is found', async (t) => {
      const stores = await openStores(t);
      const known = new Map<bigint, KnownPet>();
      const changes = Array.from({ length: 2600 }, (_, index) =>
        putPet(
          { name: index % 3 === 0 ? 'Rex' : `Rex ${(index * 7919) % 2600}`, tags: tags(index % 5 === 0 ? 'a' : 'b') },
          BigInt(((index * 31) % 2600) + 1),
        ),
      );
      await applyNoting(stores, changes, known);
      for (const sort of PET_SORTS)
        for (const asked of [{ words: ['rex'] }, { words: ['r', '2'] }, { words: ['rex'], tags: ['a'] }, ...SINCE])
          for (const [limit, total] of [
            [1000, MANY],
            [700, undefined],
          ] as const) {
            const whole = { ...ALL, ...asked, sort };
            if (sort === 'relevance' && whole.words.length === 0) continue;
            const found = await findAll(stores, whole, { limit, total });
            assert.deepEqual(found, findNaively([...known.values()], whole), JSON.stringify(whole));
          }
      assert.deepEqual(
        await findAll(stores, { ...ALL, sort: 'name' }, { limit: 900 }),
        findNaively([...known.values()], { ...ALL, sort: 'name' }),
      );
    });

    void it('finds what a look at every pet would find, in its order, on pages of any size, while others change', async (t) => {
      const stores = await openStores(t);
      const kept = fc.bigInt({ min: 1n, max: 12n });
      const others = fc.bigInt({ min: 13n, max: 18n });
      const known = new Map<bigint, KnownPet>();
      const property = fc.asyncProperty(
        fc.array(changeOf(kept), { maxLength: 12 }),
        fc.array(question, { minLength: 1, maxLength: 4 }),
        fc.array(changeOf(others), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(undefined, MANY),
        async (changes, questions, meanwhile, limit, total) => {
          await applyNoting(stores, changes, known);
          for (const asked of questions) {
            const expected = findNaively([...known.values()], asked);
            assert.deepEqual(await findAll(stores, asked, { limit, total }), expected);
            if (total === undefined) {
              const page = await find(stores, asked, { after: undefined, total, limit });
              assert.deepEqual(page.total, { count: expected.length, exact: true });
            }
            const choices = await compareChoices(stores, [...known.values()], asked);
            assert.ok(choices.every(({ exact }) => exact));
            const one = meanwhile.values();
            const between = async () => {
              const { value } = one.next();
              if (value !== undefined) await applyNoting(stores, [value], known);
            };
            const found = await findAll(stores, asked, { limit, total, between });
            assert.deepEqual(found.filter(isKept), expected.filter(isKept));
          }
        },
      );
      await fc.assert(property, { numRuns: 80 });
    });

    void it('keeps the numbers of what there is, and of what happened', async (t) => {
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
      const petSearch = new PetSearch({ ...stores, clock: () => 2 * day });
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
        pictures: { count: 0, bytes: 0 },
      });
      assert.deepEqual(days, [
        { day: '1970-01-01', added: 1, changed: 0, removed: 0, adopted: 1 },
        { day: '1970-01-02', added: 2, changed: 1, removed: 1, adopted: 0 },
        { day: '1970-01-03', added: 1, changed: 0, removed: 1, adopted: 0 },
        { day: '1970-01-04', added: 0, changed: 0, removed: 0, adopted: 0 },
      ]);
    });

    void it('counts the restore of a deleted pet as a change, and leaves the pet at its place by addition', async (t) => {
      const stores = await openStores(t);
      const newest = () => findAll(stores, { ...ALL, sort: 'newest' }, { limit: 10 });
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
      const { days } = await new PetSearch({ ...stores, clock: () => STAMP.atMs }).statistics(STAMP.atMs, STAMP.atMs);
      assert.deepEqual(
        days.map(({ added, changed, removed, adopted }) => ({ added, changed, removed, adopted })),
        [{ added: 5, changed: 6, removed: 6, adopted: 1 }],
      );
    });

    void it('lists labels by use and then by name, part by part, and those with words that begin so', async (t) => {
      const stores = await openStores(t);
      const labels = ['Big dog', 'big', 'a', 'Zoë', 'dog', 'small dog'];
      await applyEach(
        stores.pets,
        labels.map((name, index) => putPet({ tags: tags(name, ...(index < 3 ? ['dog'] : [])) })),
      );
      const petSearch = new PetSearch({ ...stores, clock: Date.now });
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
