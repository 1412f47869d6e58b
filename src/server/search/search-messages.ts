import { Distribution, type SearchActivity } from '../../domain/activity.ts';
import { Failure, type PlainFailure, stopping } from '../../domain/failure.ts';
import type { StorePlaces } from '../configuration/config.ts';
import type { IndexState, SearchService } from '../../domain/search/search-engine.ts';
import type { Synonyms } from '../../domain/search/synonyms.ts';

/* Calls of the search service between threads and processes, as structured clones. */

type SearchMethod = keyof SearchService;

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

interface PendingCall extends PromiseWithResolvers<unknown> {
  startMs: number;
}

/** Calls a service elsewhere. */
export class RemoteSearch implements SearchService {
  readonly #send: (call: SearchCall) => void;
  readonly #pending = new Map<number, PendingCall>();
  readonly #durations = Distribution.ofDurations();
  #lastId = 0;
  #end: Failure | undefined;

  constructor({ send }: { send: (call: SearchCall) => void }) {
    this.#send = send;
  }

  search(...parameters: Parameters<SearchService['search']>) {
    return this.#call<'search'>('search', parameters);
  }

  facets(...parameters: Parameters<SearchService['facets']>) {
    return this.#call<'facets'>('facets', parameters);
  }

  blocks(...parameters: Parameters<SearchService['blocks']>) {
    return this.#call<'blocks'>('blocks', parameters);
  }

  complete(...parameters: Parameters<SearchService['complete']>) {
    return this.#call<'complete'>('complete', parameters);
  }

  labels(...parameters: Parameters<SearchService['labels']>) {
    return this.#call<'labels'>('labels', parameters);
  }

  counts(...parameters: Parameters<SearchService['counts']>) {
    return this.#call<'counts'>('counts', parameters);
  }

  state() {
    return this.#call<'state'>('state', []);
  }

  takeResponse({ id, outcome }: SearchResponse): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending !== undefined) this.#durations.addSince(pending.startMs);
    if ('result' in outcome) pending?.resolve(outcome.result);
    else pending?.reject('failure' in outcome ? Failure.fromPlain(outcome.failure) : bugOf(outcome.bug));
  }

  activity(): SearchActivity {
    return { waiting: this.#pending.size, durations: this.#durations };
  }

  /** Fails pending and later calls. */
  end(): void {
    this.#end = stopping();
    for (const { reject } of this.#pending.values()) reject(this.#end);
    this.#pending.clear();
  }

  #call<M extends SearchMethod>(method: M, parameters: readonly unknown[]): ReturnType<SearchService[M]> {
    if (this.#end !== undefined) return Promise.reject(this.#end) as ReturnType<SearchService[M]>;
    const id = ++this.#lastId;
    const pending = { ...Promise.withResolvers<unknown>(), startMs: performance.now() };
    this.#pending.set(id, pending);
    this.#send({ id, method, parameters });
    return pending.promise as ReturnType<SearchService[M]>;
  }
}

/** Makes the call of another thread or process. Never rejects. */
export async function searchResponseTo(
  { id, method, parameters }: SearchCall,
  service: SearchService,
): Promise<SearchResponse> {
  try {
    const call = service[method].bind(service) as (...all: readonly unknown[]) => Promise<unknown>;
    return { id, outcome: { result: await call(...parameters) } };
  } catch (error) {
    if (error instanceof Failure) return { id, outcome: { failure: error.toPlain() } };
    return { id, outcome: { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) } };
  }
}

function bugOf(stack: string): Error {
  const error = new Error('The search met an unexpected error.');
  error.stack = stack;
  return error;
}
