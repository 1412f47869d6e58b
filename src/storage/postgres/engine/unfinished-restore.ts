import { DatabaseError } from 'pg';
import { Failure, unusable } from '../../../domain/failure.ts';
import type { Connections } from './connections.ts';
import type { Ask } from './statements.ts';
import { statement } from './statements.ts';

/*
 * The mark of a database that is the target of a restore: a table that exists from before the schema of a new one, or
 * the first row, is written until all rows were compared. It is not created by a migration, because no database in use
 * has it. Earlier versions look for this name as well.
 */

// Not from information_schema, which hides the tables of other roles: the restore may use another role than the
// servers.
const isMarked = statement(`select to_regclass('unfinished_move') is not null`);
const makeTable = statement('create table unfinished_move (only_row int4 primary key, source text not null)');
const fillTable = statement('insert into unfinished_move (only_row, source) values (1, $1)');
const nameSource = statement(`update unfinished_move set source = $1 where source = '' returning 1`);
const readTable = statement('select source from unfinished_move');
const dropTable = statement('drop table unfinished_move');

/** As in migrations.ts: unique_violation in the catalogue, duplicate_table, duplicate_object. */
const CREATED_CONCURRENTLY = new Set(['23505', '42P07', '42710']);

/** @throws Failure `unavailable` if a restore into this database is unfinished */
export async function refuseUnfinishedRestore({ ask }: Connections): Promise<void> {
  if (!(await readIsMarked(ask))) return;
  throw unusable(
    'A restore into this database has not finished. Run the same command again, or choose another database.',
  );
}

/** @returns the name of the source; empty before anything but the schema is written */
export async function findMark({ ask }: Connections): Promise<string | undefined> {
  return (await readIsMarked(ask)) ? (await ask<[source: string]>(readTable))[0]?.[0] : undefined;
}

/** @throws Failure `conflict` if there is a mark with the name of a source */
export async function writeMark({ transaction }: Connections, source: string): Promise<void> {
  try {
    await transaction(async (ask) => {
      if (!(await readIsMarked(ask))) {
        await ask(makeTable);
        await ask(fillTable, source);
      } else if ((await ask(nameSource, source)).length === 0) throw alreadyBegun();
    });
  } catch (error) {
    throw error instanceof DatabaseError && CREATED_CONCURRENTLY.has(error.code ?? '') ? alreadyBegun() : error;
  }
}

function alreadyBegun(): Failure {
  return new Failure('conflict', 'Another restore into this database has just begun. Wait until it has finished.');
}

export async function removeMark({ transaction }: Connections): Promise<void> {
  await transaction((ask) => ask(dropTable));
}

async function readIsMarked(ask: Ask): Promise<boolean> {
  return (await ask<[isMarked: boolean]>(isMarked))[0]?.[0] === true;
}
