import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  ARCHIVE_TABLES,
  archiveTable,
  type ArchiveRow,
  type ArchiveTable,
  type ArchiveTableName,
  type ArchiveTarget,
} from '../../domain/archive.ts';
import { MAX_INT64 } from '../../domain/int64.ts';
import { Failure } from '../../domain/failure.ts';
import { isSqliteError, prepare, prepareRow, prepareRows, readPragma } from './database.ts';
import { migrate } from './migrations.ts';
import { findMark, removeMark, writeMark } from './unfinished-move.ts';

const MIN_INT64 = -MAX_INT64 - 1n;

/** SQLite's code for a row that must not be there. */
const SQLITE_CONSTRAINT = 19;

/**
 * Versions lie in the order in which they were written. In the order of the pets, they are found along the chain of each: from the newest, which pet
 * and removed_pet name, to the oldest. The first pet may have none left, so that one more is looked at.
 */
const VERSIONS = `with recursive
  head (pet_id, version) as (
    select id, version from pet where id >= ?1 union all select id, version from removed_pet where id >= ?1 order by 1 limit ?3 + 1),
  chain (version) as (
    select version from head
    union all select pet_version.previous from chain join pet_version using (version) where pet_version.previous is not null)`;

/**
 * A database as one that is carried away from or into, on a connection of its own: no server runs on it.
 *
 * @throws Failure `unavailable` where it is not of this version
 */
export function openArchive(db: DatabaseSync): ArchiveTarget {
  refuseOtherSchema(db);
  const tables = new Map<string, TableStatements>(ARCHIVE_TABLES.map((table) => [table.name, prepareTable(db, table)]));
  const statementsOf = (name: ArchiveTableName) => tables.get(name) as TableStatements;
  const nextId = prepareRow(db, 'select id from next_id where kind = ?');
  const lastVersion = prepareRow(db, 'select max(version) from pet_version');
  const lastAuditId = prepareRow(db, `select seq from sqlite_sequence where name = 'audit'`);
  const photosByDigests = prepareRows<[digest: string, doomed: bigint]>(
    db,
    'select digest, doomed from json_each(?) join photo on digest = value',
  );

  function inTransaction(work: () => void): void {
    db.exec('begin immediate');
    try {
      work();
      db.exec('commit');
    } catch (error) {
      db.exec('rollback');
      throw isSqliteError(error, SQLITE_CONSTRAINT) ? writtenByAnother() : error;
    }
  }

  return {
    count: async (table) => Number(statementsOf(table).count()?.[0]),
    readPart: async (table, after, limit) => statementsOf(table).readPart(after, limit),
    findLastKey: async (table) => statementsOf(table).lastKey() as ArchiveRow | undefined,

    readCounters: async () => ({
      nextPetId: toNumber(nextId('pet')),
      nextAccountId: toNumber(nextId('account')),
      lastVersion: toNumber(lastVersion()),
      lastAuditId: toNumber(lastAuditId()),
    }),

    findPhotos: async (digests) =>
      new Map(photosByDigests(JSON.stringify(digests)).map(([digest, doomed]) => [digest, doomed !== 0n])),

    findMark: async () => findMark(db),
    begin: async (mark) => writeMark(db, mark),
    finish: async () => removeMark(db),

    write: async (table, rows) => {
      const { insert } = statementsOf(table);
      inTransaction(() => {
        for (const row of rows) insert.run(...row);
      });
    },

    // The last version needs no counter: it is that of the newest row, and no such row is ever removed.
    writeCounters: async ({ nextPetId, nextAccountId, lastAuditId }) => {
      inTransaction(() => {
        prepare(db, 'update next_id set id = ? where kind = ?').run(nextPetId, 'pet');
        prepare(db, 'update next_id set id = ? where kind = ?').run(nextAccountId, 'account');
        // The last entries may have been forgotten: what SQLite has counted itself while rows came is less than the truth.
        db.exec(`delete from sqlite_sequence where name = 'audit'`);
        if (lastAuditId > 0n)
          prepare(db, `insert into sqlite_sequence (name, seq) values ('audit', ?)`).run(lastAuditId);
      });
    },
  };
}

interface TableStatements {
  count: ReturnType<typeof prepareRow>;
  lastKey: ReturnType<typeof prepareRow>;
  readPart: (after: ArchiveRow | undefined, limit: number) => readonly ArchiveRow[];
  insert: StatementSync;
}

function prepareTable(db: DatabaseSync, table: ArchiveTable): TableStatements {
  const { name, keyLength } = table;
  const columns = Object.keys(table.columns);
  const key = columns.slice(0, keyLength);
  const places = (of: readonly string[]) => of.map(() => '?').join(', ');
  return {
    count: prepareRow(db, `select count(*) from ${name}`),
    lastKey: prepareRow(
      db,
      `select ${key.join(', ')} from ${name} order by ${key.map((column) => `${column} desc`).join(', ')} limit 1`,
    ),
    readPart: name === 'pet_version' ? prepareVersions(db) : prepareParts(db, table),
    insert: prepare(db, `insert into ${name} (${columns.join(', ')}) values (${places(columns)})`),
  };
}

function prepareParts(db: DatabaseSync, { name, columns, keyLength }: ArchiveTable): TableStatements['readPart'] {
  const names = Object.keys(columns);
  const key = names.slice(0, keyLength).join(', ');
  const places = Array(keyLength).fill('?').join(', ');
  const first = prepareRows<ArchiveRow>(db, `select ${names.join(', ')} from ${name} order by ${key} limit ?`);
  const next = prepareRows<ArchiveRow>(
    db,
    `select ${names.join(', ')} from ${name} where (${key}) > (${places}) order by ${key} limit ?`,
  );
  return (after, limit) => (after === undefined ? first(limit) : next(...after, limit));
}

function prepareVersions(db: DatabaseSync): TableStatements['readPart'] {
  const columns = Object.keys(archiveTable('pet_version').columns).join(', ');
  const rows = prepareRows<ArchiveRow>(
    db,
    `${VERSIONS} select ${columns} from chain join pet_version using (version)
     where (pet_id, version) > (?1, ?2) order by pet_id, version limit ?3`,
  );
  return ([petId = MIN_INT64, version = MIN_INT64] = [], limit) => rows(petId, version, limit);
}

/** What is only read is not brought up to date either, and what is not empty is refused as it is. */
function refuseOtherSchema(db: DatabaseSync): void {
  if (readPragma(db, 'user_version') === knownSchema()) return;
  throw new Failure(
    'unavailable',
    'The database was written by another version of Menagerie. Start this version on it once, or move with the other one.',
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
  return new Failure('conflict', 'Somebody else is writing to the target. See that nobody does, and begin with an empty one.');
}
