import { setImmediate as nextIteration } from 'node:timers/promises';
import { Failure } from '../../domain/failure.ts';
import { IndexFollower, type SavedIndex } from '../../domain/search/index-follower.ts';
import type { IndexSource } from '../../domain/search/index-source.ts';
import { SearchEngine, type IndexState, type SearchService } from '../../domain/search/search-engine.ts';
import type { Synonyms } from '../../domain/search/synonyms.ts';

/** Usually, the index is loaded within this time. */
const MAX_WAIT_MS = 2000;

const RETRY_AFTER_SECONDS = 2;

interface LocalSearchDeps {
  source: IndexSource;
  synonyms: Synonyms;
  /** Returns undefined if no index was saved. */
  readSaved?: () => Promise<SavedIndex | undefined>;
  /** Called with each state, also for each batch of pets. */
  onState?: (state: IndexState) => void;
  onDoubt?: (reason: string) => void;
  /** Searches wait this long while the index is loaded or built. */
  maxWaitMs?: number;
}

/** Search in this thread. The index is loaded by the first call of `load` or of a search. */
export class LocalSearch extends SearchEngine implements SearchService {
  readonly #follower: IndexFollower;
  readonly #onState: LocalSearchDeps['onState'];
  readonly #maxWaitMs: number;
  #readSaved: LocalSearchDeps['readSaved'];
  #loading: Promise<void> | undefined;
  #state: IndexState = { state: 'loading' };
  /** The source of the next state `ready`, and the beginning of its duration. */
  #from: (IndexState & { state: 'ready' })['from'] = 'file';
  #sinceMs = 0;

  constructor({ source, synonyms, readSaved, onState, onDoubt, maxWaitMs = MAX_WAIT_MS }: LocalSearchDeps) {
    super(() => this.#current(), synonyms);
    this.#readSaved = readSaved;
    this.#onState = onState;
    this.#maxWaitMs = maxWaitMs;
    this.#follower = new IndexFollower({
      source,
      pause: () => nextIteration(),
      onProgress: (progress) => this.#building(progress),
      onDoubt: (reason) => {
        this.#building({ done: 0, of: 0 });
        onDoubt?.(reason);
      },
    });
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

  /**
   * Also starts to load the index. Otherwise, a client that waits for it before the first search would wait forever.
   */
  async state(): Promise<IndexState> {
    void this.load().catch(() => {});
    return this.#state;
  }

  async #start(): Promise<void> {
    this.#sinceMs = performance.now();
    const saved = await this.#readSaved?.();
    // The index changes its data, so it is not to be used again.
    this.#readSaved = undefined;
    await this.#follower.start(saved);
    this.#ready();
  }

  async #current(): Promise<IndexFollower> {
    const refused = Promise.withResolvers<never>();
    const timer = setInterval(() => this.#refuse(refused.reject), this.#maxWaitMs).unref();
    try {
      await Promise.race([this.#caughtUp(), refused.promise]);
    } finally {
      clearInterval(timer);
    }
    return this.#follower;
  }

  async #caughtUp(): Promise<void> {
    await this.load();
    await this.#follower.catchUp();
    this.#ready();
  }

  /**
   * A single read is not refused: the timeout of the database limits it, and on a slow database, no search would
   * succeed.
   */
  #refuse(reject: (failure: Failure) => void): void {
    if (this.#state.state === 'ready' && this.#follower.isBehind) {
      [this.#from, this.#sinceMs] = ['changes', performance.now() - this.#maxWaitMs];
      this.#change({ state: 'loading' });
    }
    if (this.#state.state === 'ready') return;
    const doing =
      this.#state.state === 'loading'
        ? 'loaded'
        : `built (${Math.floor((100 * this.#state.done) / Math.max(1, this.#state.of))} %)`;
    const message = `The search index is being ${doing}. Try again in a few seconds.`;
    reject(new Failure('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS }));
  }

  #building(progress: { done: number; of: number }): void {
    if (progress.done === 0) [this.#from, this.#sinceMs] = ['pets', performance.now()];
    this.#change({ state: 'building', ...progress });
  }

  #ready(): void {
    if (this.#state.state === 'ready') return;
    this.#change({ state: 'ready', from: this.#from, ms: Math.round(performance.now() - this.#sinceMs) });
  }

  #change(state: IndexState): void {
    this.#state = state;
    this.#onState?.(state);
  }
}
