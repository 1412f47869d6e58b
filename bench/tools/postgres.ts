import { totalmem } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres, type PostgresServer } from '../../test/support/postgres-server.ts';
import { petText } from '../../src/domain/pets/pet.ts';
import { pgbenchVersion } from './pgbench.ts';
import type { Progress } from './progress.ts';
import { INSERT_SAMPLES, sampleRecord } from './sample-pets.ts';
import { launch, menagerieSpec } from './servers.ts';

/** Conditions of the measurements on PostgreSQL, for the report. */
export interface PostgresFacts {
  version: string;
  settings: Readonly<Record<string, string>>;
  pgbench?: string;
}

export interface Database {
  url: string;
  pets: number;
  /** Path for the script of pgbench. */
  scriptPath: string;
  /** The data folder and the flags of a node. */
  node: (name: string) => readonly [folder: string, flags: readonly string[]];
}

export type Postgres = ReturnType<typeof createPostgres>;

const GIB = 2 ** 30;
const PETS_PER_BATCH = 500_000;
const CHECKED_PETS = 200;
const REPORTED_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size'];

const MAX_BUFFERS_GIB = 4;

/**
 * One PostgreSQL for the run, with default settings, except for shared_buffers, a quarter of the memory as its manual
 * recommends, up to a limit, and for max_wal_size, so that no checkpoint is triggered by size. Commits are durable.
 */
export function createPostgres(root: string, progress: Progress) {
  const ends: (() => Promise<void>)[] = [];
  const databases = new Map<string, Promise<Database>>();
  let server: Promise<PostgresServer> | undefined;

  function start(): Promise<PostgresServer> {
    progress.say('starting PostgreSQL');
    const buffers = Math.min(MAX_BUFFERS_GIB, Math.max(0.125, totalmem() / GIB / 4));
    const settings = { shared_buffers: `${Math.round(buffers * 1024)}MB`, max_wal_size: '8GB' };
    return startPostgres({ after: (end) => ends.push(end) }, { settings });
  }

  async function create(pets: number, purpose: string): Promise<Database> {
    const postgres = await (server ??= start());
    const url = await postgres.createDatabase();
    const node = (name: string) =>
      [join(root, `postgres-${pets}-${purpose}-${name}`), ['--database-url', url]] as const;
    // The service creates its tables.
    const first = await launch(menagerieSpec(...node('first')));
    await first.stop();
    if (pets > 0) await fill(url, pets, progress);
    if (pets > 0 && purpose === 'search') await query(url, INSERT_VERSIONS);
    await postgres.query('checkpoint');
    return { url, pets, scriptPath: join(root, `postgres-${pets}-${purpose}.sql`), node };
  }

  return {
    /** A database with this number of pets, for one purpose. */
    database(pets: number, purpose: string): Promise<Database> {
      const key = `${pets} ${purpose}`;
      const database = databases.get(key) ?? create(pets, purpose);
      databases.set(key, database);
      return database;
    },

    /** Stops it and deletes its data. @returns undefined if it was not used */
    async stop(): Promise<PostgresFacts | undefined> {
      if (server === undefined) return undefined;
      const postgres = await server;
      const sql = `select ${REPORTED_SETTINGS.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`;
      const [settings = {}] = await query(postgres.url, sql);
      for (const end of ends) await end();
      const pgbench = pgbenchVersion();
      return {
        version: postgres.version,
        settings: settings as Record<string, string>,
        ...(pgbench !== undefined && { pgbench }),
      };
    },
  };
}

export async function query(url: string, sql: string, values: readonly unknown[] = []) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** The history, from which the search index is built; without it, the index is empty. */
const INSERT_VERSIONS = `insert into pet_version (pet_id, version, action, changed_at_ms, text)
  select id, version, 'added', ${Date.now()}, text from pet`;

/** Adds pets without history and tags. Each has its ID as its version. */
async function fill(url: string, pets: number, progress: Progress): Promise<void> {
  // Creating the index afterwards takes a fifth of the time.
  await query(url, 'drop index pet_by_status');
  for (let done = 0; done < pets; done += PETS_PER_BATCH) {
    progress.say(`adding ${done.toLocaleString('en')} of ${pets.toLocaleString('en')} pets`);
    await query(url, INSERT_SAMPLES, [done + 1, Math.min(pets, done + PETS_PER_BATCH)]);
  }
  await query(url, 'create index pet_by_status on pet (status, id)');
  await query(url, 'update change_order set next_pet_id = $1, last_version = $2', [pets + 1, pets]);
  await query(url, 'vacuum (freeze, analyze) pet');
}

/** Checks that pets are correct: a load distinguishes only successes and errors. */
export async function requireSamples(origin: string, { pets }: Database): Promise<void> {
  for (let index = 0; index < CHECKED_PETS; index++) {
    const id = 1 + Math.floor((index / CHECKED_PETS) * (pets - 1) + Math.random());
    const response = await fetch(`${origin}/v2/pet/${id}`);
    if (response.headers.get('etag') !== `"${id}"` || (await response.text()) !== petText(BigInt(id), sampleRecord(id)))
      throw new Error(`The response for pet ${id} is not the stored pet.`);
  }
}
