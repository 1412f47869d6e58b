import type { DatabaseSync } from 'node:sqlite';
import type { MoveMark } from '../../../domain/archive.ts';
import { Failure } from '../../../domain/failure.ts';
import { inTransaction, prepareRow } from './database.ts';

/*
 * The mark of a database into which something is being moved: a table of its own, which is there from before the first row until all of them were
 * compared. No migration makes it, for it is in no database that is in use.
 */

/** @throws Failure `unavailable` where a move into this database has not come to its end */
export function refuseUnfinishedMove(db: DatabaseSync): void {
  if (!isMarked(db)) return;
  throw new Failure(
    'unavailable',
    'A move into this data folder has not come to its end. Give the same "menagerie move" again, or choose another data folder.',
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
