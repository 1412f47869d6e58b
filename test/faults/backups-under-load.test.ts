import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { clientOf, type Call } from '../support/client.ts';
import { runMenagerie, startMenagerie, startServer } from '../support/menagerie-process.ts';
import { fileUpload } from '../support/multipart.ts';
import { outputOf } from '../support/operator-commands.ts';
import { makePhoto } from '../support/photos.ts';
import { patiently } from '../support/postgres-server.ts';
import { contentsOf, makeRichInstallation } from '../support/rich-installation.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { temporaryFolder, type Lifetime } from '../support/service.ts';

const ROUNDS = 6;
const KILLS = 50;
const CLIENTS = 6;
/** About the time of a complete command. */
const MAX_LIFETIME_MS = 600;

/** The command before was killed after its last step. */
const FINISHED_BEFORE = /^The target is not empty/;

/** A version of a pet: pet, version, text. */
type Version = readonly [petId: string, version: string, text: string | null];

const VERSIONS = 'select pet_id, version, text from pet_version order by version';

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  void test(`backups during changes, ${engine}: each is the state at one commit, after all acknowledged changes`, async (t) => {
    const folder = await temporaryFolder(t);
    const [data, place] = [join(folder, 'data'), join(folder, 'place')];
    const url = engine === 'PostgreSQL' ? await newDatabase(t) : undefined;
    const environment = url === undefined ? {} : { MENAGERIE_DATABASE_URL: url };
    const server = await startServer(t, data, ['--empty'], { environment });
    const load = new Changes(clientOf(server.base));
    load.start(t);
    await load.untilMore(CLIENTS);
    for (let round = 0; round < ROUNDS; round++) {
      const acknowledged = load.lastVersion;
      outputOf(await runMenagerie(t, ['backup', place, '--data-dir', data, '--keep', '2'], { environment }));
      const target = join(folder, `restored-${round}`);
      outputOf(await runMenagerie(t, ['restore', place, '--data-dir', target]));
      const restored = new DatabaseSync(join(target, 'menagerie.db'), { readOnly: true });
      const versions = readAll(restored, VERSIONS);
      const last = BigInt(versions.at(-1)?.[1] ?? 0);
      assert.ok(last >= acknowledged, `the backup ends with version ${last}, but ${acknowledged} was acknowledged`);
      const all = url === undefined ? versionsIn(data) : await versionsOn(url);
      const expected = all.filter(([, version]) => BigInt(version) <= last);
      assert.deepEqual(versions, expected);
      const pets = readAll(restored, 'select id, version, text from pet order by id');
      assert.deepEqual(pets, petsAt(expected));
      restored.close();
      await load.untilMore(CLIENTS);
    }
    await load.stop();
    t.diagnostic(`${load.count} changes, ${ROUNDS} backups`);
  });
}

void test('killed backups: leave nothing half, and the next one is complete', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, place, target] = [join(folder, 'source'), join(folder, 'place'), join(folder, 'target')];
  await makeRichInstallation(t, source);
  for (let kill = 0; kill < KILLS; kill++) await killLater(t, ['backup', place, '--data-dir', source, '--keep', '3']);
  outputOf(await runMenagerie(t, ['backup', place, '--data-dir', source, '--keep', '1']));
  const listed = outputOf(await runMenagerie(t, ['backup', place, '--list', '--json']))
    .trim()
    .split('\n');
  const states = listed.map((line) => (JSON.parse(line) as { state: string }).state);
  assert.equal(states[0], 'finished');
  assert.equal(states.filter((state) => state === 'finished').length, 1);
  outputOf(await runMenagerie(t, ['restore', place, '--data-dir', target]));
  assert.deepEqual(contentsOf(target), contentsOf(source));
  t.diagnostic(`${states.length - 1} unfinished backups`);
});

