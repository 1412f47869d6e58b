import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../domain/failure.ts';
import { IndexFollower, type SavedIndex } from '../../domain/search/index-follower.ts';
import type { IndexSource } from '../../domain/search/index-source.ts';
import { SearchEngine, type SearchService } from '../../domain/search/search-engine.ts';

/** Searches wait this long while the index is loaded: usually, that is enough. */
const MAX_WAIT_MS = 2000;

const RETRY_AFTER_SECONDS = 2;

export interface LocalSearchDeps {
  source: IndexSource;
  saved?: SavedIndex | undefined;
  onProgress?: (progress: { done: number; of: number }) => void;
  onDoubt?: (reason: string) => void;
}

/** Search in this thread. The index is loaded by the first call of `load` or of a search. */
export class LocalSearch implements SearchService {
  #saved: SavedIndex | undefined;
  readonly #follower: IndexFollower;
  readonly #engine: SearchEngine;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  #percentage = 0;

  constructor({ source, saved, onProgress, onDoubt }: LocalSearchDeps) {
    this.#saved = saved;
    this.#follower = new IndexFollower({
      source,
      pause: () => nextTurn(),
      onProgress: (progress) => {
        this.#percentage = Math.floor((100 * progress.done) / Math.max(1, progress.of));
        onProgress?.(progress);
      },
      ...(onDoubt !== undefined && { onDoubt }),
    });
    this.#engine = new SearchEngine({ follower: this.#follower });
  }

  /** Loads the index. A failed load is repeated by the next call. */
  load(): Promise<void> {
    return (this.#loading ??= this.#start().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    }));
  }

  save(): SavedIndex {
    return this.#follower.save();
  }

  async search(...parameters: Parameters<SearchService['search']>): ReturnType<SearchService['search']> {
    await this.#loaded();
    return this.#engine.search(...parameters);
  }

  async facets(...parameters: Parameters<SearchService['facets']>): ReturnType<SearchService['facets']> {
    await this.#loaded();
    return this.#engine.facets(...parameters);
  }

  async labels(...parameters: Parameters<SearchService['labels']>): ReturnType<SearchService['labels']> {
    await this.#loaded();
    return this.#engine.labels(...parameters);
  }

  async counts(): ReturnType<SearchService['counts']> {
    await this.#loaded();
    return this.#engine.counts();
  }

  async #start(): Promise<void> {
    const saved = this.#saved;
    // The index changes its data, so it is not to be used again.
    this.#saved = undefined;
    await this.#follower.start(saved);
    this.#isLoaded = true;
  }

  async #loaded(): Promise<void> {
    if (this.#isLoaded) return;
    const timeout = new AbortController();
    try {
      await Promise.race([this.load(), this.#refuseLater(timeout.signal)]);
    } finally {
      timeout.abort();
    }
  }

  async #refuseLater(signal: AbortSignal): Promise<void> {
    await delay(MAX_WAIT_MS, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    throw new Failure(
      'unavailable',
      `The search index is being loaded (${this.#percentage} %). Try again in a few seconds.`,
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    );
  }
}
