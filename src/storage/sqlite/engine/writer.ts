import { getCompileCacheDir } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Failure, type Outcome, type PlainFailure } from '../../../domain/failure.ts';
import type { CommonWrites } from '../../rows/writes.ts';
import type { PackedPet, PackedPetChange } from './packed-pet.ts';

/** The kinds of changes, and the result of each. */
export interface Writes extends CommonWrites {
  pet: { change: PackedPetChange; result: PackedPet };
  /** Finds out whether changes work again. */
  probe: { change: { kind: 'rewrite' }; result: number };
}

export type WriteKind = keyof Writes;

/** How a store changes its tables, inside a transaction of the writer that it shares with others. */
export interface TransactionWrites<Change, Result> {
  begin?(): void;
  /** A Failure is thrown before anything is written: the transaction goes on without this change. */
  apply(change: Change): Result;
  save?(): void;
}

/** Changes of one kind on their way to the writer thread. One message has the jobs of one transaction. */
export interface WriteJob<K extends WriteKind = WriteKind> {
  kind: K;
  changes: readonly Writes[K]['change'][];
}

/** The first message of the thread; all others are the answers to the jobs of one message. */
export const STARTED = 'started';

type WriterMessage = typeof STARTED | readonly WriteAnswer[];

/** What comes back, for each change of a job: its result, its failure, or the text of an unexpected error. */
export type WriteAnswer = readonly PlainOutcome[];

export type PlainOutcome = { result: unknown } | { failure: PlainFailure } | { bug: string };

interface PendingJob {
  job: WriteJob;
  resolve: (answer: WriteAnswer) => void;
  reject: (error: unknown) => void;
}

export interface Writer {
  /** Each change succeeds or fails alone; when this answers, the successful ones are on the disk. */
  apply<K extends WriteKind>(
    kind: K,
    changes: readonly Writes[K]['change'][],
  ): Promise<readonly Outcome<Writes[K]['result']>[]>;
  /** Finishes what was asked for, then closes the database. */
  close(): Promise<void>;
}

/** A writer that other processes use as well. */
export interface SharedWriter extends Writer {
  /** Resolves when it can write. @throws Failure `unavailable` when it cannot open the database; nothing can be written then */
  started: Promise<void>;
  /** What another process asks, and what it is told. */
  applyJob(job: WriteJob): Promise<WriteAnswer>;
  /** Duration of the current transaction; 0 without one. */
  waitingMs(): number;
}

/** Called when the engine does not take changes, with the reason. */
export type OnTrouble = (reason: string) => void;

/**
 * Where there is one core, the thread gains nothing from getting work while the event loop is still busy with the last answers; and those who were just
 * answered are about to ask again. Some turns later there is more for one transaction: among many reads, some ten percent more of both, measured; of
 * changes alone, longer pauses make fewer.
 */
const PAUSE_TURNS = availableParallelism() === 1 ? 10 : 0;

/** The way to whoever writes. One message at a time is under way, and is answered. */
export interface WriterLink {
  send(jobs: readonly WriteJob[]): void;
  onAnswers(take: (answers: readonly WriteAnswer[]) => void): void;
  /** Called once, when no answer will come any more; with the reason, where it is not that the service stops. */
  onEnd(end: (reason?: Error) => void): void;
  /** Asks for the end. */
  close(): void;
}

/**
 * Starts the one thread that writes to this database. Commits wait for the disk there, never on the event loop. While one transaction is under
 * way, what is asked for gathers here; the next one takes it all, with one flush to the disk.
 */
