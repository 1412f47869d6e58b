import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Call } from './client.ts';
import { fileUpload } from './multipart.ts';
import { makePhoto } from './photos.ts';
import type { Lifetime } from './lifetime.ts';

/* Changes during backups, and the comparison of a restored backup with the history. */

const CLIENTS = 6;

type Row = readonly (string | null)[];

/** A data folder, or the URL of a PostgreSQL database. */
export type DatabasePlace = { dataDir: string } | { url: string };

/** Pet or user, version, and text or action. Pets and users share one sequence of versions. */
const VERSIONS = 'select pet_id, version, text from pet_version order by version';
const USER_CHANGES = 'select account_id, version, action from account_change order by version';
const PETS = 'select id, version, text from pet order by id';

/**
 * Asserts that a restored database is the source at its last version, which is no older than this one.
 *
 * @returns its last version
 */
export async function assertOneState(restored: DatabasePlace, source: DatabasePlace, oldest: bigint): Promise<bigint> {
  const tables = [VERSIONS, USER_CHANGES, PETS];
  const [versions = [], userChanges = [], pets = []] = await readAll(restored, tables);
  const last = lastOf([...versions, ...userChanges]);
  assert.ok(last >= oldest, `the backup ends with version ${last}, but ${oldest} was acknowledged`);
  const [all = [], allOfUsers = []] = await readAll(source, [VERSIONS, USER_CHANGES]);
  const until = (rows: readonly Row[]) => rows.filter(([, version]) => BigInt(version ?? 0) <= last);
  assert.deepEqual(versions, until(all));
  assert.deepEqual(userChanges, until(allOfUsers));
  assert.deepEqual(pets, petsAt(versions));
  return last;
}

function lastOf(rows: readonly Row[]): bigint {
  return rows.map(([, version]) => BigInt(version ?? 0)).reduce((a, b) => (a > b ? a : b), 0n);
}

async function readAll(place: DatabasePlace, tables: readonly string[]): Promise<Row[][]> {
  if ('url' in place) {
    const client = new Client({ connectionString: place.url });
    await client.connect();
    const results: Row[][] = [];
    for (const text of tables) results.push((await client.query<string[]>({ text, rowMode: 'array' })).rows);
    await client.end();
    return results;
  }
  const db = new DatabaseSync(join(place.dataDir, 'menagerie.db'), { readOnly: true, timeout: 5000 });
  const results = tables.map((sql) => {
    const statement = db.prepare(sql);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const rows = statement.all() as unknown as (bigint | string | null)[][];
    return rows.map((row) => row.map((value) => (value === null ? null : String(value))));
  });
  db.close();
  return results;
}

/** The pets that these versions leave, by ID. */
function petsAt(versions: readonly Row[]): Row[] {
  const newest = new Map(versions.map((version) => [version[0], version]));
  return [...newest.values()]
    .filter(([, , text]) => text !== null)
    .toSorted(([a], [b]) => (BigInt(a ?? 0) < BigInt(b ?? 0) ? -1 : 1));
}

/** Clients that add, change, read and delete pets with photos, and add users. */
export class Changes {
  count = 0;
  /** The greatest acknowledged version. */
  lastVersion = 0n;
  readonly #call: Call;
  readonly #pauseMs: number;
  #isOver = false;
  #working: Promise<unknown> = Promise.resolve();

  /** @param pauseMs of each client, after each change */
  constructor(call: Call, pauseMs = 0) {
    this.#call = call;
    this.#pauseMs = pauseMs;
  }

  start(t: Lifetime): void {
    t.after(() => this.stop());
    this.#working = Promise.all(Array.from({ length: CLIENTS }, (_, client) => this.#work(client)));
    // Reported by `stop`, and by the next wait.
    this.#working.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  /** Resolves after some more changes. */
  async untilMore(): Promise<void> {
    for (const until = this.count + CLIENTS; this.count < until;) await Promise.race([delay(5), this.#working]);
  }

  async #work(client: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const id = 1000 * client + 1 + (turn % 20);
      const json = { id, name: `${client} ${turn}`, photoUrls: [], tags: [{ name: `t${turn % 7}` }] };
      await this.#change('POST', 'pet', { json });
      if (turn % 10 === 0) await this.#addPhoto(id, 100 * client + (turn % 100));
      await this.#read(`pet/${id}`);
      if (turn % 15 === 0) await this.#change('POST', 'user', { json: { username: `user-${client}-${turn}` } });
      if (turn % 15 === 1) await this.#read(`pet?text=${client}&limit=20`);
      if (turn % 3 === 0) await this.#change('DELETE', `pet/${id}`);
    }
  }

  async #addPhoto(id: number, seed: number): Promise<void> {
    const photo = await makePhoto({ seed, width: 200, height: 100 });
    await this.#change('POST', `pet/${id}/uploadImage`, fileUpload(photo));
  }

  async #read(path: string): Promise<void> {
    const { status, text } = await this.#call('GET', path);
    assert.equal(status, 200, text);
  }

  async #change(method: string, path: string, options = {}): Promise<void> {
    const { status, text, headers } = await this.#call(method, path, options);
    // A deleted ID may be used again only if it is not in use.
    assert.ok(status === 200 || status === 409, text);
    const version = BigInt(/^"(\d+)"$/.exec(headers.get('etag') ?? '')?.[1] ?? 0);
    if (version > this.lastVersion) this.lastVersion = version;
    this.count++;
    if (this.#pauseMs > 0) await delay(this.#pauseMs);
  }
}
