import type { LabelCount, LabelKind } from './counts.ts';
import { STATUS_FILTERS, type PetCriteria, type SearchScope, type StatusFilter } from './criteria.ts';
import { correctWords } from './corrections.ts';
import type { IndexFollower } from './index-follower.ts';
import { countFacets, type FacetChoices, type PetFacets } from './facets.ts';
import { findMatches, type MatchPage, type MatchPosition, type SearchedCriteria } from './matches.ts';
import { blocksOf, type MatchBlock } from './match-blocks.ts';
import type { PetIndex } from './pet-index.ts';
import { completeLastWord, type Completions } from './suggestions.ts';
import { findSynonyms, type Synonyms } from './synonyms.ts';

/** A page of a search, and the words that it was made with: misspelled ones are corrected. */
export interface SearchedPage extends MatchPage, Pick<SearchedCriteria, 'words' | 'synonyms'> {
  /** The version of the last change in the index. */
  version: bigint;
}

/** The numbers of all pets. */
export interface PetCounts {
  total: number;
  statuses: Readonly<Record<StatusFilter, number>>;
}

export type IndexState =
  /** Not used yet, read from a file, or updated with many changes. */
  | { state: 'loading' }
  /** `done` is the number of pets in it, `of` that of all pets. */
  | { state: 'building'; done: number; of: number }
  /** `ms` is how long it took to load, build or update it. */
  | { state: 'ready'; from: 'file' | 'pets' | 'changes'; ms: number };

/**
 * Search in the index. Every call sees each change that was acknowledged before it, on every node.
 *
 * @throws Failure `unavailable` while the index is loaded or built for longer than a search waits
 */
export interface SearchService {
  search(
    criteria: PetCriteria,
    scope: SearchScope,
    after: MatchPosition | undefined,
    limit: number,
  ): Promise<SearchedPage>;
  facets(criteria: PetCriteria, scope: SearchScope, choices: FacetChoices): Promise<PetFacets>;
  /** All matches by ascending id, in blocks of this number. */
  blocks(criteria: PetCriteria, scope: SearchScope, length: number): Promise<readonly MatchBlock[]>;
  /** At most `limit` completions of each kind. @param criteria with at least one word */
  complete(criteria: PetCriteria, scope: SearchScope, limit: number): Promise<Completions & { version: bigint }>;
  /**
   * At most `limit` labels after `after`, most used first, then by name.
   * @param words each is the prefix of a word in the label
   */
  labels(
    kind: LabelKind,
    words: readonly string[],
    after: LabelCount | undefined,
    limit: number,
    withDrafts: boolean,
  ): Promise<readonly LabelCount[]>;
  counts(withDrafts: boolean): Promise<PetCounts>;
  /** Returns immediately, also while the index is loaded or built. */
  state(): Promise<IndexState>;
}

type CurrentIndex = Pick<IndexFollower, 'index' | 'version'>;

/** Searches, each in an index with all changes before it. */
export class SearchEngine implements Omit<SearchService, 'state'> {
  readonly #current: () => Promise<CurrentIndex>;
  readonly #synonyms: Synonyms;

  /** @param current returns an index with every change that was committed before the call */
  constructor(current: () => Promise<CurrentIndex>, synonyms: Synonyms) {
    this.#current = current;
    this.#synonyms = synonyms;
  }

  async search(criteria: PetCriteria, scope: SearchScope, after: MatchPosition | undefined, limit: number) {
    const { index, version } = await this.#current();
    const searched = this.#searched(index, criteria, scope);
    const { words, synonyms } = searched;
    return { words, synonyms, version, ...findMatches(index, searched, after, limit) };
  }

  async facets(criteria: PetCriteria, scope: SearchScope, choices: FacetChoices): Promise<PetFacets> {
    const { index } = await this.#current();
    const searchedAs = (published: boolean) =>
      this.#searched(index, { ...criteria, published }, { ...scope, withDrafts: true });
    return countFacets(index, this.#searched(index, criteria, scope), choices, searchedAs);
  }

  async blocks(criteria: PetCriteria, scope: SearchScope, length: number): Promise<readonly MatchBlock[]> {
    const { index } = await this.#current();
    return blocksOf(index, this.#searched(index, criteria, scope), length);
  }

  async complete(criteria: PetCriteria, scope: SearchScope, limit: number) {
    const { index, version } = await this.#current();
    return { version, ...completeLastWord(index, this.#synonyms, this.#searched(index, criteria, scope), limit) };
  }

  async labels(...[kind, words, after, limit, withDrafts]: Parameters<SearchService['labels']>) {
    const { index } = await this.#current();
    return index.labels[kind].list(words, after, limit, index.hidden(!withDrafts));
  }

  async counts(withDrafts: boolean): Promise<PetCounts> {
    const { index } = await this.#current();
    const hidden = index.hidden(!withDrafts);
    const counts = STATUS_FILTERS.map((status) => [status, index.statuses.countOf(status, hidden)] as const);
    return {
      total: counts.reduce((sum, [, count]) => sum + count, 0),
      statuses: Object.fromEntries(counts) as Record<StatusFilter, number>,
    };
  }

  #searched(index: PetIndex, criteria: PetCriteria, { withDrafts, todayMs }: SearchScope): SearchedCriteria {
    const published = withDrafts ? criteria.published : true;
    const hidden = index.hidden(published);
    const words = correctWords(index, this.#synonyms, criteria.words, hidden);
    const synonyms = findSynonyms(index, this.#synonyms, words, hidden);
    return { ...criteria, words, published, synonyms, todayMs };
  }
}
