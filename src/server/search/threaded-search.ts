import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { StorePlaces } from '../config.ts';
import type { Logger } from '../log.ts';
import { RemoteSearch, type FromSearchThread, type SearchThreadData, type ToSearchThread } from './search-messages.ts';

/** The thread starts after this time, so that it does not delay the first responses, or with the first search. */
const START_AFTER_MS = 1000;

export interface ThreadedSearchDeps {
  places: StorePlaces;
  log: Logger | undefined;
}

/** A search service in a worker thread. */
export class ThreadedSearch extends RemoteSearch {
  readonly #deps: ThreadedSearchDeps;
  readonly #starting: NodeJS.Timeout;
  #thread: Worker | undefined;

  constructor(deps: ThreadedSearchDeps) {
    super({ send: (call) => this.#start().postMessage(call satisfies ToSearchThread) });
    this.#deps = deps;
    this.#starting = setTimeout(() => this.#start(), START_AFTER_MS).unref();
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
    const { places, log } = this.#deps;
    const cacheFolder = getCompileCacheDir();
    // Node appends a folder for its version.
    const compileCacheDir = cacheFolder === undefined ? undefined : dirname(cacheFolder);
    const thread = new Worker(join(import.meta.dirname, 'thread-entry.js'), {
      workerData: { places, compileCacheDir } satisfies SearchThreadData,
    });
    this.#thread = thread;
    thread.on('message', (message: FromSearchThread) => {
      if ('id' in message) this.takeReply(message);
      else report(message, log);
    });
    // An unexpected error is a bug, and ends the service like one on the event loop.
    thread.on('error', (error) => {
      throw error;
    });
    return thread;
  }
}

function report(message: Exclude<FromSearchThread, { id: number }>, log: Logger | undefined): void {
  if (message.kind === 'progress') log?.info({ done: message.done, of: message.of }, 'building the search index');
  else if (message.kind === 'ready') log?.debug({ ms: message.ms }, 'search index ready');
  else if (message.kind === 'doubt') log?.warn({ reason: message.reason }, 'building the search index again');
  else log?.error({ reason: message.reason }, 'search index cannot be loaded; retrying');
}