export function startWriter(databasePath: string, onTrouble?: OnTrouble): SharedWriter {
  const thread = new Worker(join(import.meta.dirname, 'thread-entry.js'), {
    workerData: { databasePath, compileCacheDir: compileCacheFolder() },
  });
  const started = Promise.withResolvers<void>();
  let isStarted = false;
  let trouble: Error | undefined;
  // Those who do not ask learn it with their first change.
  started.promise.catch(() => {});
  thread.once('message', () => {
    isStarted = true;
    started.resolve();
  });
  thread.on('error', (error: Error) => {
    // Later it is a bug, after which the service cannot go on.
    if (isStarted) throw error;
    trouble = asFailure(error);
    started.reject(trouble);
  });
  const writer = createWriter(
    {
      send: (jobs) => thread.postMessage(jobs),
      onAnswers: (take) => thread.on('message', (message: WriterMessage) => message !== STARTED && take(message)),
      onEnd: (end) => thread.once('exit', () => end(trouble)),
      close: () => thread.postMessage('close'),
    },
    onTrouble,
  );
  return { ...writer, started: started.promise };
}

/** What SQLite or the file system says. Any other error is left unchanged. */
function asFailure(error: Error): Error {
  const isOfSystem = 'errcode' in error || 'syscall' in error;
  return isOfSystem
    ? new Failure('unavailable', `The database cannot be opened for writing (${error.message}).`)
    : error;
}

/** As it was given to Node, which adds a folder for its version. */
function compileCacheFolder(): string | undefined {
  const folder = getCompileCacheDir();
  return folder === undefined ? undefined : dirname(folder);
}

/** A writer by way of a link, wherever it leads. */
export function createWriter(link: WriterLink, onTrouble?: OnTrouble): Omit<SharedWriter, 'started'> {
  let sentAtMs = 0;
  let gathering: PendingJob[] = [];
  let underWay: PendingJob[] = [];
  let isPausing = false;
  let hasEnded = false;
  let endedFor: Error | undefined;

  /** Sends what has gathered, after so many turns of the event loop. */
  function sendAfter(turns: number): void {
    isPausing = turns > 0;
    if (isPausing) setImmediate(() => sendAfter(turns - 1));
    else if (gathering.length > 0) send();
  }

  function send(): void {
    underWay = gathering;
    gathering = [];
    sentAtMs = performance.now();
    link.send(underWay.map(({ job }) => job));
  }

  link.onAnswers((answers) => {
    const answered = underWay;
    underWay = [];
    sendAfter(PAUSE_TURNS);
    answered.forEach(({ resolve }, index) => resolve(answers[index] ?? []));
    const cause = causeIn(answers);
    if (cause !== undefined) onTrouble?.(cause);
  });

  const ended = new Promise<void>((resolve) => {
    link.onEnd((reason) => {
      hasEnded = true;
      endedFor = reason;
      for (const { reject } of [...underWay, ...gathering]) reject(reason ?? stopping());
      underWay = [];
      gathering = [];
      resolve();
    });
  });

  function ask(job: WriteJob): Promise<WriteAnswer> {
    return new Promise((resolve, reject) => {
      if (hasEnded) return reject(endedFor ?? stopping());
      gathering.push({ job, resolve, reject });
      if (underWay.length === 0 && !isPausing) send();
    });
  }

  return {
    async apply(kind, changes) {
      const answer = await ask({ kind, changes });
      return answer.map((outcome) => toOutcome(outcome));
    },
    applyJob: ask,
    waitingMs: () => (underWay.length === 0 ? 0 : performance.now() - sentAtMs),
    async close() {
      while (underWay.length + gathering.length > 0) await Promise.race([delay(1), ended]);
      link.close();
      await ended;
    },
  };
}

/** The reason when the engine did not take changes. */
function causeIn(answers: readonly WriteAnswer[]): string | undefined {
  for (const outcomes of answers)
    for (const outcome of outcomes)
      if ('failure' in outcome && outcome.failure.cause !== undefined) return outcome.failure.cause;
  return undefined;
}

function stopping(): Failure {
  return new Failure('unavailable', 'The service is stopping. Try again later.');
}

function toOutcome<T>(outcome: PlainOutcome): Outcome<T> {
  if ('result' in outcome) return outcome.result as T;
  if ('failure' in outcome) return Failure.fromPlain(outcome.failure);
  const error = new Error('The writer met an unexpected error.');
  error.stack = outcome.bug;
  return error;
}
