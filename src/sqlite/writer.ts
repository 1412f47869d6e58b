import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Failure, type Outcome, type PlainFailure } from '../domain/failure.ts';
import type { PetChange } from '../domain/pet-change.ts';
import type { StoredPet } from '../domain/pet.ts';
import type { PhotoChange, UserChange } from '../domain/ports.ts';
import type { SessionChange } from '../domain/session.ts';

/** What can be written, and what each change answers. */
export interface Writes {
  pet: { change: PetChange; result: StoredPet };
  user: { change: UserChange; result: readonly bigint[] };
  session: { change: SessionChange; result: null };
  photo: { change: PhotoChange; result: readonly string[] };
}

export type WriteKind = keyof Writes;

/** A batch of changes on its way to the writer thread. */
export interface WriteJob<K extends WriteKind = WriteKind> {
  number: number;
  kind: K;
  changes: readonly Writes[K]['change'][];
}

/** What comes back: for each change its result, its failure, or the text of an unexpected error. */
export interface WriteAnswer {
  number: number;
  outcomes: readonly PlainOutcome[];
}

export type PlainOutcome = { result: unknown } | { failure: PlainFailure } | { bug: string };

interface PendingJob {
  resolve: (outcomes: readonly PlainOutcome[]) => void;
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

/** Starts the one thread that writes to this database. Commits wait for the disk there, never on the event loop. */
export function startWriter(databasePath: string): Writer {
  const thread = new Worker(join(import.meta.dirname, 'writer-thread.ts'), { workerData: { databasePath } });
  const pending = new Map<number, PendingJob>();
  let lastNumber = 0;

  thread.on('message', ({ number, outcomes }: WriteAnswer) => {
    pending.get(number)?.resolve(outcomes);
    pending.delete(number);
  });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  void ended.then(() => {
    for (const { reject } of pending.values())
      reject(new Failure('unavailable', 'The service is stopping. Try again later.'));
    pending.clear();
  });

  return {
    async apply<K extends WriteKind>(kind: K, changes: readonly Writes[K]['change'][]) {
      const outcomes = await new Promise<readonly PlainOutcome[]>((resolve, reject) => {
        const job: WriteJob<K> = { number: ++lastNumber, kind, changes };
        pending.set(job.number, { resolve, reject });
        thread.postMessage(job);
      });
      return outcomes.map((outcome) => toOutcome<Writes[K]['result']>(outcome));
    },
    async close() {
      thread.postMessage('close');
      await ended;
    },
  };
}

function toOutcome<T>(outcome: PlainOutcome): Outcome<T> {
  if ('result' in outcome) return outcome.result as T;
  if ('failure' in outcome) return Failure.fromPlain(outcome.failure);
  const error = new Error('The writer met an unexpected error.');
  error.stack = outcome.bug;
  throw error;
}
