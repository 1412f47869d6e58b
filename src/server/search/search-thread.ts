import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { becauseOf, Failure } from '../../domain/failure.ts';
import { isEngineTrouble, reasonOf } from '../../storage/sqlite/engine/files/troubles.ts';
import { ReopenedSource } from './reopened-source.ts';
import { INDEX_FILE, readIndexFile, writeIndexFile } from './index-file.ts';
import { LocalSearch } from './local-search.ts';
import type {
  FromSearchThread,
  SearchCall,
  SearchResponse,
  SearchThreadData,
  ToSearchThread,
} from './search-messages.ts';

/* The search thread, with its own database connection. Searches do not delay other requests. */

const RETRY_MS = 1000;
/** An index that took longer is saved immediately. */
const SLOW_LOAD_MS = 1000;
const PROGRESS_INTERVAL_MS = 1000;

const { places, synonyms } = workerData as SearchThreadData;
const port = parentPort as MessagePort;
const path = join(places.dataDir, INDEX_FILE);
const database = new ReopenedSource(places);
let lastStateMs = 0;
let isLoaded = false;

const search = new LocalSearch({
  source: database,
  synonyms,
  readSaved: () => readIndexFile(path),
  onState: (state) => {
    const isProgress = state.state === 'building' && state.done > 0;
    if (isProgress && performance.now() - lastStateMs < PROGRESS_INTERVAL_MS) return;
    lastStateMs = performance.now();
    send({ kind: 'state', state });
  },
  onDoubt: (reason) => send({ kind: 'doubt', reason }),
});
port.on('message', (message: ToSearchThread) => {
  if (message === 'close') void end();
  else void responseTo(message).then(send);
});
void load();

/** Never rejects. */
async function responseTo({ id, method, parameters }: SearchCall): Promise<SearchResponse> {
  try {
    const call = search[method].bind(search) as (...all: readonly unknown[]) => Promise<unknown>;
    return { id, outcome: { result: await call(...parameters) } };
  } catch (error) {
    if (error instanceof Failure) return { id, outcome: { failure: error.toPlain() } };
    if (isEngineTrouble(error)) return { id, outcome: { failure: unreadable(reasonOf(error)).toPlain() } };
    return { id, outcome: { bug: error instanceof Error ? (error.stack ?? error.message) : String(error) } };
  }
}

function unreadable(reason: string): Failure {
  const message = 'The search cannot read the database at the moment. Try again in a few seconds.';
  return becauseOf(reason, new Failure('unavailable', message, { retryAfterSeconds: RETRY_MS / 1000 }));
}

async function load(hasFailed = false): Promise<void> {
  const startedMs = performance.now();
  try {
    await search.load();
    isLoaded = true;
    // Otherwise a service that is always killed would build it at every start.
    if (performance.now() - startedMs > SLOW_LOAD_MS) await save();
  } catch (error) {
    // If the service cannot start, it reports the reason itself.
    if (hasFailed) send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
    await delay(RETRY_MS, undefined, { ref: false });
    return load(true);
  }
}

/** A failure costs only the time of the next start. */
async function save(): Promise<void> {
  await writeIndexFile(path, search.save()).catch(() => {});
}

async function end(): Promise<void> {
  if (isLoaded) await save();
  await database.close();
  // Ends this thread, also while the index is being built.
  process.exit();
}

function send(message: FromSearchThread): void {
  port.postMessage(message);
}
