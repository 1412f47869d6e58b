import type { NewAuditEntry, Stamp } from '../../../domain/audit.ts';
import { Failure, databaseRetired, databaseTooNew, type Outcome } from '../../../domain/failure.ts';
import type { Connections } from './connections.ts';
import { statement, type Ask } from './statements.ts';
import { KNOWN_SCHEMA, OLDEST_SCHEMA } from './migration-files.ts';
import type { Later } from './transaction-steps.ts';
import type { PetChange, PetState } from '../../../domain/pets/pet-change.ts';
import { AUDIT_COLUMNS, auditColumns } from '../../rows/audit/audit-rows.ts';
import type { CommonTransaction } from '../../rows/steps.ts';
import type { CommonWrites } from '../../rows/stores/stores.ts';

/** The counters of ids and versions. A transaction that holds the lock takes numbers from them exclusively. */
interface Counters {
  nextPetId: bigint;
  nextAccountId: bigint;
  lastVersion: bigint;
  lastAuditId: bigint;
}

/** A transaction that makes changes. No other one of any node runs between its lock and its end. */
export interface Transaction extends CommonTransaction {
  ask: Ask;
  /**
   * Resolves when the transaction has the lock. Statements sent earlier also wait for it, because the server executes
   * them in order.
   */
  counters: Promise<Counters>;
  /**
   * The counters after what this transaction did so far, or undefined while it waits for the lock. They are not stored
   * yet.
   */
  countersNow: () => Counters | undefined;
  /** Registers a statement that is awaited only before the commit. Later statements see its effect. */
  later: Later;
  /** Records that a session or key has seen the current state of the pets: its later reads must not be older. */
  wrote: (stamp: Stamp) => void;
}

/** Writes the changes of one kind, in a transaction that it shares with other kinds. */
export interface StoreWrites<Change, Result> {
  /**
   * Each change succeeds or fails alone: a Failure is returned before anything is written for the change, and the
   * transaction continues. Any other error ends the transaction, also FailureAfterWrite.
   */
  applyAll(changes: readonly Change[], transaction: Transaction): Promise<readonly Outcome<Result>[]>;
}

const lockOrder = statement(
  'select next_pet_id, next_account_id, last_version, last_audit_id, schema_version from change_order where ' +
    'only_row = 1 for update',
);
const saveOrder = statement(
  'update change_order set next_pet_id = $1, next_account_id = $2, last_version = $3, last_audit_id = $4 where ' +
    'only_row = 1',
);
const insertAudit = statement(
  `insert into audit (id, ${AUDIT_COLUMNS})
   select * from unnest($1::int8[], $2::int8[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
     $11::text[], $12::text[], $13::text[])`,
);
const noteVersion = {
  session: statement(
    'update session set last_version = $1 where account_id = any($2::int8[]) and id = any($3::text[])',
  ),
  key: statement('update api_key set last_version = $1 where account_id = any($2::int8[]) and id = any($3::text[])'),
};

/**
 * Runs work that makes changes. It first locks the one row that all changes lock, so changes have one order on all
 * nodes, and nothing changes between the reads and the writes of the work.
 */
export function inOrder<T>(connections: Connections, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return connections.transaction(async (ask, later) => {
    let numbersNow: Counters | undefined;
    const counters = lockCounters(ask).then((numbers) => (numbersNow = numbers));
    const entries: NewAuditEntry[] = [];
    const writers = { session: new Map<string, bigint>(), key: new Map<string, bigint>() };
    later(counters);
    const result = await work({
      ask,
      counters,
      countersNow: () => numbersNow,
      later,
      lastVersion: () => locked(numbersNow).lastVersion,
      takeVersion: () => ++locked(numbersNow).lastVersion,
      nextAccountId: () => locked(numbersNow).nextAccountId,
      continueAccountIds: (next) => (locked(numbersNow).nextAccountId = next),
      audit: (entry) => entries.push(entry),
      wrote: ({ via, credentialId, actorId }) => {
        if ((via === 'session' || via === 'key') && credentialId !== null && actorId !== null)
          writers[via].set(credentialId, actorId);
      },
    });
    const numbers = await counters;
    for (const via of ['session', 'key'] as const) {
      const ids = [...writers[via].keys()];
      if (ids.length > 0) later(ask(noteVersion[via], numbers.lastVersion, [...writers[via].values()], ids));
    }
    if (entries.length > 0) later(writeAudit(ask, entries, numbers));
    if (numbers.haveChanged()) {
      const { nextPetId, nextAccountId, lastVersion, lastAuditId } = numbers;
      later(ask(saveOrder, nextPetId, nextAccountId, lastVersion, lastAuditId));
    }
    return result;
  });
}

function locked(counters: Counters | undefined): Counters {
  if (counters === undefined) throw new Error('The transaction does not have the lock yet.');
  return counters;
}

/** Applies the changes one after the other, in the order of their arrival. */
export function eachInTurn<Change, Result>(
  apply: (change: Change, transaction: Transaction) => Promise<Result>,
): StoreWrites<Change, Result> {
  return {
    async applyAll(changes, transaction) {
      const outcomes: Outcome<Result>[] = [];
      for (const change of changes) outcomes.push(await apply(change, transaction).catch(failureAlone));
      return outcomes;
    },
  };
}

export function failureAlone(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

async function lockCounters(ask: Ask): Promise<Counters & { haveChanged: () => boolean }> {
  const [row] = await ask<[bigint, bigint, bigint, bigint, number]>(lockOrder);
  if (row === undefined) throw new Error('The row that gives changes their order is not there.');
  const [nextPetId, nextAccountId, lastVersion, lastAuditId, schemaVersion] = row;
  if (schemaVersion < 0) throw databaseRetired();
  // This version does not know what a newer one derives from the data. After later migrations that it works with, the
  // number is higher than its own.
  if (schemaVersion > KNOWN_SCHEMA || schemaVersion < OLDEST_SCHEMA) throw databaseTooNew();
  const numbers = { nextPetId, nextAccountId, lastVersion, lastAuditId };
  const before = Object.values(numbers).join();
  return Object.assign(numbers, {
    haveChanged: () =>
      [numbers.nextPetId, numbers.nextAccountId, numbers.lastVersion, numbers.lastAuditId].join() !== before,
  });
}

function writeAudit(ask: Ask, entries: readonly NewAuditEntry[], counters: Counters): Promise<unknown> {
  const rows = entries.map(auditColumns);
  return ask(
    insertAudit,
    entries.map(() => ++counters.lastAuditId),
    ...(rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? null)),
  );
}

/** The kinds of changes, and the result of each. */
export interface Writes extends CommonWrites {
  pets: { change: PetChange; result: PetState };
}

export type WriteKind = keyof Writes;
