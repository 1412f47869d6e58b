import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { correctWords } from '../../src/domain/search/corrections.ts';
import type { LabelCount } from '../../src/domain/search/counts.ts';
import { countFacets } from '../../src/domain/search/facets.ts';
import { findMatches, type MatchPosition } from '../../src/domain/search/matches.ts';
import { blocksOf } from '../../src/domain/search/match-blocks.ts';
import { PetIndex } from '../../src/domain/search/pet-index.ts';
import { PET_SORTS, type PetCriteria } from '../../src/domain/search/criteria.ts';
import { traitsOf, type PetTraits } from '../../src/domain/search/pet-traits.ts';
import { petText, recordOf, type PetDetails } from '../../src/domain/pets/pet.ts';
import { profileRecordOf, type Profile } from '../../src/domain/pets/profile.ts';
import { countOf, listOf } from '../../src/domain/search/slots/slots.ts';
import { Vocabulary } from '../../src/domain/search/vocabulary.ts';
import {
  assertFacets,
  FACET_CHOICES,
  findNaively,
  petCriteria,
  petDetails,
  petProfile,
  type KnownPet,
} from '../support/naive-search.ts';
import { ALL_PETS, SYNONYMS, TODAY_MS } from '../support/search.ts';

type PutDetails = Partial<PetDetails> & { name: string; profile?: Profile | null };

const traitsOfKnown = ({ stored, profile }: KnownPet) => traitsOf({ text: stored.text, profile });

function facetsOf(index: PetIndex, asked: PetCriteria) {
  const searched = { ...asked, synonyms: [], todayMs: TODAY_MS };
  return countFacets(index, searched, FACET_CHOICES, (published) => ({ ...searched, published }));
}

/** Applies random changes to an index and to a map. */
class Model {
  index = new PetIndex();
  readonly pets = new Map<bigint, KnownPet>();
  #version = 0n;

  put(id: bigint, { profile = null, ...details }: PutDetails): void {
    const before = this.pets.get(id);
    const version = ++this.#version;
    const text = petText(id, recordOf({ photoUrls: [], tags: [], ...details }));
    const record = profileRecordOf(profile ?? {});
    const isPublication = before?.stored.isDraft === true && !record.isDraft;
    const addedVersion = isPublication ? version : (before?.addedVersion ?? version);
    const added = { addedVersion, changedAtMs: Number(version) };
    const now = { stored: { id, version, text, isDraft: record.isDraft }, profile: record.text, ...added };
    this.index.put({ id, version, ...added, traits: traitsOfKnown(now) }, before && traitsOfKnown(before));
    this.pets.set(id, now);
  }

  delete(id: bigint): void {
    const before = this.pets.get(id);
    if (before === undefined) return;
    this.index.delete(id, traitsOfKnown(before));
    this.pets.delete(id);
  }

  find(criteria: PetCriteria): readonly bigint[] {
    return findNaively([...this.pets.values()], criteria, new Map());
  }

  /** Compares all facets with searches for each value. */
  assertFacets(asked: PetCriteria): void {
    const facets = facetsOf(this.index, asked);
    assertFacets(facets, asked, (criteria) => this.find(criteria).length);
    const listed = new Set(facets.tags.map(({ name }) => name));
    assert.deepEqual(
      asked.tags.filter((tag) => !listed.has(tag)),
      [],
    );
  }
}

/** Compares the blocks of all matches with pages of the same length. */
function assertBlocks(index: PetIndex, criteria: PetCriteria, length: number): void {
  const asked = { ...criteria, sort: 'id', synonyms: [], todayMs: TODAY_MS } as const;
  let after: MatchPosition | undefined;
  for (const block of blocksOf(index, asked, length)) {
    const { matches } = findMatches(index, asked, after, length);
    assert.deepEqual(block, {
      firstId: matches[0]?.id,
      lastId: matches.at(-1)?.id,
      count: matches.length,
      version: matches.reduce((highest, { version }) => (version > highest ? version : highest), 0n),
      changedAtMs: Math.max(...matches.map(({ changedAtMs }) => changedAtMs)),
    });
    after = matches.at(-1);
  }
  assert.equal(findMatches(index, asked, after, 1).matches.length, 0, 'no match after the last block');
}

function findAll(index: PetIndex, criteria: PetCriteria, limit: number): { ids: bigint[]; totals: Set<number> } {
  const ids: bigint[] = [];
  const totals = new Set<number>();
  let after: MatchPosition | undefined;
  do {
    const page = findMatches(index, { ...criteria, synonyms: [], todayMs: TODAY_MS }, after, limit);
    ids.push(...page.matches.map(({ id }) => id));
    totals.add(page.total);
    after = page.hasMore ? page.matches.at(-1) : undefined;
  } while (after !== undefined);
  return { ids, totals };
}

const detailsWithProfile = fc.tuple(petDetails, petProfile).map(([details, profile]) => ({ ...details, profile }));

