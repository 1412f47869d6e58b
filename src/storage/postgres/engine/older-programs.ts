import { Failure } from '../../../domain/failure.ts';
import { statement, type Ask } from './statements.ts';

/** Programs up to this schema announce themselves without it, as `menagerie`. */
const LAST_UNNUMBERED = 11;

const connectedPrograms = statement(
  `select application_name, coalesce(host(client_addr), 'the machine of the database') from pg_stat_activity
   where datname = current_database() and application_name like 'menagerie%' group by 1, 2 order by 1, 2`,
);

/**
 * The machines from which programs are connected that do not work with a migration. CockroachDB and YugabyteDB list no connections, or only those of one
 * server; there, such nodes refuse changes after the migration.
 *
 * @param version the number of migrations of the database
 */
export async function findOlderPrograms(ask: Ask, version: number, worksSince: number): Promise<readonly string[]> {
  const machines = new Set<string>();
  for (const [name, machine] of await ask<[name: string, machine: string]>(connectedPrograms))
    if (schemaOf(name, version) < worksSince) machines.add(machine);
  return [...machines];
}

function schemaOf(name: string, version: number): number {
  // An unnumbered program works with no other schema than its own.
  if (name === 'menagerie') return Math.min(version, LAST_UNNUMBERED);
  const [, schema] = /^menagerie\/(\d+)$/.exec(name) ?? [];
  return schema === undefined ? Infinity : Number(schema);
}

export function olderProgramsConnected(migration: string, machines: readonly string[]): Failure {
  return new Failure(
    'unavailable',
    `The migration ${migration} changes the database in a way that running nodes of the previous version do not work with (connected from ${machines.join(', ')}). Stop all of them, back up the database, and start this version.`,
  );
}
