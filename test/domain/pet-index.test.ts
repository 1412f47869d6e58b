import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { correctWords } from '../../src/domain/search/corrections.ts';
import type { LabelCount } from '../../src/domain/search/counts.ts';
import { countFacets, findMatches, type MatchPosition } from '../../src/domain/search/matches.ts';
import { PetIndex } from '../../src/domain/search/pet-index.ts';
import { PET_SORTS, STATUS_FILTERS, type PetCriteria } from '../../src/domain/search/criteria.ts';
import type { PetTraits } from '../../src/domain/search/traits.ts';
import { countOf, listOf } from '../../src/domain/search/slots.ts';
import { Vocabulary } from '../../src/domain/search/vocabulary.ts';
import { wordsOf } from '../../src/domain/search/words.ts';
import { ALL_PETS, SYNONYMS } from '../support/search.ts';

const LABELS = ['cat', 'Cat', 'Zoo animals', 'éclair', '猫'];
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
  'Zoe',
  'éclair',
];
const WORDS = ['zo', 'zof', 'zofie', 'cat', 'c', 'strasse', '猫', 'an', 'e', '7', 'nothing'];

interface Known {
  id: bigint;
  version: bigint;
  addedVersion: bigint;
  changedAtMs: number;
  traits: PetTraits;
}

/** Applies random changes to an index and to a map. */
class Model {
  index = new PetIndex();
  readonly pets = new Map<bigint, Known>();
  #version = 0n;

  put(id: bigint, traits: PetTraits): void {
    const before = this.pets.get(id);
    const version = ++this.#version;
    const pet = { id, version, addedVersion: before?.addedVersion ?? version, changedAtMs: Number(version), traits };
    this.index.put(pet, before?.traits);
    this.pets.set(id, pet);
  }

  delete(id: bigint): void {
    const before = this.pets.get(id);
    if (before === undefined) return;
    this.index.delete(id, before.traits);
    this.pets.delete(id);
  }

  find(criteria: PetCriteria): readonly bigint[] {
    const found = [...this.pets.values()].filter((pet) => isMatch(pet, criteria));
    const { sort, words } = criteria;
    return found
      .toSorted((a, b) => {
        if (sort === 'newest') return Number(b.addedVersion - a.addedVersion);
        if (sort === 'name' && keyOf(a) !== keyOf(b)) return keyOf(a) < keyOf(b) ? -1 : 1;
        if (sort === 'relevance') return classOf(a, words) - classOf(b, words) || compareIds(a, b);
        return compareIds(a, b);
      })
      .map(({ id }) => id);
  }
}

function compareIds(a: Known, b: Known): number {
  return a.id < b.id ? -1 : 1;
}

function keyOf({ traits }: Known): string {
  return wordsOf(traits.name).join('-') || '-';
}

function isMatch({ traits, changedAtMs }: Known, criteria: PetCriteria): boolean {
  const { words, statuses, categories, tags, tagMatch, updatedSinceMs } = criteria;
  const own = [traits.name, traits.categoryName ?? '', ...traits.tagNames].flatMap(wordsOf);
  const hasTag = (tag: string) => traits.tagNames.includes(tag);
  return (
    words.every((word) => own.some((candidate) => candidate.startsWith(word))) &&
    (statuses.length === 0 || statuses.includes(traits.status ?? 'none')) &&
    (categories.length === 0 || categories.includes(traits.categoryName ?? '-')) &&
    (tags.length === 0 || (tagMatch === 'all' ? tags.every(hasTag) : tags.some(hasTag))) &&
    (updatedSinceMs === undefined || changedAtMs >= updatedSinceMs)
  );
}

function classOf({ traits }: Known, words: readonly string[]): number {
  const own = wordsOf(traits.name);
  if (words.every((word) => own.includes(word))) return 1;
  return words.every((word) => own.some((candidate) => candidate.startsWith(word))) ? 2 : 3;
}

