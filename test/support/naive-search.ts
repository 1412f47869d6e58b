import * as fc from 'fast-check';
import { wordsOf } from '../../src/domain/search/words.ts';
import { PET_SORTS, STATUS_FILTERS, type PetCriteria } from '../../src/domain/search/criteria.ts';
import { PET_STATUSES, readPetText, type Pet, type PetDetails, type StoredPet } from '../../src/domain/pets/pet.ts';
import { SYNONYMS } from './search.ts';

/* The search as a plain loop over all pets: the reference for the search index. */

export interface KnownPet {
  stored: StoredPet;
  addedVersion: bigint;
  changedAtMs: number;
}

/** Names that differ in case, accents and scripts. */
export const PET_NAMES = [
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
const WORDS = ['zo', 'zof', 'zofie', 'cat', 'c', 'strasse', '猫', 'an', 'e', '7', 'nothing', 'kitten', 'bunny'];

/** Few names and labels, so that several pets have the same. */
export const petDetails: fc.Arbitrary<Partial<PetDetails> & { name: string }> = fc.record(
  {
    name: fc.constantFrom(...PET_NAMES),
    category: fc.constantFrom(...LABELS, undefined).map((name) => (name === undefined ? {} : { name })),
    tags: fc.array(
      fc.constantFrom(...LABELS).map((name) => ({ name })),
      { maxLength: 3 },
    ),
    status: fc.constantFrom(...PET_STATUSES),
  },
  { requiredKeys: ['name'] },
);

/** Questions about these pets. */
export const petCriteria: fc.Arbitrary<PetCriteria> = fc
  .record({
    words: fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 2 }),
    statuses: fc.uniqueArray(fc.constantFrom(...STATUS_FILTERS), { maxLength: 4 }),
    categories: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 2 }),
    tags: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 2 }),
    tagMatch: fc.constantFrom('any', 'all'),
    updatedSinceMs: fc.constantFrom(undefined, undefined, 20, 4000),
    sort: fc.constantFrom(...PET_SORTS),
  })
  .map((asked) => ({ ...asked, sort: asked.sort === 'relevance' && asked.words.length === 0 ? 'id' : asked.sort }));

/** The ids of the matches, in their order. */
export function findNaively(pets: readonly KnownPet[], criteria: PetCriteria, synonyms = SYNONYMS): readonly bigint[] {
  const found = pets
    .map((known) => ({ ...known, pet: readPetText(known.stored.text) }))
    .filter((known) => isFound(known, criteria, synonyms));
  const inOrder = found.toSorted((a, b) => {
    if (criteria.sort === 'newest') return Number(b.addedVersion - a.addedVersion);
    if (criteria.sort === 'name') {
      const difference = Buffer.compare(Buffer.from(keyOf(a.pet)), Buffer.from(keyOf(b.pet)));
      if (difference !== 0) return difference;
    }
    if (criteria.sort === 'relevance') {
      const difference = classOf(a.pet, criteria.words) - classOf(b.pet, criteria.words);
      if (difference !== 0) return difference;
    }
    return a.pet.id < b.pet.id ? -1 : 1;
  });
  return inOrder.map(({ pet }) => pet.id);
}

/** The suggestions for the last word, each counted by a search for it. Names are words without case and accents. */
export function suggestNaively(pets: readonly KnownPet[], criteria: PetCriteria, limit: number) {
  const asked = { ...criteria, sort: 'id' } as const;
  const [last = '', ...reversed] = asked.words.toReversed();
  const others = reversed.toReversed();
  const beside = new Set(findNaively(pets, { ...asked, words: others }));
  const all = pets.map(({ stored }) => readPetText(stored.text));
  const words = all.filter(({ id }) => beside.has(id)).map(({ name }) => [...new Set(wordsOf(name))]);
  const suggest = (name: string, text: readonly string[], change: Partial<PetCriteria>) => ({
    name,
    text: text.join(' '),
    count: findNaively(pets, { ...asked, words: text, ...change }).length,
  });
  const label = (name: string, change: Partial<PetCriteria>) =>
    suggest(
      name,
      others.filter((word) => !begin([word], wordsOf(name))),
      change,
    );
  const isSuggested = (name: string) => begin([last], wordsOf(name)) || hasSynonym([name], last);
  const tagsWith = (name: string) => (asked.tagMatch === 'all' ? [...asked.tags, name] : [name]);
  const categories = new Set(all.map(({ category }) => category?.name ?? '').filter(isSuggested));
  const tags = new Set(all.flatMap((pet) => pet.tags.map(({ name }) => name ?? '')).filter(isSuggested));
  return {
    // Chosen by the number of names with the whole word.
    names: mostOf(countEach(words.flat().filter((word) => word.startsWith(last) && !others.includes(word))), limit)
      .map(({ name }) => suggest(name, [...others, name], {}))
      .toSorted(byCount),
    categories: mostOf(
      [...categories].map((name) => label(name, { categories: [name] })),
      limit,
    ),
    tags: mostOf(
      [...tags].map((name) => label(name, { tags: tagsWith(name) })),
      limit,
    ),
  };
}

interface Counted {
  name: string;
  count: number;
}

function countEach(names: readonly string[]): readonly Counted[] {
  return [...Map.groupBy(names, (name) => name)].map(([name, same]) => ({ name, count: same.length }));
}

function mostOf<T extends Counted>(counted: readonly T[], limit: number): readonly T[] {
  return counted
    .filter(({ count }) => count > 0)
    .toSorted(byCount)
    .slice(0, limit);
}

function byCount(a: Counted, b: Counted): number {
  return b.count - a.count || (a.name < b.name ? -1 : 1);
}

function isFound(
  { pet, changedAtMs }: KnownPet & { pet: Pet },
  criteria: PetCriteria,
  synonyms: typeof SYNONYMS,
): boolean {
  const { words, statuses, categories, tags, tagMatch, updatedSinceMs } = criteria;
  const own = new Set(pet.tags.map(({ name }) => name));
  const hasTag = (tag: string) => own.has(tag);
  return (
    words.every((word) => begin([word], wordsOfPet(pet)) || hasSynonym(labelsOf(pet), word, synonyms)) &&
    (statuses.length === 0 || statuses.includes(pet.status ?? 'none')) &&
    (categories.length === 0 || (pet.category?.name !== undefined && categories.includes(pet.category.name))) &&
    (tags.length === 0 || (tagMatch === 'all' ? tags.every(hasTag) : tags.some(hasTag))) &&
    (updatedSinceMs === undefined || changedAtMs >= updatedSinceMs)
  );
}

function wordsOfPet(pet: Pet): readonly string[] {
  return [pet.name, ...labelsOf(pet)].flatMap(wordsOf);
}

/** Whether one of the labels is a synonym. */
function hasSynonym(labels: readonly string[], word: string, synonyms = SYNONYMS): boolean {
  const names = synonyms.get(word) ?? [];
  return labels.some((label) => names.includes(wordsOf(label).join(' ')));
}

function labelsOf({ category, tags }: Pet): readonly string[] {
  return [category?.name, ...tags.map(({ name }) => name)].filter((name) => name !== undefined);
}

function classOf(pet: Pet, words: readonly string[]): number {
  const own = wordsOf(pet.name);
  if (words.every((word) => own.includes(word))) return 1;
  if (begin(words, own)) return 2;
  return begin(words, wordsOfPet(pet)) ? 3 : 4;
}

function begin(words: readonly string[], own: readonly string[]): boolean {
  return words.every((word) => own.some((candidate) => candidate.startsWith(word)));
}

function keyOf({ name }: Pet): string {
  return wordsOf(name).join('-') || '-';
}
