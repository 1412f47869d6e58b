import type { DatabaseSync } from 'node:sqlite';
import { unusable } from '../../../domain/failure.ts';
import { APPLICATION_ID, inTransaction, prepareRow } from './database.ts';

/*
 * The mark of a database that is the target of a restore: a table that exists from before the schema of a new one, or
 * the first row, is written until all rows were compared. It is not created by a migration, because no database in use
 * has it. Earlier versions look for this name as well.
 */

/** @throws Failure `unavailable` if a restore into this database is unfinished */
export function refuseUnfinishedRestore(db: DatabaseSync): void {
  if (!isMarked(db)) return;
  throw unusable(
    'A restore into this data folder has not finished. Run the same command again, or choose another data folder.',
  );
}

/** @returns the name of the source; empty before anything but the schema is written */
export function findMark(db: DatabaseSync): string | undefined {
  const row = isMarked(db) ? prepareRow(db, 'select source from unfinished_move')() : undefined;
  return row && String(row[0]);
}

/** @throws Error of SQLite if there is a mark with the name of a source */
export function writeMark(db: DatabaseSync, source: string): void {
  inTransaction(db, () => {
    if (findMark(db) === '') removeMark(db);
    db.exec(`create table unfinished_move (source text not null) strict; pragma application_id = ${APPLICATION_ID}`);
    db.prepare('insert into unfinished_move (source) values (?)').run(source);
  });
}

export function removeMark(db: DatabaseSync): void {
  db.exec('drop table unfinished_move');
}

function isMarked(db: DatabaseSync): boolean {
  return (
    prepareRow(db, `select 1 from sqlite_schema where type = 'table' and name = 'unfinished_move'`)() !== undefined
  );
}
