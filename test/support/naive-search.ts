import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { AGE_GROUPS, type AgeGroup } from '../../src/domain/search/ages.ts';
import { COMPANIONS, FACT_FILTERS, type Companion } from '../../src/domain/search/facts.ts';
import type { LabelCount } from '../../src/domain/search/counts.ts';
import type { FacetChoices, PetFacets } from '../../src/domain/search/facets.ts';
import { wordsOf } from '../../src/domain/search/words.ts';
import { PET_SORTS, STATUS_FILTERS, type PetCriteria } from '../../src/domain/search/criteria.ts';
import { PET_STATUSES, readPetText, type Pet, type PetDetails, type StoredPet } from '../../src/domain/pets/pet.ts';
import {
  COATS,
  readProfileText,
  SEXES,
  SIZES,
  SPECIES,
  type Profile,
  type Species,
} from '../../src/domain/pets/profile.ts';
import { SYNONYMS, TODAY_MS } from './search.ts';

/* The search as a plain loop over all pets: the reference for the search index. */

export interface KnownPet {
  stored: StoredPet;
  profile: string | null;
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

/** On both sides of each limit of dogs and small furry pets on the day of tests, 31 August. */
const BIRTH_DATES = [
  '2026-08-31',
  '2026-07-01',
  '2026-06-30',
  '2026-03-01',
  '2026-02-28',
  '2024-09-01',
  '2024-08-31',
  '2023-08-31',
  '2018-09-01',
  '2018-08-31',
  '1968-02-29',
];
const INTAKE_DATES = ['1969-12-31', '2026-01-01', '2026-01-02', '2026-08-31'];
const BREEDS = ['Cat', 'Boxer', 'Zoo animals', 'éclair'];
const OWN_VALUES = ['a', 'b:c', 'true'];

/** Few values, so that several pets have the same. Null for a pet without a profile. */
export const petProfile: fc.Arbitrary<Profile | null> = fc.option(
  fc.record(
    {
      species: fc.constantFrom('dog', 'cat', 'small-furry'),
      breedPrimary: fc.constantFrom(...BREEDS),
      breedSecondary: fc.constantFrom(...BREEDS),
      sex: fc.constantFrom(...SEXES),
      size: fc.constantFrom('S', 'L'),
      birthDate: fc.constantFrom(...BIRTH_DATES),
      intakeDate: fc.constantFrom(...INTAKE_DATES),
      location: fc.constantFrom('east', 'west'),
      goodWithDogs: fc.boolean(),
      goodWithCats: fc.boolean(),
      isPublished: fc.boolean(),
      own: fc.record(
        { kind: fc.constantFrom(...OWN_VALUES), chipped: fc.boolean(), toString: fc.boolean() },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ),
  { freq: 3 },
);

/** Questions about these pets. */
export const petCriteria: fc.Arbitrary<PetCriteria> = fc
  .record({
    words: fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 2 }),
    statuses: fc.uniqueArray(fc.constantFrom(...STATUS_FILTERS), { maxLength: 4 }),
    categories: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 2 }),
    tags: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 2 }),
    tagMatch: fc.constantFrom('any', 'all'),
    breeds: rarely(fc.constantFrom(...BREEDS)),
    facts: fc.record({
      species: rarely(fc.constantFrom(...SPECIES)),
      sex: rarely(fc.constantFrom(...SEXES)),
      size: rarely(fc.constantFrom(...SIZES)),
      coat: fc.constant([]),
      location: rarely(fc.constantFrom('east', 'west', 'nowhere')),
    }),
    ages: rarely(fc.constantFrom(...AGE_GROUPS)),
    goodWith: rarely(fc.constantFrom(...COMPANIONS)),
    own: rarely(fc.constantFrom('kind', 'chipped', 'toString')).chain((keys) =>
      fc.tuple(
        ...keys.map((key) =>
          fc.uniqueArray(fc.constantFrom(...OWN_VALUES), { minLength: 1 }).map((values) => ({ key, values })),
        ),
      ),
    ),
    published: fc.constantFrom(undefined, undefined, undefined, true, false),
    updatedSinceMs: fc.constantFrom(undefined, undefined, 20, 4000),
    sort: fc.constantFrom(...PET_SORTS),
  })
  .map((asked) => {
    const isIncomplete =
      (asked.sort === 'relevance' && asked.words.length === 0) ||
      (asked.sort === 'location' && asked.facts.location.length === 0);
    return { ...asked, sort: isIncomplete ? 'id' : asked.sort };
  });

