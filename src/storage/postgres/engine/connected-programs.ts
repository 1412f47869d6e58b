import { type Failure, unusable } from '../../../domain/failure.ts';
import { PROGRAM_NAME } from './migration-files.ts';
import { statement, type Ask } from './statements.ts';

/*
 * The programs that are connected to the database, as the server lists them. A running node is among them: it looks for
 * work every few seconds. CockroachDB and YugabyteDB list no connections, or only those of one server, and
 * PgBouncer may hide the names of programs.
 */

/** Announced by restores and final backups, so that they do not find themselves. */
export const COPY_NAME = `${PROGRAM_NAME} copy`;

/** Programs up to this schema announce themselves without it, as `menagerie`. */
const LAST_UNNUMBERED = 11;

const connectedPrograms = statement(
  // The server shows the names to every role, and the other columns to few.
  `select application_name,
     case when backend_start is null then 'an unknown machine' else coalesce(host(client_addr), 'the machine of the database') end,
     count(*), (extract(epoch from min(backend_start)) * 1000)::int8
   from pg_stat_activity where datname = current_database() and application_name like 'menagerie%' group by 1, 2 order by 1, 2`,
);

interface ConnectedProgram {
  name: string;
  machine: string;
  connections: number;
  /** Undefined if this role may not see it. */
  sinceMs: number | undefined;
}

/** The programs that are connected, except restores and final backups. */
export async function listPrograms(ask: Ask): Promise<readonly ConnectedProgram[]> {
  const rows =
    await ask<[name: string, machine: string, connections: bigint, sinceMs: bigint | null]>(connectedPrograms);
  const programs = rows.map(([name, machine, connections, sinceMs]) => ({
    name,
    machine,
    connections: Number(connections),
    sinceMs: sinceMs === null ? undefined : Number(sinceMs),
  }));
  return programs.filter(({ name }) => !name.endsWith(' copy'));
}

export function describeProgram({ name, machine, connections, sinceMs }: ConnectedProgram): string {
  const since = sinceMs === undefined ? '' : ` since ${new Date(sinceMs).toISOString()}`;
  return `${name} from ${machine} (${connections} ${connections === 1 ? 'connection' : 'connections'}${since})`;
}

/**
 * The machines from which programs are connected that do not work with a migration. Where connections are not listed,
 * such nodes refuse changes after the migration.
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
  const [, schema] = /^menagerie\/(\d+)(?: copy)?$/.exec(name) ?? [];
  return schema === undefined ? Infinity : Number(schema);
}

export function olderProgramsConnected(migration: string, machines: readonly string[]): Failure {
  return unusable(
    `The migration ${migration} changes the database in a way that running nodes of the previous version do not work with (connected from ${machines.join(', ')}). Stop all of them, back up the database, and start this version.`,
  );
}
