import { SPECIES, type Species } from '../pets/profile.ts';
import { STATUS_FILTERS, type PetCriteria } from './criteria.ts';
import { companionKey, DRAFT, factKey, FACT_FILTERS, HAS_INTAKE_DATE, ownKey } from './facts.ts';
import type { Order, PetIndex, Place } from './pet-index.ts';
import type { WordSynonyms } from './synonyms.ts';
import { countOf, difference, intersectionOf, unionOf, type Slots } from './slots/slots.ts';

/** The criteria of a search as it is made. `published` is true for an author who does not see drafts. */
export interface SearchedCriteria extends PetCriteria {
  synonyms: readonly WordSynonyms[];
  /** See `SearchScope`. */
  todayMs: number;
}

/** A pet that matches, and its position in every order. */
export interface Match extends Place {
  /** The version of the pet in the index. */
  version: bigint;
  changedAtMs: number;
  /** The class of the match, from 0; only in the orders by relevance, status, species and location. */
  rank: number;
}

export interface MatchPage {
  matches: readonly Match[];
  hasMore: boolean;
  total: number;
}

/** Where a page begins: after this match, which may be deleted by now. */
export type MatchPosition = Omit<Match, 'version' | 'changedAtMs'>;

/** @returns the matches in the order of the criteria, after a position, `limit` at most */
export function findMatches(
  index: PetIndex,
  criteria: SearchedCriteria,
  after: MatchPosition | undefined,
  limit: number,
): MatchPage {
  const matches = matchesOf(index, criteria);
  const total = matches === undefined ? index.count : countOf(matches);
  // One more shows whether there is a next page.
  const slots = rankedPage(index, criteria, matches, after, limit + 1);
  return {
    matches: slots.slice(0, limit).map(({ slot, rank }) => ({
      ...index.placeOf(slot),
      version: index.versionOf(slot),
      changedAtMs: index.changedAtMsOf(slot),
      rank,
    })),
    hasMore: slots.length > limit,
    total,
  };
}

/** The pets that have all words; undefined for all pets, if there are no words. */
export function allOf(index: PetIndex, { words, synonyms }: SearchedCriteria): Slots | undefined {
  return intersectionOf(words.map((word) => slotsOfWord(index, synonyms, word)));
}

/** The pets with a word that begins so, or with one of its synonyms as label. */
export function slotsOfWord(index: PetIndex, synonyms: readonly WordSynonyms[], word: string): Slots {
  const names = synonyms.find((each) => each.word === word)?.names ?? [];
  const withNames = names.flatMap((name) => index.allLabels().map((labels) => labels.get(name)));
  return unionOf([index.withPrefix(word), ...withNames]);
}

/** The pets that a criteria matches; undefined for all pets, if it has no conditions. */
export function matchesOf(
  index: PetIndex,
  criteria: SearchedCriteria,
  withWords = allOf(index, criteria),
): Slots | undefined {
  const { statuses, categories, tags, tagMatch, updatedSinceMs, published } = criteria;
  const tagSets = tags.map((name) => index.labels.tag.get(name));
  const matches = intersectionOf([
    ...anyOf(statuses.map((status) => index.statuses.get(status))),
    ...anyOf(categories.map((name) => index.labels.category.get(name))),
    ...(tagMatch === 'all' ? tagSets : anyOf(tagSets)),
    ...profileSetsOf(index, criteria),
    ...(withWords === undefined ? [] : [withWords]),
    ...(updatedSinceMs === undefined ? [] : [index.changedSince(updatedSinceMs)]),
    ...(published === false ? [index.facts.get(DRAFT)] : []),
  ]);
  const hidden = index.hidden(published);
  return hidden === undefined ? matches : index.without(matches, hidden);
}

/** The pets with each condition on profiles. */
function profileSetsOf(index: PetIndex, criteria: SearchedCriteria): readonly Slots[] {
  const { breeds, facts, ages, goodWith, own, todayMs } = criteria;
  const ageSets = ages.length === 0 ? undefined : index.ageSets(todayMs);
  return [
    ...anyOf(breeds.map((name) => index.labels.breed.get(name))),
    ...FACT_FILTERS.flatMap((name) => anyOf(facts[name].map((value) => index.facts.get(factKey(name, value))))),
    ...(ageSets === undefined ? [] : anyOf(ages.map((group) => ageSets[group]))),
    ...goodWith.map((companion) => index.facts.get(companionKey(companion))),
    ...own.flatMap(({ key, values }) => anyOf(values.map((value) => index.facts.get(ownKey(key, value))))),
  ];
}

function anyOf(sets: readonly Slots[]): Slots[] {
  return sets.length === 0 ? [] : [unionOf(sets)];
}

interface RankedSlot {
  slot: number;
  rank: number;
}

function rankedPage(
  index: PetIndex,
  criteria: SearchedCriteria,
  matches: Slots | undefined,
  after: MatchPosition | undefined,
  limit: number,
): readonly RankedSlot[] {
  const { sort } = criteria;
  if (sort === 'status') return pageOfClasses(index, 'name', statusClassesOf(index, matches), after, limit);
  if (sort === 'species') return pageOfClasses(index, 'name', speciesClassesOf(index, matches), after, limit);
  if (sort === 'location')
    return pageOfClasses(index, 'newest', locationClassesOf(index, criteria, matches), after, limit);
  if (sort === 'relevance' && matches !== undefined)
    return pageOfClasses(index, 'id', relevanceClassesOf(index, criteria, matches), after, limit);
  const slots =
    sort === 'longest-stay'
      ? pageByStay(index, matches, after, limit)
      : pageInOrder(index, sort === 'relevance' ? 'id' : sort, matches, after, limit);
  return slots.map((slot) => ({ slot, rank: 0 }));
}

