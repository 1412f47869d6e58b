import { countersText, type DumpCounters } from '../../../domain/dump.ts';
import { databaseMoved, unusable } from '../../../domain/failure.ts';
import type { Connections } from './connections.ts';
import { KNOWN_SCHEMA, WRITERS_CHECK_SINCE } from './migration-files.ts';
import { statement, type Ask } from './statements.ts';
import { inOrder } from './transactions.ts';

/*
 * The source of a finished move refuses all changes: the schema version that every changing transaction compares is
 * negative. So no change is lost that a node makes whose connections the move could not see, or that starts afterwards.
 * The positive number allows changes again.
 */

const refuseChanges = statement('update change_order set schema_version = -schema_version where only_row = 1');
const readSchema = statement('select schema_version from change_order where only_row = 1');

/** Refuses changes from now on, unless there were some after these counters. @returns whether there were none */
export async function retireSource(connections: Connections, counters: DumpCounters): Promise<boolean> {
  // By the same move, before it was interrupted.
  if (await isMoved(connections.ask, KNOWN_SCHEMA)) return true;
  return inOrder(connections, async ({ ask, counters: locked }) => {
    if (countersText(await locked) !== countersText(counters)) return false;
    await ask(refuseChanges);
    return true;
  });
}

/** @param version the number of migrations of the database */
export async function isMoved(ask: Ask, version: number): Promise<boolean> {
  return version >= WRITERS_CHECK_SINCE && ((await ask<[schema: number]>(readSchema))[0]?.[0] ?? 0) < 0;
}

/** @throws Failure `unavailable` if the data was moved to another database */
export async function refuseMoved(ask: Ask, version: number): Promise<void> {
  if (!(await isMoved(ask, version))) return;
  throw unusable(
    `${databaseMoved().message} To use this database again, execute in it: update change_order set schema_version = abs(schema_version)`,
  );
}