function findAll(index: PetIndex, criteria: PetCriteria, limit: number): { ids: bigint[]; totals: Set<number> } {
  const ids: bigint[] = [];
  const totals = new Set<number>();
  let after: MatchPosition | undefined;
  do {
    const page = findMatches(index, { ...criteria, synonyms: [] }, after, limit);
    ids.push(...page.matches.map(({ id }) => id));
    totals.add(page.total);
    after = page.hasMore ? page.matches.at(-1) : undefined;
  } while (after !== undefined);
  return { ids, totals };
}

const traits: fc.Arbitrary<PetTraits> = fc.record({
  name: fc.constantFrom(...NAMES),
  categoryName: fc.constantFrom(...LABELS, null),
  tagNames: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 3 }),
  status: fc.constantFrom('available', 'pending', 'sold', null),
});
const changes = fc.array(
  fc.tuple(fc.bigInt({ min: -(2n ** 63n), max: 12n }).map(nearSmall), fc.option(traits, { freq: 4 })),
  { maxLength: 60 },
);
const criteria: fc.Arbitrary<PetCriteria> = fc
  .record({
    words: fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 2 }),
    statuses: fc.uniqueArray(fc.constantFrom(...STATUS_FILTERS), { maxLength: 4 }),
    categories: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 2 }),
    tags: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 2 }),
    tagMatch: fc.constantFrom('any', 'all'),
    updatedSinceMs: fc.constantFrom(undefined, undefined, 20),
    sort: fc.constantFrom(...PET_SORTS),
  })
  .map((asked) => ({ ...asked, sort: asked.sort === 'relevance' && asked.words.length === 0 ? 'id' : asked.sort }));

/** Few ids, so that pets are replaced, some of them of 64 bits. */
function nearSmall(id: bigint): bigint {
  return id < 0n ? 2n ** 63n - 1n - (-id % 4n) : id;
}

function build(model: Model, list: readonly (readonly [bigint, PetTraits | null])[]): void {
  for (const [id, now] of list)
    if (now === null) model.delete(id);
    else model.put(id, now);
}

function traitsOf(n: number): PetTraits {
  return {
    name: `Pet ${(n * 7919) % 5003}`,
    categoryName: `c${n % 3}`,
    tagNames: [`t${n % 50}`],
    status: n % 2 === 0 ? 'sold' : null,
  };
}