/** The choices of these pets. */
export const FACET_CHOICES: FacetChoices = {
  facts: { species: SPECIES, sex: SEXES, size: SIZES, coat: COATS, location: ['east', 'west'] },
  own: [
    { key: 'kind', values: OWN_VALUES },
    { key: 'chipped', values: ['true', 'false'] },
    { key: 'toString', values: ['true', 'false'] },
  ],
};

/** Mostly none: with all conditions at once, no pet would match. */
function rarely<T>(values: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant<T[]>([]) },
    { weight: 1, arbitrary: fc.uniqueArray(values, { maxLength: 2 }) },
  );
}

/** Whether everyone sees the pet. */
export function isPublished(known: KnownPet): boolean {
  return petOf(known).profile.isPublished !== false;
}

/** The ages in months from which a pet belongs to the next group, as documented. */
const AGE_LIMITS: Readonly<Record<Species | 'none', readonly number[]>> = {
  dog: [6, 24, 96],
  cat: [6, 24, 120],
  rabbit: [4, 12, 60],
  'small-furry': [2, 6, 36],
  horse: [12, 48, 216],
  bird: [3, 12, 120],
  'reptile-other': [12, 36, 180],
  barnyard: [6, 24, 120],
  none: [6, 24, 96],
};

/**
 * Counts the months since the birth as people do: a month is over on the same day of the next one, or after its end.
 */
export function ageOf({ birthDate, species }: Profile, today: string): AgeGroup | undefined {
  if (birthDate === undefined) return undefined;
  const [year = 0, month = 0, day = 0] = birthDate.split('-').map(Number);
  const [thisYear = 0, thisMonth = 0, thisDay = 0] = today.split('-').map(Number);
  const months = 12 * (thisYear - year) + thisMonth - month - (thisDay < day ? 1 : 0);
  return AGE_GROUPS[AGE_LIMITS[species ?? 'none'].filter((limit) => months >= limit).length];
}

