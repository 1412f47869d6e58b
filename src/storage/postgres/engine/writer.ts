import { Distribution, type WriterActivity } from '../../../domain/activity.ts';
import { Failure, type Outcome } from '../../../domain/failure.ts';
import type { PetRecord } from '../../../domain/pets/pet.ts';
import { FailureAfterWrite } from '../../rows/steps.ts';
import { onlyOnce } from './claimed-changes.ts';
import type { Connections } from './connections.ts';
import { inOrder, type StoreWrites, type WriteKind, type Writes } from './transactions.ts';

type WritesOfStores = Readonly<Record<WriteKind, StoreWrites<unknown, unknown>>>;

interface PendingChange {
  kind: WriteKind;
  change: unknown;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/**
 * While one transaction commits, the next one already waits for the lock at the server: it begins without a round trip
 * between them.
 */
const MAX_TRANSACTIONS = 2;

/** Number of waiting changes that are worth a transaction of their own while another is in progress. */
const MANY = 128;

const MAX_CHANGES = 1024;

/**
 * Maximum length of the texts of one transaction: each is in several statements, and the driver limits the size of a
 * statement.
 */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Batches changes: those that arrive in one iteration of the event loop share a transaction, and further changes wait
 * while it is in progress. The changes of a kind are written together, in their order.
 */
export class Writer {
  readonly #connections: Connections;
  readonly #writes: WritesOfStores;
  #waiting: PendingChange[] = [];
  #inProgress = 0;
  #isScheduled = false;
  #whenIdle: (() => void)[] = [];
  readonly #batchSizes = Distribution.ofBatchSizes();
  readonly #durations = Distribution.ofDurations();

  constructor({ connections, writes }: { connections: Connections; writes: WritesOfStores }) {
    this.#connections = connections;
    this.#writes = writes;
  }

  /** Makes a change. It is committed when the promise resolves. @throws Failure of this change alone */
  apply<K extends WriteKind>(kind: K, change: Writes[K]['change']): Promise<Writes[K]['result']> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ kind, change, resolve, reject });
      this.#beginSoon();
    });
  }

  activity(): WriterActivity {
    return { waiting: this.#waiting.length, batchSizes: this.#batchSizes, durations: this.#durations };
  }

  /** Completes the pending changes. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
      this.#beginSoon();
    });
  }

  #beginSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#begin();
    });
  }

  #begin(): void {
    while (this.#mayBegin()) {
      this.#inProgress++;
      void this.#run(this.#takeWaiting()).finally(() => {
        this.#inProgress--;
        // The clients that just got a response may be about to send more.
        this.#beginSoon();
      });
    }
    if (this.#inProgress > 0) return;
    for (const resolve of this.#whenIdle) resolve();
    this.#whenIdle = [];
  }

  #mayBegin(): boolean {
    const count = this.#waiting.length;
    return this.#inProgress === 0 ? count > 0 : this.#inProgress < MAX_TRANSACTIONS && count >= MANY;
  }

  #takeWaiting(): readonly PendingChange[] {
    let count = 0;
    for (let characters = 0; count < this.#waiting.length && count < MAX_CHANGES; count++) {
      characters += textOf(this.#waiting[count]?.change)?.length ?? 0;
      if (count > 0 && characters > MAX_CHARACTERS) break;
    }
    const taken = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    return taken;
  }

  async #run(changes: readonly PendingChange[]): Promise<void> {
    const startMs = performance.now();
    this.#batchSizes.add(changes.length);
    const outcomes = (await this.#commitTogether(changes)) ?? (await this.#commitEachAlone(changes));
    this.#durations.addSince(startMs);
    for (const each of changes) {
      const outcome = outcomes.get(each);
      if (outcome instanceof Error) each.reject(outcome);
      else each.resolve(outcome as never);
    }
  }

  /** All changes in one transaction; undefined after an unexpected error or a late Failure: nothing was changed. */
  async #commitTogether(changes: readonly PendingChange[]): Promise<Outcomes | undefined> {
    try {
      return await inOrder(this.#connections, async (transaction) => {
        const outcomes = new Map<PendingChange, Outcome<unknown>>();
        for (const [kind, ofKind] of byKind(changes)) {
          const results = await this.#storeOf(kind).applyAll(
            ofKind.map(({ change }) => change),
            transaction,
          );
          ofKind.forEach((each, index) => outcomes.set(each, results[index]));
        }
        return outcomes;
      });
    } catch (error) {
      if (!(error instanceof Failure)) return undefined;
      return new Map(changes.map((each) => [each, error]));
    }
  }

  /** One transaction for each change, so that only the change that causes the error fails. */
  async #commitEachAlone(changes: readonly PendingChange[]): Promise<Outcomes> {
    const outcomes = new Map<PendingChange, Outcome<unknown>>();
    let unavailable: Failure | undefined;
    for (const each of changes) {
      try {
        // Waiting for an unreachable database once for each of a thousand changes would take an hour.
        if (unavailable !== undefined) throw unavailable;
        const [outcome] = await inOrder(this.#connections, (transaction) =>
          this.#storeOf(each.kind).applyAll([each.change], transaction),
        );
        outcomes.set(each, outcome);
      } catch (error) {
        if (error instanceof Failure) unavailable = error;
        outcomes.set(each, outcomeOf(error));
      }
    }
    return outcomes;
  }

  #storeOf(kind: WriteKind): StoreWrites<unknown, unknown> {
    return onlyOnce(kind, this.#writes[kind]);
  }
}

type Outcomes = ReadonlyMap<PendingChange, Outcome<unknown>>;

function outcomeOf(error: unknown): Error {
  if (error instanceof FailureAfterWrite) return error.failure;
  return error instanceof Error ? error : new Error(String(error));
}

function byKind(changes: readonly PendingChange[]): ReadonlyMap<WriteKind, readonly PendingChange[]> {
  return Map.groupBy(changes, ({ kind }) => kind);
}

/** The text of a pet, or the response to be stored, if the change has one. */
function textOf(change: unknown): string | undefined {
  const { kind, record, response } = change as { kind?: string; record?: PetRecord; response?: string | null };
  if (kind === 'record') return response ?? undefined;
  return kind === 'put' ? record?.textAfterId : undefined;
}
