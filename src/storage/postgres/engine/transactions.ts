import type { NewAuditEntry, Stamp } from '../../../domain/audit.ts';
import { Failure, ofNewerVersion, type Outcome } from '../../../domain/failure.ts';
import type { Connections } from './connections.ts';
import type { Ask } from './statements.ts';
import { statement } from './statements.ts';
import { readMigrations } from './migration-files.ts';
import type { Later } from './transaction-steps.ts';

/** How far numbers have come; what a transaction takes of them is nobody else's. */
export interface Counters {
  nextPetId: bigint;
  nextAccountId: bigint;
  lastVersion: bigint;
  lastAuditId: bigint;
}

/** A transaction that changes something. No other one of any node is between its beginning and its end. */
export interface Transaction {
  ask: Ask;
  /** There when the transaction has its turn. What is asked before is answered then as well: statements go out in their order, without waiting. */
  counters: Promise<Counters>;
  /** The same, where they are there already: as they stand after what this transaction did until now, which is not yet in the table. */
  countersNow: () => Counters | undefined;
  /** Asks for what the transaction has to wait for only at its end. Whatever is asked after it sees what it did. */
  later: Later;
  /** Writes an entry into the audit trail, at the end of the transaction. */
  audit: (entry: NewAuditEntry) => void;
  /** Remembers that a session or a key was told how pets stand: what is read for it from now on must be no older. */
  wrote: (stamp: Stamp) => void;
}

/** How a store changes its tables, in a transaction that it shares with others. */
export interface StoreWrites<Change, Result> {
  /**
   * Each change succeeds or fails alone: a Failure comes before anything is written for it, and the transaction goes on. Any other error ends the
   * transaction.
   */
  applyAll(changes: readonly Change[], transaction: Transaction): Promise<readonly Outcome<Result>[]>;
}

const KNOWN_SCHEMA = readMigrations().length;

const lockOrder = statement(
  'select next_pet_id, next_account_id, last_version, last_audit_id, schema_version from change_order where only_row = 1 for update',
);
const saveOrder = statement(
  'update change_order set next_pet_id = $1, next_account_id = $2, last_version = $3, last_audit_id = $4 where only_row = 1',
);
const insertAudit = statement(
  `insert into audit (id, at_ms, via, actor_id, actor_name, credential_id, address, action, subject_kind, subject_id, subject_name, outcome, details)
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
 * Does work that changes something. The first thing that it does is to lock the one row that all such work locks: so changes have one order, for every
 * node, and what the work reads is what it changes.
 */
export function inOrder<T>(connections: Connections, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return connections.transaction(async (ask, later) => {
    let numbersNow: Counters | undefined;
    const counters = lockCounters(ask).then((locked) => (numbersNow = locked));
    const entries: NewAuditEntry[] = [];
    const writers = { session: new Map<string, bigint>(), key: new Map<string, bigint>() };
    later(counters);
    const result = await work({
      ask,
      counters,
      countersNow: () => numbersNow,
      later,
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

/** Changes that are applied one after the other, as they came. */
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
  // What a newer version derives from the data, this one would leave as it was.
  if (schemaVersion !== KNOWN_SCHEMA) throw ofNewerVersion();
  const numbers = { nextPetId, nextAccountId, lastVersion, lastAuditId };
  const before = Object.values(numbers).join();
  return Object.assign(numbers, {
    haveChanged: () =>
      [numbers.nextPetId, numbers.nextAccountId, numbers.lastVersion, numbers.lastAuditId].join() !== before,
  });
}

function writeAudit(ask: Ask, entries: readonly NewAuditEntry[], counters: Counters): Promise<unknown> {
  return ask(
    insertAudit,
    entries.map(() => ++counters.lastAuditId),
    entries.map(({ stamp }) => stamp.atMs),
    entries.map(({ stamp }) => stamp.via),
    entries.map(({ stamp }) => stamp.actorId),
    entries.map(({ stamp }) => stamp.actorName),
    entries.map(({ stamp }) => stamp.credentialId),
    entries.map(({ stamp }) => stamp.address),
    entries.map(({ action }) => action),
    entries.map(({ subject }) => subject?.kind ?? null),
    entries.map(({ subject }) => subject?.id ?? null),
    entries.map(({ subject }) => subject?.name ?? null),
    entries.map(({ outcome }) => outcome),
    entries.map(({ details }) => (details === null ? null : JSON.stringify(details))),
  );
}
