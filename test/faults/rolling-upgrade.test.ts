import assert from 'node:assert/strict';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readMigrations } from '../../src/storage/postgres/engine/migration-files.ts';
import { Load, sendAloneTo } from '../support/load.ts';
import { callAs, clientOf } from '../support/client.ts';
import { openFront, type Front } from '../support/front.ts';
import { EXECUTABLE, startMenagerie, startServer, type RunningServer } from '../support/menagerie-process.ts';
import { fileUpload } from '../support/multipart.ts';
import { databaseOf, dropDatabaseOf } from '../support/nodes.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, createKey, logIn, newSecuredFolder } from '../support/secured.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';

/*
 * Three nodes are replaced one after the other under load: by a version with another schema, and back. From the release
 * before this one, all nodes have to stop: its programs would write versions of pets without profiles (decision 41).
 * The proxy sends nothing more to a node that is about to stop.
 */

const ROOT = join(import.meta.dirname, '../..');
const CHANGES_BETWEEN = 40;
const ON_ITS_WAY_MS = 100;
const SCHEMA = readMigrations().length;

/** The executable of a copy of this version, with further migrations. */
async function withMigrations(t: Lifetime, scripts: readonly string[]): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const name of ['src', 'assets', 'package.json'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  for (const [index, sql] of scripts.entries()) {
    const name = `${String(SCHEMA + index + 1).padStart(3, '0')}-planted.sql`;
    await writeFile(join(folder, 'src/storage/postgres/migrations', name), sql);
  }
  return withModules(folder);
}

async function withModules(folder: string): Promise<string> {
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'dist'), { recursive: true });
  return join(folder, 'src/cli/menagerie.js');
}

interface Installation {
  dataDir: string;
  flags: readonly string[];
  environment: Readonly<Record<string, string>>;
}

