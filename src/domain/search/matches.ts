import type { LabelCount, LabelKind } from './counts.ts';
import { STATUS_FILTERS, type PetCriteria, type StatusFilter } from './criteria.ts';
import type { Order, PetIndex, Place } from './pet-index.ts';
import type { WordSynonyms } from './synonyms.ts';
import { countOf, difference, intersectionOf, unionOf, type Slots } from './slots.ts';

/** The criteria of a search, with the synonyms of its words. */
export interface SearchedCriteria extends PetCriteria {
  synonyms: readonly WordSynonyms[];
}

/** A pet that matches, and its position in every order. */
export interface Match extends Place {
  /** The version of the pet in the index. */
  version: bigint;
  changedAtMs: number;
  /** The class of the match, from 0; only in the order by relevance. */
  relevance: number;
}

/** A page of matches. */
export interface MatchPage {
  matches: readonly Match[];
  /** Whether there are matches after this page. */
  hasMore: boolean;
  /** The number of all matches. */
  total: number;
}

/** Where a page begins: after this match, which may be deleted by now. */
export type MatchPosition = Omit<Match, 'version' | 'changedAtMs'>;

/** The number of matches for each value of a facet, if it were selected in addition. */
export interface PetFacets {
  statuses: readonly { status: StatusFilter; count: number }[];
  categories: readonly LabelCount[];
  tags: readonly LabelCount[];
}

/** Maximum number of values of a label facet, in addition to the selected ones. */
const MAX_FACET_LABELS = 100;

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
    matches: slots.slice(0, limit).map(({ slot, relevance }) => ({
      ...index.placeOf(slot),
      version: index.versionOf(slot),
      changedAtMs: index.changedAtMsOf(slot),
      relevance,
    })),
    hasMore: slots.length > limit,
    total,
  };
}

/** Values of which one is enough are alternatives: each is counted as if no other one of its facet were selected. */
export function countFacets(index: PetIndex, criteria: SearchedCriteria): PetFacets {
  const withWords = allOf(index, criteria);
  const without = (some: Partial<PetCriteria>) => matchesOf(index, { ...criteria, ...some }, withWords);
  const ofStatuses = without({ statuses: [] });
  const ofTags = without(criteria.tagMatch === 'all' ? {} : { tags: [] });
  return {
    statuses: STATUS_FILTERS.map((status) => ({ status, count: index.statuses.countIn(ofStatuses, status) })),
    categories: countLabels(index, 'category', criteria.categories, without({ categories: [] })),
    tags: countLabels(index, 'tag', criteria.tags, ofTags),
  };
}

/** The pets that have all words; undefined for all pets, if there are no words. */
function allOf(index: PetIndex, { words, synonyms }: SearchedCriteria): Slots | undefined {
  return intersectionOf(words.map((word) => slotsOfWord(index, synonyms, word)));
}

/** The pets with a word that begins so, or with one of its synonyms as label. */
export function slotsOfWord(index: PetIndex, synonyms: readonly WordSynonyms[], word: string): Slots {
  const names = synonyms.find((each) => each.word === word)?.names ?? [];
  const { category, tag } = index.labels;
  return unionOf([index.withPrefix(word), ...names.flatMap((name) => [category.get(name), tag.get(name)])]);
}

/** The pets that a criteria matches; undefined for all pets, if it has no conditions. */
export function matchesOf(
  index: PetIndex,
  criteria: SearchedCriteria,
  withWords = allOf(index, criteria),
): Slots | undefined {
  const { statuses, categories, tags, tagMatch, updatedSinceMs } = criteria;
  const tagSets = tags.map((name) => index.labels.tag.get(name));
  return intersectionOf([
    ...anyOf(statuses.map((status) => index.statuses.get(status))),
    ...anyOf(categories.map((name) => index.labels.category.get(name))),
    ...(tagMatch === 'all' ? tagSets : anyOf(tagSets)),
    ...(withWords === undefined ? [] : [withWords]),
    ...(updatedSinceMs === undefined ? [] : [index.changedSince(updatedSinceMs)]),
  ]);
}

function anyOf(sets: readonly Slots[]): Slots[] {
  return sets.length === 0 ? [] : [unionOf(sets)];
}

interface RankedSlot {
  slot: number;
  relevance: number;
}

function rankedPage(
  index: PetIndex,
  criteria: SearchedCriteria,
  matches: Slots | undefined,
  after: MatchPosition | undefined,
  limit: number,
): readonly RankedSlot[] {
  const { sort } = criteria;
  if (sort === 'relevance' && matches !== undefined) return pageByRelevance(index, criteria, matches, after, limit);
  const order = sort === 'relevance' ? 'id' : sort;
  return pageInOrder(index, order, matches, after, limit).map((slot) => ({ slot, relevance: 0 }));
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

function pageByRelevance(
  index: PetIndex,
  criteria: SearchedCriteria,
  matches: Slots,
  after: MatchPosition | undefined,
  limit: number,
): readonly RankedSlot[] {
  const page: RankedSlot[] = [];
  relevanceClassesOf(index, criteria, matches).forEach((slots, relevance) => {
    if (page.length === limit || relevance < (after?.relevance ?? 0)) return;
    const place = relevance === after?.relevance ? after : undefined;
    const found = pageInOrder(index, 'id', slots, place, limit - page.length);
    page.push(...found.map((slot) => ({ slot, relevance })));
  });
  return page;
}

/**
 * How well a pet matches the words: its name has all of them, words of its name begin with them, its category and tags
 * are needed, or synonyms. Classes instead of scores: the class of a pet stays the same when others come and go, so
 * that a page continues where the last one ended.
 */
function relevanceClassesOf(index: PetIndex, { words, synonyms }: SearchedCriteria, matches: Slots): readonly Slots[] {
  const whole = among(
    matches,
    words.map((word) => index.nameWords.withWord(word)),
  );
  const inName = among(
    matches,
    words.map((word) => index.nameWords.withPrefix(word)),
  );
  const classes = [whole, difference(inName, whole)];
  if (synonyms.length === 0) return [...classes, difference(matches, inName)];
  const withWords = among(
    matches,
    words.map((word) => index.withPrefix(word)),
  );
  return [...classes, difference(withWords, inName), difference(matches, withWords)];
}

function among(matches: Slots, sets: readonly Slots[]): Slots {
  return intersectionOf([matches, ...sets]) ?? matches;
}

function countLabels(
  index: PetIndex,
  kind: LabelKind,
  selected: readonly string[],
  matches: Slots | undefined,
): readonly LabelCount[] {
  const mostUsed = index.labels[kind].list([], undefined, MAX_FACET_LABELS);
  const listed = new Set([...mostUsed.map(({ name }) => name), ...selected]);
  return [...listed].map((name) => ({ name, count: index.labels[kind].countIn(matches, name) }));
}
