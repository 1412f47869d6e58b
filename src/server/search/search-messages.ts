import type { PlainFailure } from '../../domain/failure.ts';
import type { StorePlaces } from '../configuration/config.ts';
import type { IndexState, SearchService } from '../../domain/search/search-engine.ts';
import type { Synonyms } from '../../domain/search/synonyms.ts';

/* Calls of the search service in its thread, as structured clones. */

export type SearchMethod = keyof SearchService;

export interface SearchCall {
  id: number;
  method: SearchMethod;
  parameters: readonly unknown[];
}

export interface SearchResponse {
  id: number;
  outcome: { result: unknown } | { failure: PlainFailure } | { bug: string };
}

export interface SearchThreadData {
  places: StorePlaces;
  synonyms: Synonyms;
  compileCacheDir: string | undefined;
}

/** Calls, and the request to save the index and end. */
export type ToSearchThread = SearchCall | 'close';

export type FromSearchThread =
  SearchResponse | { kind: 'state'; state: IndexState } | { kind: 'doubt' | 'failed'; reason: string };
