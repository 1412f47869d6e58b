import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { dumpTable, type DumpCounters, type DumpTableName, type DumpTarget } from '../rows/dump/dump-tables.ts';
import type { DumpRow } from '../rows/dump/dump-table.ts';
import { MIN_INT64 } from '../../domain/int64.ts';
import {
  isUnused,
  replaceInstallation,
  requireKnownSchema,
  SqlDump,
  writtenByAnother,
} from '../rows/dump/database-dump.ts';
import { inTransaction, prepare, prepareRows, readPragma } from './engine/database.ts';
import { askOn, openReads } from './engine/steps.ts';
import { findMark, removeMark, writeMark } from './engine/unfinished-restore.ts';
import { countMigrations, migrate, readSchema } from './migrations/migrations.ts';
import { derivePets } from './migrations/pet-backfills.ts';

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
  requireKnownSchema(readSchema(db), countMigrations());
  db.exec('pragma temp_store = file');
  return new SqliteDump(db);
}

/**
 * Marks and migrates a new target, also if an earlier migration of it was interrupted. One that is in use is left
 * unchanged, and refused later.
 */
export function prepareTarget(db: DatabaseSync): void {
  if (readSchema(db) === 0) writeMark(db, '');
  if (findMark(db) === '' || askOn(db)(isUnused)[0]?.[0] === 1n) migrate(db);
}

class SqliteDump extends SqlDump implements DumpTarget {
  readonly #db: DatabaseSync;
  readonly #inserts = new Map<DumpTableName, StatementSync>();
  #readVersions: ((...key: readonly [...DumpRow, limit: number]) => readonly DumpRow[]) | undefined;

  constructor(db: DatabaseSync) {
    super(openReads(db));
    this.#db = db;
  }

  override async readBatch(table: DumpTableName, after: DumpRow | undefined, limit: number) {
    if (table !== 'pet_version') return super.readBatch(table, after, limit);
    // A new pass includes the current rows.
    if (after === undefined || this.#readVersions === undefined) this.#readVersions = putVersionsInOrder(this.#db);
    return this.#readVersions(...(after ?? [MIN_INT64, MIN_INT64]), limit);
  }

  async findMark(): Promise<string | undefined> {
    return findMark(this.#db);
  }

  async writeInstallationId(id: string): Promise<void> {
    askOn(this.#db)(replaceInstallation, id);
  }

  async begin(source: string): Promise<void> {
    writeMark(this.#db, source);
  }

  async finish(): Promise<void> {
    removeMark(this.#db);
  }

  async write(table: DumpTableName, rows: readonly DumpRow[]): Promise<void> {
    const insert = this.#insertInto(table);
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

  #insertInto(table: DumpTableName): StatementSync {
    const columns = Object.keys(dumpTable(table).columns);
    const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
    const insert = this.#inserts.get(table) ?? prepare(this.#db, sql);
    this.#inserts.set(table, insert);
    return insert;
  }

  #change(work: () => void): void {
    try {
      inTransaction(this.#db, work);
    } catch (error) {
      throw error instanceof Error && 'errcode' in error && TAKEN.includes(error.errcode) ? writtenByAnother() : error;
    }
  }
}

function putVersionsInOrder(db: DatabaseSync) {
  const columns = Object.keys(dumpTable('pet_version').columns).map((column) => `pet_version.${column}`);
  const isReader = readPragma(db, 'query_only');
  db.exec(`pragma query_only = off; ${ORDER_OF_VERSIONS}; pragma query_only = ${String(isReader)}`);
  return prepareRows<DumpRow>(
    db,
    `select ${columns.join(', ')} from version_order as placed join pet_version on pet_version.version = placed.version
     where (placed.pet_id, placed.version) > (?, ?) order by placed.pet_id, placed.version limit ?`,
  );
}
