import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { cp, readdir, readFile, utimes, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Finding } from '../../src/domain/health/finding.ts';
import { copyOn, makeInstallation } from '../support/copied-installation.ts';
import { startMenagerie, type Ended } from '../support/menagerie-process.ts';
import type { DamagedPlace } from '../support/planted-damage.ts';
import { seenBy, serveOn } from '../support/rich-installation.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';

/* `doctor --repair` is killed at a random point; the same command then completes the repair. */

const KILLS = { sqlite: 50, postgres: 20 } as const;
const GHOST_TAGS = 3000;
const STRAY_PHOTOS = 40;
const OLD_TIME = new Date('2026-01-02T03:04:05Z');

const installation = await makeInstallation({ after });

const DAMAGES = [
  `update pet_count set count = count + 3`,
  `delete from pet_tag where pet_id = 1`,
  `update pet set status = 'sold' where id = 1`,
  `delete from pet_photo where pet_id = 2`,
  `update photo set unused_since_ms = 5`,
  `delete from removed_pet where id = 5`,
  `insert into pet_photo (digest, pet_id) values ('d', 777)`,
];

async function damage(place: DamagedPlace): Promise<void> {
  for (const sql of DAMAGES) await place.sql(sql);
  const tags = Array.from({ length: GHOST_TAGS }, (_, index) => `('ghost ${index}', ${index})`);
  await place.sql(`insert into pet_tag (name, pet_id) values ${tags.join()}`);
  for (let index = 0; index < STRAY_PHOTOS; index++) {
    const bytes = Buffer.from(`stray ${index}`);
    const digest = hash('sha256', bytes);
    const folder = join(place.places.dataDir, 'photos', digest.slice(0, 2), digest);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'original'), bytes);
    await utimes(join(folder, 'original'), OLD_TIME, OLD_TIME);
  }
}

function repair(t: Lifetime, { places }: DamagedPlace) {
  const url = places.database?.serverUrls[0];
  const environment = url === undefined ? {} : { MENAGERIE_DATABASE_URL: url };
  return startMenagerie(t, ['doctor', '--repair', '--json', '--data-dir', places.dataDir], { environment });
}

function problemsOf({ stdout, stderr }: Ended): Finding['problem'][] {
  assert.notEqual(stdout, '', stderr);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.filter(({ severity }) => severity !== 'ok').map(({ problem }) => problem);
}

/** The bytes of all originals, wherever they are, by digest. */
async function originalsIn({ places }: DamagedPlace): Promise<string[]> {
  const folder = join(places.dataDir, 'photos');
  const names = await readdir(folder, { recursive: true });
  const digests = names.filter((name) => name.endsWith('original')).map((name) => readFile(join(folder, name)));
  return (await Promise.all(digests)).map((bytes) => hash('sha256', bytes)).toSorted();
}

/** Rows that a repair derives, in an order that does not depend on it. */
function derivedRows(dataDir: string): unknown[] {
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { readBigInts: true });
  const tables = ['pet', 'pet_version', 'removed_pet', 'pet_tag', 'pet_count', 'session'];
  const rows = tables.map((table) =>
    db
      .prepare(`select * from ${table}`)
      .all()
      .map((row) => JSON.stringify(row, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)))
      .filter((row) => !row.includes('"count":"0"'))
      .toSorted(),
  );
  db.close();
  return rows;
}

for (const engine of ['sqlite', 'postgres'] as const) {
  void describe(`killed repair on ${engine}`, () => {
    void it('loses nothing, and the same command completes it', async (t) => {
      const sample = await copyOn(t, installation, engine);
      const before = await originalsIn(sample);
      await damage(sample);
      const photos = await originalsIn(sample);
      assert.equal(photos.length, before.length + STRAY_PHOTOS);
      const firstMs = performance.now();
      assert.deepEqual(problemsOf(await repair(t, sample).ended), []);
      let wholeMs = performance.now() - firstMs;
      let killed = 0;
      for (let round = 0; round < KILLS[engine]; round++) {
        const place = await copyOn(t, installation, engine);
        await damage(place);
        const startMs = performance.now();
        const { child, ended } = repair(t, place);
        const endedMs = ended.then(() => performance.now() - startMs);
        // The first third of the time starts the process.
        await delay(wholeMs * (0.25 + 0.75 * Math.random()));
        child.kill('SIGKILL');
        if ((await ended).signal === 'SIGKILL') killed++;
        // It ended before the kill: the machine may be less busy than during the first repair.
        else wholeMs = Math.min(wholeMs, await endedMs);
        assert.deepEqual(await originalsIn(place), photos, 'no photo is lost, and none is doubled');
        assert.deepEqual(problemsOf(await repair(t, place).ended), [], `round ${round}`);
        assert.deepEqual(await originalsIn(place), photos);
        if (engine === 'sqlite')
          assert.deepEqual(derivedRows(place.places.dataDir), derivedRows(installation.folder), `round ${round}`);
        if (round === 0) await requireServed(t, place);
      }
      t.diagnostic(`${killed} of ${KILLS[engine]} were killed before their end, which takes ${Math.round(wholeMs)} ms`);
      assert.ok(killed >= KILLS[engine] / 3, `${killed} kills came before the end`);
    });
  });
}

async function requireServed(t: Lifetime, { places }: DamagedPlace): Promise<void> {
  const url = places.database?.serverUrls[0];
  const { call, stop } = await serveOn(t, places.dataDir, url === undefined ? [] : ['--database-url', url]);
  const original = join(await temporaryFolder(t), 'original');
  await cp(installation.folder, original, { recursive: true, preserveTimestamps: true });
  const expected = await serveOn(t, original);
  const { credentials } = installation;
  assert.equal(await seenBy(call, credentials), await seenBy(expected.call, credentials));
  await expected.stop();
  await stop();
}