/** The pets without an intake date come last, by id. */
function pageByStay(
  index: PetIndex,
  matches: Slots | undefined,
  after: Place | undefined,
  limit: number,
): readonly number[] {
  const dated = index.facts.get(HAS_INTAKE_DATE);
  const isPast = after?.intakeDay === 0;
  const page = isPast ? [] : pageOfDated(index, matches, after, limit);
  if (page.length === limit) return page;
  const others = index.facts.has(HAS_INTAKE_DATE) ? index.without(matches, dated) : matches;
  return [...page, ...pageInOrder(index, 'id', others, isPast ? after : undefined, limit - page.length)];
}

function pageOfDated(index: PetIndex, matches: Slots | undefined, after: Place | undefined, limit: number): number[] {
  const isBefore = (slot: number) => {
    if (after === undefined) return false;
    const difference = index.intakeDayOf(slot) - after.intakeDay;
    return difference < 0 || (difference === 0 && index.idOf(slot) <= after.id);
  };
  const dated = matches && intersectionOf([matches, index.facts.get(HAS_INTAKE_DATE)]);
  return index.byStay.page(dated, isBefore, limit);
}

function pageInOrder(
  index: PetIndex,
  order: Order,
  matches: Slots | undefined,
  after: Place | undefined,
  limit: number,
): readonly number[] {
  const isBefore = after === undefined ? () => false : notAfter(index, order, after);
  return index.orders[order].page(matches, isBefore, limit);
}

function notAfter(index: PetIndex, order: Order, place: Place): (slot: number) => boolean {
  if (order === 'name') return index.createNameCheck(place);
  if (order === 'id') return (slot) => index.idOf(slot) <= place.id;
  return (slot) => index.addedVersionOf(slot) >= place.addedVersion;
}

/**
 * One class after the other, and this order in each. Classes instead of scores: the class of a pet stays the same when
 * others come and go, so that a page continues where the last one ended.
 *
 * @param classes computed only if the page reaches them
 */
function pageOfClasses(
  index: PetIndex,
  order: Order,
  classes: readonly (() => Slots)[],
  after: MatchPosition | undefined,
  limit: number,
): readonly RankedSlot[] {
  const page: RankedSlot[] = [];
  classes.forEach((slotsOf, rank) => {
    if (page.length === limit || rank < (after?.rank ?? 0)) return;
    const place = rank === after?.rank ? after : undefined;
    const found = pageInOrder(index, order, slotsOf(), place, limit - page.length);
    page.push(...found.map((slot) => ({ slot, rank })));
  });
  return page;
}

/** Classes in the order of statuses; the pets without one come last. */
function statusClassesOf(index: PetIndex, matches: Slots | undefined): readonly (() => Slots)[] {
  return STATUS_FILTERS.map((status) => () => amongMatches(matches, index.statuses.get(status)));
}

/** Classes in the order of the list of species; the pets without one come last. */
function speciesClassesOf(index: PetIndex, matches: Slots | undefined): readonly (() => Slots)[] {
  const setOf = (species: Species) => index.facts.get(factKey('species', species));
  return [
    ...SPECIES.map((species) => () => amongMatches(matches, setOf(species))),
    () => index.without(matches, unionOf(SPECIES.map(setOf))),
  ];
}

/** Classes in the order of the locations in the criteria; the pets elsewhere come last. */
function locationClassesOf(
  index: PetIndex,
  { facts: { location } }: SearchedCriteria,
  matches: Slots | undefined,
): readonly (() => Slots)[] {
  const setOf = (id: string) => index.facts.get(factKey('location', id));
  return [
    ...location.map((id) => () => amongMatches(matches, setOf(id))),
    () => index.without(matches, unionOf(location.map(setOf))),
  ];
}

/** @param matches undefined for all pets */
function amongMatches(matches: Slots | undefined, slots: Slots): Slots {
  return matches === undefined ? slots : among(matches, [slots]);
}

/**
 * How well a pet matches the words: its name has all of them, words of its name begin with them, its category, tags
 * and breeds are needed, or synonyms.
 */
function relevanceClassesOf(
  index: PetIndex,
  { words, synonyms }: SearchedCriteria,
  matches: Slots,
): readonly (() => Slots)[] {
  const whole = among(
    matches,
    words.map((word) => index.nameWords.withWord(word)),
  );
  const inName = among(
    matches,
    words.map((word) => index.nameWords.withPrefix(word)),
  );
  const classes = [() => whole, () => difference(inName, whole)];
  if (synonyms.length === 0) return [...classes, () => difference(matches, inName)];
  const withWords = among(
    matches,
    words.map((word) => index.withPrefix(word)),
  );
  return [...classes, () => difference(withWords, inName), () => difference(matches, withWords)];
}

function among(matches: Slots, sets: readonly Slots[]): Slots {
  return intersectionOf([matches, ...sets]) ?? matches;
}
