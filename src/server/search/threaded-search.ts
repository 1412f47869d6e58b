import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Distribution, type SearchActivity } from '../../domain/activity.ts';
import { Failure, stopping } from '../../domain/failure.ts';
import type { Synonyms } from '../../domain/search/synonyms.ts';
import type { StorePlaces } from '../configuration/config.ts';
import type { Logger } from '../log/log.ts';
import type { IndexState, SearchService } from '../../domain/search/search-engine.ts';
import type {
  FromSearchThread,
  SearchMethod,
  SearchResponse,
  SearchThreadData,
  ToSearchThread,
} from './search-messages.ts';

/** The thread starts after this time, so that it does not delay the first responses, or with the first search. */
const START_AFTER_MS = 1000;

const SLOW_MS = 1000;

/** V8's default is 48 MB. This is 40 MB less after a build, which takes 5 % longer. */
const YOUNG_GENERATION_MB = 6;

export interface ThreadedSearchDeps {
  places: StorePlaces;
  synonyms: Synonyms;
  log: Logger | undefined;
}

interface PendingCall extends PromiseWithResolvers<unknown> {
  startMs: number;
}

/** A search service that runs in its own thread. */
export class ThreadedSearch implements SearchService {
  readonly #deps: ThreadedSearchDeps;
  #starting: NodeJS.Timeout;
  readonly #pending = new Map<number, PendingCall>();
  readonly #durations = Distribution.ofDurations();
  #thread: Worker | undefined;
  #state: IndexState = { state: 'loading' };
  #lastId = 0;
  #end: Failure | undefined;

  constructor(deps: ThreadedSearchDeps) {
    this.#deps = deps;
    this.#starting = setTimeout(() => this.#start(), START_AFTER_MS).unref();
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

  /** The last report of the thread, which does not respond while it loads a file. */
  async state(): Promise<IndexState> {
    return this.#state;
  }

  activity(): SearchActivity {
    return { waiting: this.#pending.size, durations: this.#durations };
  }

  /** Fails pending and later calls. */
  async close(): Promise<void> {
    clearTimeout(this.#starting);
    this.#end = stopping();
    for (const { reject } of this.#pending.values()) reject(this.#end);
    this.#pending.clear();
    const thread = this.#thread;
    if (thread === undefined) return;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.postMessage('close' satisfies ToSearchThread);
    await ended;
  }

  #call<M extends SearchMethod>(method: M, parameters: readonly unknown[]): ReturnType<SearchService[M]> {
    if (this.#end !== undefined) return Promise.reject(this.#end) as ReturnType<SearchService[M]>;
    const id = ++this.#lastId;
    const pending = { ...Promise.withResolvers<unknown>(), startMs: performance.now() };
    this.#pending.set(id, pending);
    this.#start().postMessage({ id, method, parameters } satisfies ToSearchThread);
    return pending.promise as ReturnType<SearchService[M]>;
  }

  #takeResponse({ id, outcome }: SearchResponse): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending !== undefined) this.#durations.addSince(pending.startMs);
    if ('result' in outcome) pending?.resolve(outcome.result);
    else pending?.reject('failure' in outcome ? Failure.fromPlain(outcome.failure) : bugOf(outcome.bug));
  }

  #start(): Worker {
    if (this.#thread !== undefined) return this.#thread;
    clearTimeout(this.#starting);
    const { places, synonyms, log } = this.#deps;
    const cacheFolder = getCompileCacheDir();
    // Node appends a folder for its version.
    const compileCacheDir = cacheFolder === undefined ? undefined : dirname(cacheFolder);
    const thread = new Worker(new URL('thread-entry.js', import.meta.url), {
      workerData: { places, synonyms, compileCacheDir } satisfies SearchThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#thread = thread;
    thread.on('message', (message: FromSearchThread) => {
      if ('id' in message) return this.#takeResponse(message);
      if (message.kind === 'state') this.#state = message.state;
      report(message, log);
    });
    // An unexpected error is a bug, and ends the service like one on the event loop.
    thread.on('error', (error) => {
      if (!isWithoutFiles(error)) throw error;
      this.#startLater();
    });
    return thread;
  }

  /** Fails pending calls, and starts another thread, unless the service ends. */
  #startLater(): void {
    const message = 'The search cannot start, because too many files are open. Try again later.';
    const failure = new Failure('unavailable', message, { retryAfterSeconds: 2 });
    this.#deps.log?.error('the search cannot start, because too many files are open; retrying');
    for (const { reject } of this.#pending.values()) reject(failure);
    this.#pending.clear();
    this.#thread = undefined;
    if (this.#end === undefined) this.#starting = setTimeout(() => this.#start(), START_AFTER_MS).unref();
  }
}

/** The system refuses a further file, of this process or of all. */
function isWithoutFiles(error: unknown): boolean {
  return error instanceof Error && /\bE[MN]FILE\b|too many open files/.test(error.message);
}

function report(message: Exclude<FromSearchThread, { id: number }>, log: Logger | undefined): void {
  if (message.kind === 'state') reportState(message.state, log);
  else if (message.kind === 'doubt') log?.warn({ reason: message.reason }, 'building the search index again');
  else log?.error({ reason: message.reason }, 'search index cannot be loaded; retrying');
}

/** Once a second while the index is built; at the end only for an index that took longer than that. */
function reportState(state: IndexState, log: Logger | undefined): void {
  if (state.state === 'building' && state.done > 0)
    log?.info({ done: state.done, of: state.of }, 'building the search index');
  if (state.state === 'ready')
    log?.[state.ms > SLOW_MS ? 'info' : 'debug']({ from: state.from, ms: state.ms }, 'search index ready');
}

function bugOf(stack: string): Error {
  const error = new Error('The search met an unexpected error.');
  error.stack = stack;
  return error;
}
