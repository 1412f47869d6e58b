import { AGE_GROUPS } from './ages.ts';
import type { LabelCount, LabelKind } from './counts.ts';
import { STATUS_FILTERS, type OwnValues, type PetCriteria, type StatusFilter } from './criteria.ts';
import { COMPANIONS, companionKey, DRAFT, factKey, FACT_FILTERS, ownKey, type FactFilter } from './facts.ts';
import { allOf, matchesOf, type SearchedCriteria } from './matches.ts';
import type { PetIndex } from './pet-index.ts';
import { compact, countCommon, countOf, difference, type Slots } from './slots/slots.ts';

/** The number of matches for each value of a facet, if it were selected in addition. */
export interface PetFacets {
  statuses: readonly { status: StatusFilter; count: number }[];
  categories: readonly LabelCount[];
  tags: readonly LabelCount[];
  breeds: readonly LabelCount[];
  facts: Readonly<Record<FactFilter, readonly LabelCount[]>>;
  ages: readonly LabelCount[];
  goodWith: readonly LabelCount[];
  /** In the order of the keys that were asked for. */
  own: readonly { key: string; values: readonly LabelCount[] }[];
  /** Pets that are no drafts, then drafts. */
  published: readonly LabelCount[];
}

/** The values to count of facets whose values are defined by the organisation. */
export interface FacetChoices {
  facts: Readonly<Record<FactFilter, readonly string[]>>;
  own: readonly OwnValues[];
}

/** Maximum number of values of a label facet, in addition to the selected ones. */
const MAX_FACET_LABELS = 100;

/** The criteria of a search for pets that are no drafts, or for drafts: its words may be corrected in another way. */
type SearchedAs = (published: boolean) => SearchedCriteria;

/**
 * Values of which one is enough are alternatives: each is counted as if no other one of its facet were selected. Values
 * of profiles that no pet has are left out, unless they are selected.
 */
export function countFacets(
  index: PetIndex,
  criteria: SearchedCriteria,
  choices: FacetChoices,
  searchedAs: SearchedAs,
): PetFacets {
  const withWords = allOf(index, criteria);
  // Each set of matches is counted in the sets of all values of a facet.
  const matchesWith = (some: Partial<PetCriteria>) => {
    const slots = matchesOf(index, { ...criteria, ...some }, withWords);
    return slots && compact(slots);
  };
  const matches = matchesWith({});
  /** The matches as if a facet had no selected value. */
  const without = (selected: readonly unknown[], some: Partial<PetCriteria>) =>
    selected.length > 0 ? matchesWith(some) : matches;
  const ofStatuses = without(criteria.statuses, { statuses: [] });
  const ofTags = criteria.tagMatch === 'all' ? matches : without(criteria.tags, { tags: [] });
  const hidden = index.hidden(criteria.published);
  return {
    statuses: STATUS_FILTERS.map((status) => ({ status, count: index.statuses.countIn(ofStatuses, status) })),
    categories: countLabels(index, 'category', criteria, without(criteria.categories, { categories: [] })),
    tags: countLabels(index, 'tag', criteria, ofTags),
    breeds: countLabels(index, 'breed', criteria, without(criteria.breeds, { breeds: [] })),
    facts: mapFacts((name) => {
      const selected = criteria.facts[name];
      const others = without(selected, { facts: { ...criteria.facts, [name]: [] } });
      return countFacts(index, choices.facts[name], selected, (value) => factKey(name, value), others, hidden);
    }),
    ages: countAges(index, criteria, without(criteria.ages, { ages: [] }), hidden),
    goodWith: countFacts(index, COMPANIONS, criteria.goodWith, companionKey, matches, hidden),
    own: choices.own.map(({ key, values }) => {
      const selected = criteria.own.find((each) => each.key === key)?.values ?? [];
      const others = without(selected, { own: criteria.own.filter((each) => each.key !== key) });
      return { key, values: countFacts(index, values, selected, (value) => ownKey(key, value), others, hidden) };
    }),
    published: countPublished(index, matches, criteria.published, searchedAs),
  };
}

function mapFacts<T>(map: (name: FactFilter) => T): Readonly<Record<FactFilter, T>> {
  return Object.fromEntries(FACT_FILTERS.map((name) => [name, map(name)])) as Record<FactFilter, T>;
}

function countFacts<T extends string>(
  index: PetIndex,
  choices: readonly T[],
  selected: readonly T[],
  keyOf: (value: T) => string,
  matches: Slots | undefined,
  hidden: Slots | undefined,
): readonly LabelCount[] {
  const used = choices.filter((value) => index.facts.countOf(keyOf(value), hidden) > 0);
  return [...new Set([...used, ...selected])].map((name) => ({
    name,
    count: index.facts.countIn(matches, keyOf(name)),
  }));
}

function countAges(
  index: PetIndex,
  { todayMs, ages }: SearchedCriteria,
  matches: Slots | undefined,
  hidden: Slots | undefined,
): readonly LabelCount[] {
  const sets = index.ageSets(todayMs);
  const isUsed = (set: Slots) => countOf(hidden === undefined ? set : difference(set, hidden)) > 0;
  return AGE_GROUPS.filter((name) => ages.includes(name) || isUsed(sets[name])).map((name) => ({
    name,
    count: matches === undefined ? countOf(sets[name]) : countCommon(sets[name], matches),
  }));
}

function countPublished(
  index: PetIndex,
  matches: Slots | undefined,
  published: boolean | undefined,
  searchedAs: SearchedAs,
): readonly LabelCount[] {
  const totalOf = (slots: Slots | undefined) => (slots === undefined ? index.count : countOf(slots));
  const count = (value: boolean) => {
    const isAsked = value === published || (value && published === undefined && !index.facts.has(DRAFT));
    return totalOf(isAsked ? matches : matchesOf(index, searchedAs(value)));
  };
  return [true, false].map((value) => ({ name: String(value), count: count(value) }));
}

function countLabels(
  index: PetIndex,
  kind: LabelKind,
  criteria: SearchedCriteria,
  matches: Slots | undefined,
): readonly LabelCount[] {
  const selected = { category: criteria.categories, tag: criteria.tags, breed: criteria.breeds }[kind];
  const mostUsed = index.labels[kind].list([], undefined, MAX_FACET_LABELS, index.hidden(criteria.published));
  const listed = new Set([...mostUsed.map(({ name }) => name), ...selected]);
  return [...listed].map((name) => ({ name, count: index.labels[kind].countIn(matches, name) }));
}