async function newInstallation(t: Lifetime): Promise<Installation> {
  const dataDir = await newSecuredFolder({ onPostgres: true });
  t.after(async () => {
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  const flags = ['--empty', '--access', 'secured', '--database-connections', '5'];
  return { dataDir, flags, environment: { MENAGERIE_DATABASE_URL: (await databaseOf(dataDir)) ?? assert.fail() } };
}

/** Three nodes behind a proxy, with clients that make changes and repeat requests. */
class Nodes {
  readonly #t: Lifetime;
  readonly #at: Installation;
  readonly #nodes: RunningServer[] = [];
  #front: Front | undefined;
  #load: Load | undefined;
  #visits: Promise<void> | undefined;
  #isOver = false;
  /** Responses of requests that were sent twice, and photos. */
  readonly failures: unknown[] = [];
  #visitCount = 0;

  constructor(t: Lifetime, at: Installation) {
    this.#t = t;
    this.#at = at;
  }

  async start(executable: string): Promise<void> {
    for (let count = 0; count < 3; count++) this.#nodes.push(await this.#startNode(executable));
    const front = await openFront(this.origins);
    this.#front = front;
    this.#t.after(() => front.close());
    const base = `${front.origin}/v2`;
    const call = clientOf(base);
    const { key } = await createKey(call, await logIn(call, 'edna'), ['write:pets']);
    const headers = { ...bearer(key), 'content-type': 'application/json' };
    const send = sendAloneTo(base, headers);
    this.#load = new Load(this.#t, [send, send, send], 1_000_000);
    this.#visits = this.#visit(base, headers);
    await this.#uploadPhoto(bearer(key));
  }

  get origins(): readonly string[] {
    return this.#nodes.map(({ origin }) => origin);
  }

  async replaceAll(executable: string): Promise<void> {
    for (const index of this.#nodes.keys()) {
      await this.#load?.untilMore(CHANGES_BETWEEN);
      const old = this.#nodes[index] ?? assert.fail();
      const { nodes } = this.#front ?? assert.fail();
      nodes.splice(nodes.indexOf(old.origin), 1);
      await delay(ON_ITS_WAY_MS);
      assert.equal((await old.end('SIGTERM')).code, 0);
      const next = await this.#startNode(executable);
      this.#nodes[index] = next;
      nodes.push(next.origin);
    }
    await this.#load?.untilMore(CHANGES_BETWEEN);
  }

  /** Compares every acknowledged change with every node. */
  async check(): Promise<void> {
    this.#isOver = true;
    await this.#load?.end();
    await this.#visits;
    assert.deepEqual([...(this.#load?.failures ?? []), ...this.failures], []);
    assert.ok(this.#visitCount > 10, `${this.#visitCount} visits`);
    await this.#load?.check(this.origins.map((origin) => clientOf(`${origin}/v2`)));
  }

  async end(): Promise<void> {
    for (const node of this.#nodes) assert.equal((await node.end('SIGTERM')).code, 0);
  }

  #startNode(executable: string): Promise<RunningServer> {
    const { dataDir, flags, environment } = this.#at;
    return startServer(this.#t, dataDir, flags, { environment, executable });
  }

  /** Repeats requests with an Idempotency-Key at the next node, finds the new pet, and reads the photo. */
  async #visit(base: string, headers: Readonly<Record<string, string>>): Promise<void> {
    while (!this.#isOver) {
      const number = ++this.#visitCount;
      try {
        const pet = JSON.stringify({ id: 500_000 + number, name: `Visit${number}`, photoUrls: [], status: 'pending' });
        const keyed = { headers: { ...headers, 'idempotency-key': `visit-${number}` }, body: pet };
        const first = await callAs(base, 'POST', 'pet', keyed);
        const again = await callAs(base, 'POST', 'pet', keyed);
        assert.deepEqual([first.status, again.status, again.text], [200, 200, first.text]);
        const found = await callAs(base, 'GET', `pet?text=Visit${number}`, { headers });
        assert.ok(found.status === 200 && found.text.includes(`"Visit${number}"`), found.text);
      } catch (error) {
        this.failures.push(error);
      }
    }
  }

  async #uploadPhoto(headers: Readonly<Record<string, string>>): Promise<void> {
    const call = clientOf(`${this.origins[0]}/v2`);
    assert.equal((await call('POST', 'pet', { headers, json: { id: 1, name: 'Rex' } })).status, 200);
    const file = fileUpload(await makePhoto({ width: 900, height: 700 }));
    const { status, text } = await call('POST', 'pet/1/uploadImage', {
      ...file,
      headers: { ...file.headers, ...headers },
    });
    assert.equal(status, 200, text);
  }
}

const ADDITIVE = `-- Works with programs since schema ${SCHEMA}.
alter table pet add column planted text;
`;
const INCOMPATIBLE = 'alter table pet add column required int4 not null default 0;\n';

void test('rolling upgrade: three nodes go from this version to one with a new column, and back; no request fails', async (t) => {
  const next = await withMigrations(t, [ADDITIVE]);
  const nodes = new Nodes(t, await newInstallation(t));
  await nodes.start(EXECUTABLE);
  for (const executable of [next, EXECUTABLE]) await nodes.replaceAll(executable);
  await nodes.check();
  await nodes.end();
});

void test('incompatible migration: refused while nodes of the previous version are connected', async (t) => {
  const at = await newInstallation(t);
  const nodes = new Nodes(t, at);
  await nodes.start(EXECUTABLE);
  const next = await withMigrations(t, [ADDITIVE, INCOMPATIBLE]);
  const { dataDir, flags, environment } = at;
  const options = { environment, executable: next };
  const refused = await startMenagerie(t, ['serve', '--port', '0', '--data-dir', dataDir, ...flags], options).ended;
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /Menagerie cannot start: The migration \d+-planted\.sql changes the database in a way that running nodes of the previous version do not work with \(connected from [\d.]+\)\. Stop all of them, back up the database, and start this version\.\n$/,
  );
  const place = join(await temporaryFolder(t), 'backups');
  const backUp = (program: object) => startMenagerie(t, ['backup', place, '--data-dir', dataDir], program).ended;
  const backup = await backUp({ environment });
  assert.equal(backup.code, 0, `the refused upgrade has changed nothing: ${backup.stderr}`);
  assert.match(
    (await backUp(options)).stderr,
    /older Menagerie .+\. Use that version, or start this one on it once\.\n$/,
  );
  const dry = await startMenagerie(t, ['migrate', '--dry-run'], options).ended;
  assert.deepEqual(
    [dry.code, /\nStop the nodes of the previous version first/.test(dry.stdout)],
    [1, true],
    dry.stdout,
  );
  await nodes.check();
  await nodes.end();
  const server = await startServer(t, dataDir, flags, options);
  assert.equal((await fetch(`${server.origin}/readyz`)).status, 200);
  await server.end('SIGTERM');
  assert.match((await backUp({ environment })).stderr, /was written by a newer Menagerie .+\. Use that version\.\n$/);
  const older = await startMenagerie(t, ['serve', '--port', '0', '--data-dir', dataDir, ...flags], { environment })
    .ended;
  assert.match(older.stderr, /The database was written by a newer Menagerie \(schema \d+; this one knows up to \d+\)/);
});