const changes = fc.array(
  fc.tuple(fc.bigInt({ min: -(2n ** 63n), max: 12n }).map(nearSmall), fc.option(detailsWithProfile, { freq: 4 })),
  { maxLength: 60 },
);
/** Few ids, so that pets are replaced, some of them of 64 bits. */
function nearSmall(id: bigint): bigint {
  return id < 0n ? 2n ** 63n - 1n - (-id % 4n) : id;
}

function build(model: Model, list: readonly (readonly [bigint, Parameters<Model['put']>[1] | null])[]): void {
  for (const [id, now] of list)
    if (now === null) model.delete(id);
    else model.put(id, now);
}

const detailsOf = (n: number) => ({
  name: `Pet ${(n * 7919) % 5003}`,
  category: { name: `c${n % 3}` },
  tags: [{ name: `t${n % 50}` }],
  ...(n % 2 === 0 && { status: 'sold' as const }),
});

void describe('pet index', () => {
  void it('search: finds the same pets in the same order as a look at each pet, on pages of any size', () => {
    const property = fc.property(
      changes,
      fc.array(petCriteria, { minLength: 1, maxLength: 5 }),
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
          assertBlocks(model.index, asked, limit);
        }
        assert.equal(model.index.count, model.pets.size);
      },
    );
    fc.assert(property, { numRuns: 400 });
  });

  void it('facets: counts the pets that each value would match', () => {
    const property = fc.property(changes, petCriteria, (list, asked) => {
      const model = new Model();
      build(model, list);
      model.assertFacets(asked);
    });
    fc.assert(property, { numRuns: 200 });
  });

  void it('thousands of pets, added in any order, replaced and deleted: found in each order, with exact totals and facets', () => {
    const model = new Model();
    for (let n = 0; n < 5000; n++) model.put(BigInt((n * 3001) % 5000), detailsOf(n));
    for (let n = 0; n < 5000; n += 3) model.delete(BigInt(n));
    for (let n = 0; n < 5000; n += 7) model.put(BigInt(n), detailsOf(n + 1));
    const asked: readonly Partial<PetCriteria>[] = [
      {},
      { statuses: ['sold'] },
      { words: ['pet', '1'] },
      { tags: ['t7'] },
      { categories: ['c1'], updatedSinceMs: 4000 },
    ];
    for (const each of asked) {
      for (const sort of PET_SORTS) {
        const whole = { ...ALL_PETS, ...each, sort };
        const expected = model.find(whole);
        const { ids, totals } = findAll(model.index, whole, 900);
        assert.deepEqual(ids, expected, JSON.stringify(whole));
        assert.deepEqual([...totals], [expected.length]);
      }
      model.assertFacets({ ...ALL_PETS, ...each });
    }
    assert.equal(facetsOf(model.index, ALL_PETS).tags.length, 50);
  });

  void it('built from pets by ascending id: has them in each order', async () => {
    const index = new PetIndex();
    const count = 40_000;
    for (let n = 0; n < count; n++) {
      // Versions and names in another order than the ids. Each name begins with one of two words, so that beginnings
      // are equal.
      const version = BigInt(((n * 7919) % count) + 1);
      const name = `Beginning${n % 2} ${(n * 3001) % count}`;
      const traits = { name, categoryName: null, tagNames: [], status: null };
      index.append({ id: BigInt(n), version, addedVersion: version, changedAtMs: n, traits });
    }
    let pauses = 0;
    await index.complete(async () => void pauses++);
    assert.ok(pauses > 10);
    const numbers = (asked: Partial<PetCriteria>, limit: number) =>
      findMatches(index, { ...ALL_PETS, ...asked, synonyms: [], todayMs: TODAY_MS }, undefined, limit).matches.map(
        ({ id }) => Number(id),
      );
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
      findMatches(index, { ...ALL_PETS, sort: 'newest', synonyms: [], todayMs: TODAY_MS }, undefined, 10).matches.map(
        ({ id }) => id,
      );
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
    for (let n = 1; n <= 40; n++) model.put(BigInt(n), { name: `Rex ${n % 10}` });
    for (const sort of PET_SORTS) {
      const met: bigint[] = [];
      let after: MatchPosition | undefined;
      let next = 100n;
      do {
        const page = findMatches(
          model.index,
          { ...ALL_PETS, words: ['rex'], sort, synonyms: [], todayMs: TODAY_MS },
          after,
          3,
        );
        met.push(...page.matches.map(({ id }) => id).filter((id) => id <= 40n));
        after = page.hasMore ? page.matches.at(-1) : undefined;
        model.put(next++, { name: 'Rex 5' });
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
    const names = ['Bella', 'Bella', 'Bello', 'Labrador', 'Rex', '猫', '12a'];
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
      ['rxe', 'rex'],
      ['rox', 'rox'],
      ['21a', '21a'],
      ['dgos', 'dogs'],
    ];
    for (const [typed, word] of corrected)
      assert.deepEqual(correctWords(index, SYNONYMS, [typed, 'rex'], undefined), [word, 'rex'], typed);
  });
});
