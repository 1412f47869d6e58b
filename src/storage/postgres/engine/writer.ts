import { Failure, type Outcome } from '../../../domain/failure.ts';
import type { PetRecord } from '../../../domain/pets/pet.ts';
import { onlyOnce } from '../claimed-changes.ts';
import type { Connections } from './connections.ts';
import { inOrder, type StoreWrites } from './transactions.ts';
import type { WriteKind, Writes } from './writes.ts';

/** How each kind of change is written. */
export type WritesOfStores = { [K in WriteKind]: StoreWrites<Writes[K]['change'], Writes[K]['result']> };

export interface Writer {
  /** Each change succeeds or fails alone; when this answers, the successful ones are committed. */
  apply<K extends WriteKind>(
    kind: K,
    changes: readonly Writes[K]['change'][],
  ): Promise<readonly Outcome<Writes[K]['result']>[]>;
  /** Finishes what was asked for. */
  close(): Promise<void>;
}

interface Job {
  kind: WriteKind;
  changes: readonly unknown[];
  resolve: (outcomes: readonly Outcome<unknown>[]) => void;
}

/** While one transaction commits, the next one already waits for its turn, at the server: it begins without a way there and back between them. */
const TRANSACTIONS_AT_ONCE = 2;

const MAX_CHANGES = 1024;

/** The texts of one transaction: each is in several statements, and a statement has an end at which the driver breaks off. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** Makes transactions of what arrives together. What arrives while as many as may be are under way gathers; the next one takes it. */
export function createWriter(connections: Connections, writes: WritesOfStores): Writer {
  let gathering: Job[] = [];
  let underWay = 0;
  let whenIdle: (() => void)[] = [];

  function begin(): void {
    while (gathering.length > 0 && underWay < TRANSACTIONS_AT_ONCE) {
      underWay++;
      void run(takeJobs()).finally(() => {
        underWay--;
        begin();
      });
    }
    if (underWay > 0) return;
    for (const tell of whenIdle) tell();
    whenIdle = [];
  }

  function takeJobs(): Job[] {
    let changes = 0;
    let count = 0;
    for (let characters = 0; count < gathering.length; count++) {
      const job = gathering[count] as Job;
      changes += job.changes.length;
      characters += charactersOf(job.changes);
      if (count > 0 && (changes > MAX_CHANGES || characters > MAX_CHARACTERS)) break;
    }
    const taken = gathering.slice(0, count);
    gathering = gathering.slice(count);
    return taken;
  }

  async function run(jobs: readonly Job[]): Promise<void> {
    const outcomes = (await commitTogether(jobs)) ?? (await commitEachAlone(jobs));
    for (const [index, job] of jobs.entries()) job.resolve(outcomes[index] ?? []);
  }

  /** All jobs in one transaction; undefined when something unexpected happened, and nothing was changed. */
  async function commitTogether(jobs: readonly Job[]): Promise<readonly (readonly Outcome<unknown>[])[] | undefined> {
    try {
      return await inOrder(connections, async (transaction) => {
        const outcomes: Outcome<unknown>[] = [];
        for (const { kind, changes } of runsOf(jobs))
          outcomes.push(...(await storeOf(kind).applyAll(changes, transaction)));
        return shareOut(outcomes, jobs);
      });
    } catch (error) {
      if (!(error instanceof Failure)) return undefined;
      return jobs.map(({ changes }) => changes.map(() => error));
    }
  }

  /** One transaction for each change, so that the one that brings the unexpected down fails alone. */
  async function commitEachAlone(jobs: readonly Job[]): Promise<readonly (readonly Outcome<unknown>[])[]> {
    let outOfReach: Failure | undefined;
    const commitAlone = async (kind: WriteKind, change: unknown): Promise<Outcome<unknown>> => {
      // A thousand who each wait for a database that does not answer would wait for an hour.
      if (outOfReach !== undefined) return outOfReach;
      try {
        const [outcome] = await inOrder(connections, (transaction) => storeOf(kind).applyAll([change], transaction));
        return outcome;
      } catch (error) {
        if (error instanceof Failure) outOfReach = error;
        return error instanceof Error ? error : new Error(String(error));
      }
    };
    const all: Outcome<unknown>[][] = [];
    for (const { kind, changes } of jobs) {
      const outcomes: Outcome<unknown>[] = [];
      for (const change of changes) outcomes.push(await commitAlone(kind, change));
      all.push(outcomes);
    }
    return all;
  }

  function storeOf(kind: WriteKind): StoreWrites<unknown, unknown> {
    return onlyOnce(kind, writes[kind]);
  }

  return {
    apply<K extends WriteKind>(kind: K, changes: readonly Writes[K]['change'][]) {
      const parts = partsOf(changes).map(
        (part) =>
          new Promise<readonly Outcome<Writes[K]['result']>[]>((resolve) => {
            gathering.push({ kind, changes: part, resolve: resolve as Job['resolve'] });
          }),
      );
      begin();
      return Promise.all(parts).then((outcomes) => outcomes.flat());
    },
    close: () =>
      new Promise((resolve) => {
        whenIdle.push(resolve);
        begin();
      }),
  };
}

/** As few parts as have not too many characters each. */
function partsOf<C>(changes: readonly C[]): readonly (readonly C[])[] {
  if (charactersOf(changes) <= MAX_CHARACTERS || changes.length < 2) return [changes];
  const middle = Math.ceil(changes.length / 2);
  return [...partsOf(changes.slice(0, middle)), ...partsOf(changes.slice(middle))];
}

function charactersOf(changes: readonly unknown[]): number {
  return changes.reduce<number>((sum, change) => sum + (textOf(change)?.length ?? 0), 0);
}

/** The text that a pet is to have, or the answer that is to be kept, where it comes with the change. */
function textOf(change: unknown): string | undefined {
  const { kind, record, answer } = change as { kind?: string; record?: PetRecord; answer?: string | null };
  if (kind === 'record') return answer ?? undefined;
  return kind === 'put' ? record?.textAfterId : undefined;
}

/** Neighbours of one kind are written as one. */
function runsOf(jobs: readonly Job[]): readonly Pick<Job, 'kind' | 'changes'>[] {
  const runs: { kind: WriteKind; changes: unknown[] }[] = [];
  for (const { kind, changes } of jobs) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.changes.push(...changes);
    else runs.push({ kind, changes: [...changes] });
  }
  return runs;
}

function shareOut(outcomes: readonly Outcome<unknown>[], jobs: readonly Job[]): (readonly Outcome<unknown>[])[] {
  let from = 0;
  return jobs.map(({ changes }) => outcomes.slice(from, (from += changes.length)));
}
