import { totalmem } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres, type PostgresServer } from '../test/support/postgres-server.ts';
import { petText } from '../src/domain/pets/pet.ts';
import { pgbenchVersion } from './pgbench.ts';
import type { Progress } from './progress.ts';
import { INSERT_SAMPLES, sampleRecord } from './sample-pets.ts';
import { launch, menagerieSpec } from './servers.ts';

/** What measurements on PostgreSQL depend on. */
export interface PostgresFacts {
  version: string;
  settings: Readonly<Record<string, string>>;
  pgbench?: string;
  /** How many connections a node had while it was read. */
  connections?: number;
}

export interface Database {
  url: string;
  pets: number;
  /** Where a script for pgbench may lie. */
  scriptPath: string;
  /** What a node is started with: the folder that it is given beside the database, and its flags. */
  node: (name: string) => readonly [folder: string, flags: readonly string[]];
}

export type Postgres = ReturnType<typeof createPostgres>;

const GIB = 2 ** 30;
const FILLED_AT_ONCE = 500_000;
const CHECKED_PETS = 200;
const TOLD_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size'];

const MOST_BUFFERS_GIB = 4;

/**
 * One PostgreSQL for the run, with the settings of a fresh installation, but for its buffers, which get a quarter of the memory, as its manual has it,
 * up to a limit, and for so much of its log between checkpoints that none is due for its size. What it commits is on the disk.
 */
export function createPostgres(root: string, progress: Progress) {
  const ends: (() => Promise<void>)[] = [];
  const databases = new Map<string, Promise<Database>>();
  let server: Promise<PostgresServer> | undefined;
  let connections: number | undefined;

  function start(): Promise<PostgresServer> {
    progress.say('starting PostgreSQL');
    const buffers = Math.min(MOST_BUFFERS_GIB, Math.max(0.125, totalmem() / GIB / 4));
    const settings = { shared_buffers: `${Math.round(buffers * 1024)}MB`, max_wal_size: '8GB' };
    return startPostgres({ after: (end) => ends.push(end) }, { settings });
  }

  async function make(pets: number, purpose: string): Promise<Database> {
    const postgres = await (server ??= start());
    const url = await postgres.createDatabase();
    const node = (name: string) =>
      [join(root, `postgres-${pets}-${purpose}-${name}`), ['--database-url', url]] as const;
    // It makes its tables itself.
    const first = await launch(menagerieSpec(...node('first')));
    await first.stop();
    if (pets > 0) await fill(url, pets, progress);
    await postgres.query('checkpoint');
    return { url, pets, scriptPath: join(root, `postgres-${pets}-${purpose}.sql`), node };
  }

  return {
    /** So many pets, for one purpose. */
    database(pets: number, purpose: string): Promise<Database> {
      const key = `${pets} ${purpose}`;
      const database = databases.get(key) ?? make(pets, purpose);
      databases.set(key, database);
      return database;
    },

    /** How many connections all nodes have to a database. */
    async countConnections({ url }: Database): Promise<number> {
      const sql = `select count(*)::int4 as count from pg_stat_activity where datname = current_database() and application_name = 'menagerie'`;
      const [row] = await query(url, sql);
      connections = Number(row?.['count']);
      return connections;
    },

    /** Ends it, and removes its data. Gives what is to be told of it; undefined where nobody has asked for it. */
    async stop(): Promise<PostgresFacts | undefined> {
      if (server === undefined) return undefined;
      const postgres = await server;
      const sql = `select ${TOLD_SETTINGS.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`;
      const [settings = {}] = await query(postgres.url, sql);
      for (const end of ends) await end();
      const pgbench = pgbenchVersion();
      return {
        version: postgres.version,
        settings: settings as Record<string, string>,
        ...(pgbench !== undefined && { pgbench }),
        ...(connections !== undefined && { connections }),
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

/** Pets alone, without their history and their tags, which nobody reads here. Each was written once, so its version is its id. */
async function fill(url: string, pets: number, progress: Progress): Promise<void> {
  // An index that is made in one go takes a fifth of the time.
  await query(url, 'drop index pet_by_status');
  for (let done = 0; done < pets; done += FILLED_AT_ONCE) {
    progress.say(`adding ${done.toLocaleString('en')} of ${pets.toLocaleString('en')} pets`);
    await query(url, INSERT_SAMPLES, [done + 1, Math.min(pets, done + FILLED_AT_ONCE)]);
  }
  await query(url, 'create index pet_by_status on pet (status, id)');
  await query(url, 'update change_order set next_pet_id = $1, last_version = $2', [pets + 1, pets]);
  await query(url, 'vacuum (freeze, analyze) pet');
}

/** A load tells successes from errors only: whether it is the right pet, and as the service would have written it, is looked at here. */
export async function demandSamples(origin: string, { pets }: Database): Promise<void> {
  for (let index = 0; index < CHECKED_PETS; index++) {
    const id = 1 + Math.floor((index / CHECKED_PETS) * (pets - 1) + Math.random());
    const response = await fetch(`${origin}/v2/pet/${id}`);
    if (response.headers.get('etag') !== `"${id}"` || (await response.text()) !== petText(BigInt(id), sampleRecord(id)))
      throw new Error(`Pet ${id} was not answered as it is stored.`);
  }
}
