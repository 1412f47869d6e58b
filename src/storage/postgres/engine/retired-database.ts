import { countersText, type DumpCounters } from '../../rows/dump/dump-tables.ts';
import { databaseRetired, unusable } from '../../../domain/failure.ts';
import type { Connections } from './connections.ts';
import { KNOWN_SCHEMA, WRITERS_CHECK_SINCE } from './migration-files.ts';
import { statement, type Ask } from './statements.ts';
import { inOrder } from './transactions.ts';

/*
 * After its final backup, a database refuses all changes: the schema version that every changing transaction compares
 * is negative. So no change is lost that a node makes whose connections the backup could not see, or that starts
 * afterwards. The positive number allows changes again.
 */

const refuseChanges = statement('update change_order set schema_version = -schema_version where only_row = 1');
const readSchema = statement('select schema_version from change_order where only_row = 1');

/** Refuses changes from now on, unless there were some after these counters. @returns whether there were none */
export async function retire(connections: Connections, counters: DumpCounters): Promise<boolean> {
  // By an earlier final backup.
  if (await isRetired(connections.ask, KNOWN_SCHEMA)) return true;
  return inOrder(connections, async ({ ask, counters: locked }) => {
    if (countersText(await locked) !== countersText(counters)) return false;
    await ask(refuseChanges);
    return true;
  });
}

/** @param version the number of migrations of the database */
export async function isRetired(ask: Ask, version: number): Promise<boolean> {
  return version >= WRITERS_CHECK_SINCE && ((await ask<[schema: number]>(readSchema))[0]?.[0] ?? 0) < 0;
}

/** @throws Failure `unavailable` after the final backup of this database */
export async function refuseRetired(ask: Ask, version: number): Promise<void> {
  if (!(await isRetired(ask, version))) return;
  throw unusable(
    `${databaseRetired().message} To use this database again, execute in it: update change_order set schema_version = abs(schema_version)`,
  );
}