for (const [engine, kills] of [
  ['SQLite', KILLS],
  ['PostgreSQL', KILLS / 2],
] as const) {
  void test(`killed restores, ${engine}: are resumed by the same command, and the result is complete`, async (t) => {
    const folder = await temporaryFolder(t);
    const [source, place] = [join(folder, 'source'), join(folder, 'place')];
    await makeRichInstallation(t, source);
    outputOf(await runMenagerie(t, ['backup', place, '--data-dir', source]));
    const expected = contentsOf(source);
    let targets = 0;
    for (let left = kills; left > 0; targets++) {
      const target = join(folder, `target-${targets}`);
      const args = ['restore', place, '--data-dir', target];
      const environment = engine === 'SQLite' ? {} : { MENAGERIE_DATABASE_URL: await newDatabase(t) };
      let isFinished = false;
      while (!isFinished && left > 0) {
        isFinished = await killLater(t, args, environment);
        left -= isFinished ? 0 : 1;
      }
      if (!isFinished) {
        const { code, stderr } = await runMenagerie(t, args, { environment });
        assert.ok(code === 0 || FINISHED_BEFORE.test(stderr), stderr);
      }
      const copy = engine === 'SQLite' ? target : join(folder, `copy-${targets}`);
      if (copy !== target) {
        const url = environment.MENAGERIE_DATABASE_URL ?? '';
        const photos = ['--from-photos', join(target, 'photos')];
        assert.equal((await runMenagerie(t, ['move', '--from', url, ...photos, '--to', copy])).code, 0);
      }
      assert.deepEqual(contentsOf(copy), expected);
    }
    t.diagnostic(`${targets} targets`);
  });
}

/** @returns whether the command finished before it was killed */
async function killLater(t: Lifetime, args: readonly string[], environment = {}): Promise<boolean> {
  const { child, ended } = startMenagerie(t, args, { environment });
  const timer = setTimeout(() => child.kill('SIGKILL'), randomInt(100, MAX_LIFETIME_MS));
  const { code, signal, stderr } = await ended;
  clearTimeout(timer);
  assert.ok(signal === 'SIGKILL' || code === 0 || FINISHED_BEFORE.test(stderr), stderr);
  return signal !== 'SIGKILL';
}

async function newDatabase(t: Lifetime): Promise<string> {
  const server = await sharedPostgres();
  const url = patiently(await server.createDatabase());
  t.after(() => server.dropDatabase(url));
  return url;
}

function versionsIn(dataDir: string): Version[] {
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { readOnly: true, timeout: 5000 });
  const versions = readAll(db, VERSIONS);
  db.close();
  return versions;
}

async function versionsOn(url: string): Promise<Version[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<[string, string, string | null]>({ text: VERSIONS, rowMode: 'array' });
  await client.end();
  return rows;
}

function readAll(db: DatabaseSync, sql: string): Version[] {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  return (statement.all() as unknown as [bigint, bigint, string | null][]).map(([id, version, text]) => [
    id.toString(),
    version.toString(),
    text,
  ]);
}

/** The pets that these versions leave, by ID. */
function petsAt(versions: readonly Version[]): Version[] {
  const newest = new Map(versions.map((version) => [version[0], version]));
  return [...newest.values()]
    .filter(([, , text]) => text !== null)
    .toSorted(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1));
}

/** Clients that add, change and delete pets, with photos. */
class Changes {
  count = 0;
  /** The greatest acknowledged version. */
  lastVersion = 0n;
  readonly #call: Call;
  #isOver = false;
  #working: Promise<unknown> = Promise.resolve();

  constructor(call: Call) {
    this.#call = call;
  }

  start(t: Lifetime): void {
    t.after(() => this.stop());
    this.#working = Promise.all(Array.from({ length: CLIENTS }, (_, client) => this.#work(client)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  async untilMore(changes: number): Promise<void> {
    for (const until = this.count + changes; this.count < until;) await delay(5);
  }

  async #work(client: number): Promise<void> {
    const photo = await makePhoto({ seed: client, width: 200, height: 100 });
    for (let turn = 0; !this.#isOver; turn++) {
      const id = 1000 * client + 1 + (turn % 20);
      const json = { id, name: `${client} ${turn}`, photoUrls: [], tags: [{ name: `t${turn % 7}` }] };
      await this.#change('POST', 'pet', { json });
      if (turn % 10 === 0) await this.#change('POST', `pet/${id}/uploadImage`, fileUpload(photo));
      if (turn % 3 === 0) await this.#change('DELETE', `pet/${id}`);
    }
  }

  async #change(method: string, path: string, options = {}): Promise<void> {
    const { status, text, headers } = await this.#call(method, path, options);
    // A deleted ID may be used again only if it is not in use.
    assert.ok(status === 200 || status === 409, text);
    const version = BigInt(/^"(\d+)"$/.exec(headers.get('etag') ?? '')?.[1] ?? 0);
    if (version > this.lastVersion) this.lastVersion = version;
    this.count++;
  }
}