void describe('pet index', () => {
  void it('search: finds the same pets in the same order as a look at each pet, on pages of any size', () => {
    const property = fc.property(
      changes,
      fc.array(criteria, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      (list, questions, limit, isReloaded) => {
        const model = new Model();
        build(model, list.slice(0, list.length / 2));
        if (isReloaded) model.index = new PetIndex(structuredClone(model.index.toData()));
        build(model, list.slice(list.length / 2));
        for (const asked of questions) {
          const expected = model.find(asked);
          const { ids, totals } = findAll(model.index, asked, limit);
          assert.deepEqual(ids, expected, JSON.stringify(asked));
          assert.deepEqual([...totals], [expected.length]);
        }
        assert.equal(model.index.count, model.pets.size);
      },
    );
    fc.assert(property, { numRuns: 400 });
  });

  void it('facets: counts the pets that each value would match', () => {
    const property = fc.property(changes, criteria, (list, asked) => {
      const model = new Model();
      build(model, list);
      const { statuses, categories, tags } = countFacets(model.index, { ...asked, synonyms: [] });
      const count = (change: Partial<PetCriteria>) => model.find({ ...asked, sort: 'id', ...change }).length;
      for (const { status, count: counted } of statuses) assert.equal(counted, count({ statuses: [status] }));
      for (const { name, count: counted } of categories) assert.equal(counted, count({ categories: [name] }));
      for (const { name, count: counted } of tags) {
        const wanted = asked.tagMatch === 'all' ? [...asked.tags, name] : [name];
        assert.equal(counted, count({ tags: wanted }));
      }
      assert.deepEqual(
        asked.tags.filter((tag) => !tags.some(({ name }) => name === tag)),
        [],
      );
    });
    fc.assert(property, { numRuns: 200 });
  });

  void it('orders: keeps thousands of pets that are added in any order, replaced and deleted', () => {
    const model = new Model();
    for (let n = 0; n < 5000; n++) model.put(BigInt((n * 3001) % 5000), traitsOf(n));
    for (let n = 0; n < 5000; n += 3) model.delete(BigInt(n));
    for (let n = 0; n < 5000; n += 7) model.put(BigInt(n), traitsOf(n + 1));
    const asked: readonly Partial<PetCriteria>[] = [
      {},
      { statuses: ['sold'] },
      { words: ['pet', '1'] },
      { tags: ['t7'] },
      { categories: ['c1'], updatedSinceMs: 4000 },
    ];
    for (const sort of PET_SORTS.filter((each) => each !== 'relevance'))
      for (const each of asked) {
        const whole = { ...ALL_PETS, ...each, sort };
        assert.deepEqual(findAll(model.index, whole, 900).ids, model.find(whole), JSON.stringify(whole));
      }
  });

  void it('built from pets by ascending id: has them in each order', async () => {
    const index = new PetIndex();
    const count = 40_000;
    for (let n = 0; n < count; n++) {
      // Versions and names in another order than the ids. Each name begins with one of two words, so that beginnings are equal.
      const version = BigInt(((n * 7919) % count) + 1);
      const name = `Beginning${n % 2} ${(n * 3001) % count}`;
      const traits = { name, categoryName: null, tagNames: [], status: null };
      index.append({ id: BigInt(n), version, addedVersion: version, changedAtMs: n, traits });
    }
    let pauses = 0;
    await index.complete(async () => void pauses++);
    assert.ok(pauses > 10);
    const numbers = (asked: Partial<PetCriteria>, limit: number) =>
      findMatches(index, { ...ALL_PETS, ...asked, synonyms: [] }, undefined, limit).matches.map(({ id }) => Number(id));
    const byVersion = Array.from({ length: count }, (_, n) => n).toSorted(
      (a, b) => ((b * 7919) % count) - ((a * 7919) % count),
    );
    assert.deepEqual(numbers({ sort: 'newest' }, count), byVersion);
    const keyOfNumber = (n: number) => `beginning${n % 2}-${(n * 3001) % count}`;
    const byName = Array.from({ length: count }, (_, n) => ({ n, key: keyOfNumber(n) }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ n }) => n);
    assert.deepEqual(numbers({ sort: 'name' }, count), byName);
  });

  void it('words: finds a prefix of 150,000 words', () => {
    const vocabulary = new Vocabulary();
    const count = 150_000;
    for (let slot = 0; slot < count; slot++) vocabulary.replace([], [`tag${slot}`], slot);
    assert.equal(countOf(vocabulary.withPrefix('tag')), count);
    assert.deepEqual([...listOf(vocabulary.withPrefix('tag12345'))].slice(0, 3), [12_345, 123_450, 123_451]);
  });

  void it('labels: lists those with the words, the most used first, then by name, also on pages', () => {
    const index = new PetIndex();
    const labels = ['Zoo cats', 'cats', 'cat food', 'dog', 'Zoo dogs'];
    for (let n = 0; n < 30; n++) {
      const traits = { name: 'Rex', categoryName: null, tagNames: [labels[n % 5] ?? ''], status: null };
      index.put({ id: BigInt(n), version: 1n, addedVersion: 1n, changedAtMs: 0, traits }, undefined);
      // The tag of some pets is deleted again, with its words if it was the last one.
      if (n < 5 || n % 10 === 3) index.delete(BigInt(n), traits);
    }
    const list = (words: readonly string[], after?: LabelCount, limit = 99) =>
      index.labels.tag.list(words, after, limit).map(({ name, count }) => `${name} ${count}`);
    assert.deepEqual(list([]), ['Zoo cats 5', 'Zoo dogs 5', 'cat food 5', 'cats 5', 'dog 3']);
    assert.deepEqual(list([], { name: 'Zoo dogs', count: 5 }, 2), ['cat food 5', 'cats 5']);
    assert.deepEqual(list([], { name: 'deleted by now', count: 4 }), ['dog 3']);
    assert.deepEqual(list(['zo', 'c']), ['Zoo cats 5']);
    assert.deepEqual(list(['dog']), ['Zoo dogs 5', 'dog 3']);
    assert.deepEqual(list(['dog', 'nothing']), []);
  });

  void it('order of the newest: a replaced pet keeps its place, and leaves it when it is deleted', () => {
    const index = new PetIndex();
    const traits = { name: 'Rex', categoryName: null, tagNames: [], status: null };
    const put = (id: bigint, version: bigint, before?: PetTraits) =>
      index.put({ id, version, addedVersion: version, changedAtMs: 0, traits }, before);
    const newest = () =>
      findMatches(index, { ...ALL_PETS, sort: 'newest', synonyms: [] }, undefined, 10).matches.map(({ id }) => id);
    for (const id of [1n, 2n, 3n]) put(id, id);
    // The source of changes gives another version for a pet that is deleted by now.
    put(1n, 4n, traits);
    assert.deepEqual(newest(), [3n, 2n, 1n]);
    index.delete(1n, traits);
    assert.deepEqual(newest(), [3n, 2n]);
    put(4n, 6n);
    assert.deepEqual(newest(), [4n, 3n, 2n]);
  });

  void it('pages: a pet that stays is met once while others come and go', () => {
    const model = new Model();
    for (let n = 1; n <= 40; n++)
      model.put(BigInt(n), { name: `Rex ${n % 10}`, categoryName: null, tagNames: [], status: null });
    for (const sort of PET_SORTS) {
      const met: bigint[] = [];
      let after: MatchPosition | undefined;
      let next = 100n;
      do {
        const page = findMatches(model.index, { ...ALL_PETS, words: ['rex'], sort, synonyms: [] }, after, 3);
        met.push(...page.matches.map(({ id }) => id).filter((id) => id <= 40n));
        after = page.hasMore ? page.matches.at(-1) : undefined;
        model.put(next++, { name: 'Rex 5', categoryName: null, tagNames: [], status: null });
        model.delete(next - 2n);
      } while (after !== undefined);
      assert.deepEqual(
        met.toSorted((a, b) => Number(a - b)),
        Array.from({ length: 40 }, (_, n) => BigInt(n + 1)),
        sort,
      );
    }
  });

  void it('corrections: replace an unknown word by the most similar one of the most pets', () => {
    const index = new PetIndex();
    const names = ['Bella', 'Bella', 'Bello', 'Labrador', 'Rex', '猫'];
    names.forEach((name, n) =>
      index.put(
        {
          id: BigInt(n),
          version: BigInt(n),
          addedVersion: BigInt(n),
          changedAtMs: 0,
          traits: { name, categoryName: 'Dogs', tagNames: ['friendly'], status: null },
        },
        undefined,
      ),
    );
    const corrected: readonly (readonly [typed: string, corrected: string])[] = [
      ['bella', 'bella'],
      ['bel', 'bel'],
      ['blla', 'bella'],
      ['beella', 'bella'],
      ['eblla', 'bella'],
      ['bellx', 'bella'],
      ['belxo', 'bello'],
      ['labardor', 'labrador'],
      ['lbradro', 'lbradro'],
      ['lbradorr', 'labrador'],
      ['frendly', 'friendly'],
      ['rx', 'rx'],
      ['rxe', 'rxe'],
      ['dgos', 'dogs'],
    ];
    for (const [typed, word] of corrected)
      assert.deepEqual(correctWords(index, SYNONYMS, [typed, 'rex']), [word, 'rex'], typed);
  });
});
