import type { DatabaseSync } from 'node:sqlite';
import type { MoveMark } from '../../../domain/dump.ts';
import { unusable } from '../../../domain/failure.ts';
import { inTransaction, prepareRow } from './database.ts';

/*
 * The mark of a database that is the target of a move: a table that exists from before the first row is written until
 * all rows were compared. It is not created by a migration, because no database in use has it.
 */

/** @throws Failure `unavailable` if a move into this database is unfinished */
export function refuseUnfinishedMove(db: DatabaseSync): void {
  if (!isMarked(db)) return;
  throw unusable(
    'A move or restore into this data folder has not finished. Run the same command again, or choose another ' +
      'data folder.',
  );
}

export function findMark(db: DatabaseSync): MoveMark | undefined {
  const row = isMarked(db) ? prepareRow(db, 'select source, counters from unfinished_move')() : undefined;
  return row && { source: String(row[0]), counters: String(row[1]) };
}

export function writeMark(db: DatabaseSync, { source, counters }: MoveMark): void {
  inTransaction(db, () => {
    db.exec('create table unfinished_move (source text not null, counters text not null) strict');
    db.prepare('insert into unfinished_move (source, counters) values (?, ?)').run(source, counters);
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
