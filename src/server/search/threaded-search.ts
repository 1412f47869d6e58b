import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Synonyms } from '../../domain/search/synonyms.ts';
import type { StorePlaces } from '../configuration/config.ts';
import type { Logger } from '../log/log.ts';
import type { IndexState } from '../../domain/search/search-engine.ts';
import { RemoteSearch, type FromSearchThread, type SearchThreadData, type ToSearchThread } from './search-messages.ts';

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

/** A search service in a worker thread. */
export class ThreadedSearch extends RemoteSearch {
  readonly #deps: ThreadedSearchDeps;
  readonly #starting: NodeJS.Timeout;
  #thread: Worker | undefined;
  #state: IndexState = { state: 'loading' };

  constructor(deps: ThreadedSearchDeps) {
    super({ send: (call) => this.#start().postMessage(call satisfies ToSearchThread) });
    this.#deps = deps;
    this.#starting = setTimeout(() => this.#start(), START_AFTER_MS).unref();
  }

  /** As last reported by the thread, which does not respond while it loads a file. */
  override async state(): Promise<IndexState> {
    return this.#state;
  }

  async close(): Promise<void> {
    clearTimeout(this.#starting);
    this.end();
    const thread = this.#thread;
    if (thread === undefined) return;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.postMessage('close' satisfies ToSearchThread);
    await ended;
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
      if ('id' in message) return this.takeResponse(message);
      if (message.kind === 'state') this.#state = message.state;
      report(message, log);
    });
    // An unexpected error is a bug, and ends the service like one on the event loop.
    thread.on('error', (error) => {
      throw error;
    });
    return thread;
  }
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
