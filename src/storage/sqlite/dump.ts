import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  DUMP_TABLES,
  dumpTable,
  type DumpCounters,
  type DumpRow,
  type DumpTable,
  type DumpTableName,
  type DumpTarget,
} from '../../domain/dump.ts';
import { MAX_INT64 } from '../../domain/int64.ts';
import { Failure, unusable } from '../../domain/failure.ts';
import { findInstallation } from '../rows/service/installation-store.ts';
import { openReads } from './engine/steps.ts';
import { derivePets } from './migrations/pet-backfills.ts';
import { inTransaction, prepare, prepareRow, prepareRows, readPragma } from './engine/database.ts';
import { migrate } from './migrations/migrations.ts';
import { findMark, removeMark, writeMark } from './engine/unfinished-restore.ts';
import { LAST_VERSION } from './engine/versions.ts';

const MIN_INT64 = -MAX_INT64 - 1n;

/**
 * SQLite's codes for a key that exists: of a primary key, a unique index or a row ID (https://sqlite.org/rescode.html).
 */
const TAKEN: readonly unknown[] = [1555, 2067, 2579];

/**
 * Versions are stored in the order in which they were written, without an index by pet. This temporary table on the
 * disk is such an index. A pet may have a million versions, so following its chain for every batch would take too long.
 */
const ORDER_OF_VERSIONS = `
  drop table if exists temp.version_order;
  create temp table version_order (pet_id integer, version integer, primary key (pet_id, version)) without rowid;
  insert into temp.version_order select pet_id, version from main.pet_version order by pet_id, version`;

/**
 * Opens a database as the source or target of a copy.
 *
 * @throws Failure `unavailable` for another schema version
 */
export function openDump(db: DatabaseSync): DumpTarget {
  refuseOtherSchema(db);
  db.exec('pragma temp_store = file');
  return new SqliteDump(db);
}

/**
 * Migrates a new target, also if an earlier migration of it was interrupted. One that is in use is left unchanged, and
 * refused later.
 */
export function prepareTarget(db: DatabaseSync): void {
  if (readPragma(db, 'user_version') === 0 || isUnused(db)) migrate(db);
}

function isUnused(db: DatabaseSync): boolean {
  return (
    prepareRow(db, 'select not exists (select 1 from pet_version) and not exists (select 1 from account)')()?.[0] === 1n
  );
}

