import { PET_STATUSES, type PetStatus } from '../pets/pet.ts';
import { TOKEN_KINDS, tokenOf } from './tokens.ts';

export const PET_SORTS = ['id', 'name', 'newest', 'relevance'] as const;

export type PetSort = (typeof PET_SORTS)[number];

/** The statuses to filter by: `none` selects pets without one. */
export const STATUS_FILTERS = [...PET_STATUSES, 'none'] as const;

export type StatusFilter = PetStatus | 'none';

/** What is asked of the catalogue. What is empty asks for nothing. */
export interface PetQuestion {
  /** The pet has words that begin so, each of them, in its name, its category or its tags. */
  words: readonly string[];
  /** The pet has one of them. */
  statuses: readonly StatusFilter[];
  categories: readonly string[];
  tags: readonly string[];
  tagMatch: 'any' | 'all';
  /** Last changed then or later. */
  updatedSinceMs: number | undefined;
  sort: PetSort;
}

/** What the tokens of a pet have to be, for an engine to put into its own words. */
export type Wanted =
  | { kind: 'token'; token: string }
  | { kind: 'prefix'; prefix: string }
  | { kind: 'all' | 'any'; of: readonly Wanted[] }
  | { kind: 'not'; of: Wanted };

/** Which pets: those with these tokens, where any are wanted, and changed no earlier. */
export interface Selection {
  wanted: Wanted | undefined;
  sinceMs: number | undefined;
}

export function selectsAll(selection: Selection): boolean {
  return Object.values({ ...selection }).every((condition) => condition === undefined);
}

/**
 * How well a pet answers the words: 1 where its name has all of them as whole words, 2 where words of the name begin so, 3 where its category and tags
 * are needed. Classes and not scores: they are the same on every engine, and stay what they are when other pets come and go.
 */
export const RELEVANCE_CLASSES = [1, 2, 3] as const;

export type RelevanceClass = (typeof RELEVANCE_CLASSES)[number];

/** @param relevance only those of this class; all, where it is left out */
export function selectionOf(question: PetQuestion, relevance?: RelevanceClass): Selection {
  const { statuses, categories, tags, tagMatch, words, updatedSinceMs } = question;
  const tagTokens = tags.map((tag) => token(tokenOf('tag', tag)));
  const parts: Wanted[] = [
    ...(words.length === 0 ? [] : wantedWords(words, relevance)),
    ...wantedStatuses(statuses),
    ...anyOf(categories.map((category) => token(tokenOf('category', category)))),
    ...(tagMatch === 'all' ? tagTokens : anyOf(tagTokens)),
  ];
  return { wanted: parts.length === 0 ? undefined : { kind: 'all', of: parts }, sinceMs: updatedSinceMs };
}

/** A pet without a status has no token for it, so with `none` the other statuses are excluded. */
function wantedStatuses(statuses: readonly StatusFilter[]): readonly Wanted[] {
  const hasNone = statuses.includes('none');
  const named = PET_STATUSES.filter((status) => statuses.includes(status) !== hasNone);
  const any = anyOf(named.map((status) => token(tokenOf('status', status))));
  return hasNone ? any.map((of) => ({ kind: 'not', of })) : any;
}

function wantedWords(words: readonly string[], relevance: RelevanceClass | undefined): readonly Wanted[] {
  const { nameWord, otherWord } = TOKEN_KINDS;
  const wholeInName = words.map((word) => token(nameWord + word));
  const inName = words.map((word) => prefix(nameWord + word));
  const anywhere = words.map((word): Wanted => ({
    kind: 'any',
    of: [prefix(nameWord + word), prefix(otherWord + word)],
  }));
  if (relevance === 1) return wholeInName;
  if (relevance === 2) return [...inName, not(wholeInName)];
  return relevance === 3 ? [...anywhere, not(inName)] : anywhere;
}

function token(text: string): Wanted {
  return { kind: 'token', token: text };
}

function prefix(text: string): Wanted {
  return { kind: 'prefix', prefix: text };
}

function anyOf(of: readonly Wanted[]): readonly Wanted[] {
  return of.length === 0 ? [] : [{ kind: 'any', of }];
}

function not(all: readonly Wanted[]): Wanted {
  return { kind: 'not', of: { kind: 'all', of: all } };
}