/** The ids of the matches, in their order. */
export function findNaively(pets: readonly KnownPet[], criteria: PetCriteria, synonyms = SYNONYMS): readonly bigint[] {
  const found = pets
    .map((known) => ({ ...known, pet: petOf(known) }))
    .filter((known) => isFound(known, criteria, synonyms));
  const inOrder = found.toSorted((a, b) => {
    if (criteria.sort === 'longest-stay') {
      const [one = '9999', other = '9999'] = [a.pet.profile.intakeDate, b.pet.profile.intakeDate];
      if (one !== other) return one < other ? -1 : 1;
    }
    if (criteria.sort === 'newest') return Number(b.addedVersion - a.addedVersion);
    if (criteria.sort === 'location') {
      const places = criteria.facts.location;
      const placeOf = ({ pet }: typeof a) =>
        (places.indexOf(pet.profile.location ?? '') + places.length + 1) % (places.length + 1);
      if (placeOf(a) !== placeOf(b)) return placeOf(a) - placeOf(b);
      return Number(b.addedVersion - a.addedVersion);
    }
    if (criteria.sort === 'status' || criteria.sort === 'species') {
      const difference = placeIn(criteria.sort, a.pet) - placeIn(criteria.sort, b.pet);
      if (difference !== 0) return difference;
    }
    if (criteria.sort === 'name' || criteria.sort === 'status' || criteria.sort === 'species') {
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

/** The pets without a status or species come last. */
function placeIn(sort: 'status' | 'species', { status, profile }: WholePet): number {
  if (sort === 'status') return STATUS_FILTERS.indexOf(status ?? 'none');
  return profile.species === undefined ? SPECIES.length : SPECIES.indexOf(profile.species);
}

/** Compares each facet with searches for its values. @param count the number of matches of a search */
export function assertFacets(
  facets: Omit<PetFacets, 'published'> & Partial<Pick<PetFacets, 'published'>>,
  asked: PetCriteria,
  count: (criteria: PetCriteria) => number,
): void {
  const assertEach = (facet: readonly LabelCount[], changeTo: (name: never) => Partial<PetCriteria>) => {
    for (const { name, count: counted } of facet)
      assert.equal(
        counted,
        count({ ...asked, sort: 'id', ...changeTo(name as never) }),
        JSON.stringify({ asked, name }),
      );
  };
  const statuses = facets.statuses.map(({ status, count: counted }) => ({ name: status, count: counted }));
  assertEach(statuses, (name) => ({ statuses: [name] }));
  assertEach(facets.categories, (name) => ({ categories: [name] }));
  assertEach(facets.tags, (name) => ({ tags: asked.tagMatch === 'all' ? [...asked.tags, name] : [name] }));
  assertEach(facets.breeds, (name) => ({ breeds: [name] }));
  assertEach(facets.ages, (name) => ({ ages: [name] }));
  assertEach(facets.goodWith, (name) => ({ goodWith: [...asked.goodWith, name] }));
  for (const fact of FACT_FILTERS)
    assertEach(facets.facts[fact], (name) => ({ facts: { ...asked.facts, [fact]: [name] } }));
  for (const { key, values } of facets.own) {
    const others = asked.own.filter((own) => own.key !== key);
    assertEach(values, (name) => ({ own: [...others, { key, values: [name] }] }));
  }
  assertEach(facets.published ?? [], (name) => ({ published: name === 'true' }));
}

function distinct(values: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== undefined).toSorted();
}

/** The names of a facet that must be listed: those that pets have, and the selected ones. */
export function valuesOf(pets: readonly KnownPet[]) {
  const all = pets.map(petOf);
  const today = new Date(TODAY_MS).toISOString().slice(0, 10);
  return {
    categories: distinct(all.map(({ category }) => category?.name)),
    tags: distinct(all.flatMap(({ tags }) => tags.map(({ name }) => name))),
    breeds: distinct(all.flatMap(breedsOf)),
    ages: distinct(all.map(({ profile }) => ageOf(profile, today))),
    species: distinct(all.map(({ profile }) => profile.species)),
    locations: distinct(all.map(({ profile }) => profile.location)),
  };
}

/** The suggestions for the last word, each counted by a search for it. Names are words without case and accents. */
export function suggestNaively(pets: readonly KnownPet[], criteria: PetCriteria, limit: number) {
  const asked = { ...criteria, sort: 'id' } as const;
  const [last = '', ...reversed] = asked.words.toReversed();
  const others = reversed.toReversed();
  const beside = new Set(findNaively(pets, { ...asked, words: others }));
  const all = pets.map(petOf);
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
  const breeds = new Set(all.flatMap(breedsOf).filter(isSuggested));
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
    breeds: mostOf(
      [...breeds].map((name) => label(name, { breeds: [name] })),
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
  { pet, changedAtMs }: KnownPet & { pet: WholePet },
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
    (updatedSinceMs === undefined || changedAtMs >= updatedSinceMs) &&
    hasProfile(pet, criteria)
  );
}

interface WholePet extends Pet {
  profile: Profile;
}

/** Most of the time of a search would be spent on parsing. */
const wholePets = new WeakMap<KnownPet, WholePet>();

function petOf(known: KnownPet): WholePet {
  const parsed = wholePets.get(known);
  if (parsed !== undefined) return parsed;
  const pet = { ...readPetText(known.stored.text), profile: readProfileText(known.profile) };
  wholePets.set(known, pet);
  return pet;
}

function breedsOf({ profile }: WholePet): readonly string[] {
  return [profile.breedPrimary, profile.breedSecondary].filter((breed) => breed !== undefined);
}

const COMPANION_FIELDS: Readonly<Record<Companion, keyof Profile>> = {
  children: 'goodWithChildren',
  dogs: 'goodWithDogs',
  cats: 'goodWithCats',
  others: 'goodWithOthers',
};

function isOneOf(values: readonly string[], value: string | number | boolean | undefined): boolean {
  return values.length === 0 || (value !== undefined && values.includes(`${value}`));
}

function hasProfile(pet: WholePet, { breeds, facts, ages, goodWith, own, published }: PetCriteria): boolean {
  const { profile } = pet;
  const age = ageOf(profile, new Date(TODAY_MS).toISOString().slice(0, 10));
  const ownOf = new Map(Object.entries(profile.own ?? {}));
  return (
    (breeds.length === 0 || breedsOf(pet).some((breed) => breeds.includes(breed))) &&
    FACT_FILTERS.every((name) => isOneOf(facts[name], profile[name])) &&
    isOneOf(ages, age) &&
    goodWith.every((companion) => profile[COMPANION_FIELDS[companion]] === true) &&
    own.every(({ key, values }) => isOneOf(values, ownOf.get(key))) &&
    (published === undefined || published === (profile.isPublished !== false))
  );
}

function wordsOfPet(pet: WholePet): readonly string[] {
  return [pet.name, ...labelsOf(pet)].flatMap(wordsOf);
}

/** Whether one of the labels is a synonym. */
function hasSynonym(labels: readonly string[], word: string, synonyms = SYNONYMS): boolean {
  const names = synonyms.get(word) ?? [];
  return labels.some((label) => names.includes(wordsOf(label).join(' ')));
}

function labelsOf(pet: WholePet): readonly string[] {
  const { category, tags } = pet;
  return [category?.name, ...tags.map(({ name }) => name), ...breedsOf(pet)].filter((name) => name !== undefined);
}

function classOf(pet: WholePet, words: readonly string[]): number {
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