class SqliteDump implements DumpTarget {
  readonly #db: DatabaseSync;
  readonly #tables: ReadonlyMap<DumpTableName, TableStatements>;
  readonly #nextId;
  readonly #lastVersion;
  readonly #lastAuditId;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#tables = new Map(DUMP_TABLES.map((table) => [table.name, prepareTable(db, table)]));
    this.#nextId = prepareRow(db, 'select id from next_id where kind = ?');
    this.#lastVersion = prepareRow(db, LAST_VERSION);
    this.#lastAuditId = prepareRow(db, `select seq from sqlite_sequence where name = 'audit'`);
  }

  async count(table: DumpTableName): Promise<number> {
    return Number(this.#statementsOf(table).count()?.[0]);
  }

  async readBatch(table: DumpTableName, after: DumpRow | undefined, limit: number) {
    return this.#statementsOf(table).readBatch(after, limit);
  }

  async findLastKey(table: DumpTableName): Promise<DumpRow | undefined> {
    return this.#statementsOf(table).lastKey() as DumpRow | undefined;
  }

  async readCounters(): Promise<DumpCounters> {
    return {
      nextPetId: toNumber(this.#nextId('pet')),
      nextAccountId: toNumber(this.#nextId('account')),
      lastVersion: toNumber(this.#lastVersion()),
      lastAuditId: toNumber(this.#lastAuditId()),
    };
  }

  async findMark(): Promise<string | undefined> {
    return findMark(this.#db);
  }

  findInstallationId(): Promise<string | undefined> {
    return findInstallation(openReads(this.#db));
  }

  async writeInstallationId(id: string): Promise<void> {
    prepare(
      this.#db,
      'insert into installation (only_row, id) values (1, ?) on conflict (only_row) do update set id = excluded.id',
    ).run(id);
  }

  async begin(source: string): Promise<void> {
    writeMark(this.#db, source);
  }

  async finish(): Promise<void> {
    removeMark(this.#db);
  }

  async write(table: DumpTableName, rows: readonly DumpRow[]): Promise<void> {
    const { insert } = this.#statementsOf(table);
    this.#change(() => {
      for (const row of rows) insert.run(...row);
    });
  }

  async derive(): Promise<void> {
    this.#change(() => derivePets(this.#db));
  }

  /** The last version needs no counter: it is in the newest row of pets or accounts, which is never deleted. */
  async writeCounters({ nextPetId, nextAccountId, lastAuditId }: DumpCounters): Promise<void> {
    const db = this.#db;
    this.#change(() => {
      prepare(db, 'update next_id set id = ? where kind = ?').run(nextPetId, 'pet');
      prepare(db, 'update next_id set id = ? where kind = ?').run(nextAccountId, 'account');
      // The last entries may have been deleted by age, so SQLite's own counter may be too low.
      db.exec(`delete from sqlite_sequence where name = 'audit'`);
      if (lastAuditId > 0n) prepare(db, `insert into sqlite_sequence (name, seq) values ('audit', ?)`).run(lastAuditId);
    });
  }

  #statementsOf(table: DumpTableName): TableStatements {
    return this.#tables.get(table) as TableStatements;
  }

  #change(work: () => void): void {
    try {
      inTransaction(this.#db, work);
    } catch (error) {
      throw error instanceof Error && 'errcode' in error && TAKEN.includes(error.errcode) ? writtenByAnother() : error;
    }
  }
}

interface TableStatements {
  count: ReturnType<typeof prepareRow>;
  lastKey: ReturnType<typeof prepareRow>;
  readBatch: (after: DumpRow | undefined, limit: number) => readonly DumpRow[];
  insert: StatementSync;
}

function prepareTable(db: DatabaseSync, table: DumpTable): TableStatements {
  const { name, keyLength } = table;
  const columns = Object.keys(table.columns);
  const key = columns.slice(0, keyLength);
  const places = columns.map(() => '?').join(', ');
  return {
    count: prepareRow(db, `select count(*) from ${name}`),
    lastKey: prepareRow(
      db,
      `select ${key.join(', ')} from ${name} order by ${key.map((column) => `${column} desc`).join(', ')} limit 1`,
    ),
    readBatch: name === 'pet_version' ? prepareVersions(db) : prepareBatches(db, table),
    insert: prepare(db, `insert into ${name} (${columns.join(', ')}) values (${places})`),
  };
}

function prepareBatches(db: DatabaseSync, { name, columns, keyLength }: DumpTable): TableStatements['readBatch'] {
  const names = Object.keys(columns);
  const key = names.slice(0, keyLength).join(', ');
  const places = Array(keyLength).fill('?').join(', ');
  const first = prepareRows<DumpRow>(db, `select ${names.join(', ')} from ${name} order by ${key} limit ?`);
  const next = prepareRows<DumpRow>(
    db,
    `select ${names.join(', ')} from ${name} where (${key}) > (${places}) order by ${key} limit ?`,
  );
  return (after, limit) => (after === undefined ? first(limit) : next(...after, limit));
}

function prepareVersions(db: DatabaseSync): TableStatements['readBatch'] {
  const columns = Object.keys(dumpTable('pet_version').columns)
    .map((column) => `pet_version.${column}`)
    .join(', ');
  let readRows: ((...parameters: SQLInputValue[]) => readonly DumpRow[]) | undefined;

  function putInOrder(): NonNullable<typeof readRows> {
    const isReader = readPragma(db, 'query_only');
    db.exec(`pragma query_only = off; ${ORDER_OF_VERSIONS}; pragma query_only = ${String(isReader)}`);
    return prepareRows<DumpRow>(
      db,
      `select ${columns} from version_order as placed join pet_version on pet_version.version = placed.version
       where (placed.pet_id, placed.version) > (?, ?) order by placed.pet_id, placed.version limit ?`,
    );
  }

  return (after, limit) => {
    // A new pass includes the current rows.
    if (after === undefined || readRows === undefined) readRows = putInOrder();
    const [petId = MIN_INT64, version = MIN_INT64] = after ?? [];
    return readRows(petId, version, limit);
  };
}

/** A source is not migrated, and a target that is not empty is refused unchanged. */
function refuseOtherSchema(db: DatabaseSync): void {
  if (readPragma(db, 'user_version') === knownSchema()) return;
  throw unusable(
    'The database was written by another version of Menagerie. Start this version on it once, or use the other ' +
      'version.',
  );
}

function knownSchema(): unknown {
  const fresh = new DatabaseSync(':memory:');
  try {
    migrate(fresh);
    return readPragma(fresh, 'user_version');
  } finally {
    fresh.close();
  }
}

function toNumber(row: readonly unknown[] | undefined): bigint {
  return (row?.[0] ?? 0n) as bigint;
}

function writtenByAnother(): Failure {
  return new Failure(
    'conflict',
    'Another program is writing to the target. Stop it, and begin again with an empty target.',
  );
}
