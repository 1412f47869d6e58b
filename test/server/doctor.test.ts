import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chown, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { CHECK_NAMES } from '../../src/domain/health/checks.ts';
import { PROBLEM_NAMES, type Finding } from '../../src/domain/health/finding.ts';
import { isHealthy, type HealthReport } from '../../src/domain/health/report.ts';
import { Doctor, type DoctorOptions } from '../../src/server/health/doctor.ts';
import { REFERENCES } from '../../src/storage/rows/health/row-problems.ts';
import { copyOn, makeInstallation, placesOf } from '../support/copied-installation.ts';
import { mountSmallDisk, skipWithoutMount } from '../support/limited-disk.ts';
import { outputOf, runCommand } from '../support/operator-commands.ts';
import {
  breakAuditLog,
  FOLDER_DAMAGES,
  OWNER_DAMAGE,
  PHOTO_DAMAGES,
  ROW_DAMAGES,
  type Damage,
  type DamagedPlace,
} from '../support/planted-damage.ts';
import { contentsOf, continueSequences, seenBy, serveOn } from '../support/rich-installation.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';

const DAMAGES = [...ROW_DAMAGES, ...PHOTO_DAMAGES, ...FOLDER_DAMAGES, OWNER_DAMAGE];

/** Problems and damage after whose repair the contents may differ, such as the time since when a photo is unused. */
const CHANGES_CONTENTS = new Set([
  'counter-low',
  'position after the last event',
  'photo-use-wrong',
  'photo-references-wrong',
  'deletion-unfinished',
  'photo-damaged',
]);

const HOUR_MS = 3_600_000;

const skipWithoutRoot = process.getuid?.() !== 0 && 'only root can change the owner of a file';

const installation = await makeInstallation({ after });
const { folder, credentials } = installation;

/** Without the files of open connections. */
async function namesIn({ places }: DamagedPlace): Promise<string[]> {
  return (await readdir(places.dataDir, { recursive: true })).filter((name) => !/-(?:wal|shm)$/.test(name)).toSorted();
}

function examine({ places }: DamagedPlace, options: DoctorOptions = {}, aheadMs = 0): Promise<HealthReport> {
  return new Doctor(places, { clock: () => Date.now() + aheadMs, ...options }).run();
}

function problemsIn({ findings }: Pick<HealthReport, 'findings'>): (Finding['problem'] | undefined)[] {
  return findings.filter(({ severity }) => severity !== 'ok').map(({ problem }) => problem);
}

/** What the service knows of itself; a command does not know whether e-mail is sent. */
const OF_SERVICE = { sendsMail: false };

async function requireFound(place: DamagedPlace, { problem, says, aheadMs }: Damage): Promise<void> {
  const report = await examine(place, OF_SERVICE, aheadMs);
  const finding = report.findings.find((each) => each.problem === problem);
  assert.ok(finding, `${problem} was not found, but ${problemsIn(report).join()}`);
  assert.ok(finding.count >= 1);
  const { message, advice, subjects } = finding;
  if (says !== undefined) assert.match([message, advice, ...subjects].join('\n'), says);
  assert.doesNotMatch(`${message} ${advice}`, /\{|undefined|\n/);
}

/** Some tests use another clock than the database. */
function isNotOfClock(problem: Finding['problem'] | undefined): boolean {
  return problem !== 'clock-differs';
}

async function requireRepaired(place: DamagedPlace, { problem, left, aheadMs }: Damage): Promise<HealthReport> {
  const repair = await examine(place, { ...OF_SERVICE, isRepair: true }, aheadMs);
  if (left === false) {
    assert.ok(problemsIn(repair).includes(problem), 'it cannot be repaired');
    if (problem === 'database-damaged') assert.deepEqual(repair.repaired, []);
    return repair;
  }
  const remaining = problemsIn(repair).filter(isNotOfClock);
  assert.deepEqual(remaining, left ?? [], JSON.stringify(repair.findings.filter(({ severity }) => severity !== 'ok')));
  assert.ok(repair.repaired.some((each) => each.problem === problem));
  const again = await examine(place, OF_SERVICE, aheadMs);
  assert.deepEqual(problemsIn(again).filter(isNotOfClock), left ?? []);
  return repair;
}

for (const engine of ['sqlite', 'postgres'] as const) {
  void describe(`doctor on ${engine}`, () => {
    void it('a sound installation: every check passes, and nothing is changed', async (t) => {
      const place = await copyOn(t, installation, engine);
      const before = engine === 'sqlite' ? contentsOf(place.places.dataDir) : {};
      const names = await namesIn(place);
      const report = await examine(place, { isRepair: true });
      assert.deepEqual(problemsIn(report), []);
      assert.equal(isHealthy(report), true);
      const checked = new Set(report.findings.map(({ check }) => check));
      assert.deepEqual(checked, new Set(CHECK_NAMES));
      assert.deepEqual(await namesIn(place), names);
      if (engine === 'sqlite') assert.deepEqual(contentsOf(place.places.dataDir), before);
    });

    void it('photos without the ID of the installation: nothing, as the next start writes it', async (t) => {
      const place = await copyOn(t, installation, engine);
      await rm(join(place.places.dataDir, 'photos', 'installation-id'));
      assert.deepEqual(problemsIn(await examine(place)), []);
    });

    for (const damage of DAMAGES.filter(({ on = engine }) => on === engine)) {
      const skip = damage === OWNER_DAMAGE && skipWithoutRoot;
      void it(`${damage.name}: found${damage.left === false ? '' : ', and repaired'}`, { skip }, async (t) => {
        const place = await copyOn(t, installation, engine);
        await damage.plant(place);
        await requireFound(place, damage);
        await requireRepaired(place, damage);
        if (engine === 'sqlite' && damage.left === undefined) await requireServed(t, place, damage);
        if (engine === 'postgres' && damage.problem === 'counter-low') await requireChangeable(t, place);
      });
    }

    void it('a check without a result, and damage: hide no other problem, and after damage nothing is repaired', async (t) => {
      const place = await copyOn(t, installation, engine);
      await place.sql(`alter table removed_pet rename to removed_pet_; update pet set status = 'sold' where id = 1`);
      await place.sql(`insert into pet_tag (name, pet_id) values ('ghost', 1)`);
      await place.photoStore.trash(place.digest);
      const found = problemsIn(await examine(place));
      for (const problem of ['not-completed', 'status-wrong', 'tags-wrong', 'photo-missing'] as const)
        assert.equal(found.filter((each) => each === problem).length, 1, found.join());
      await breakAuditLog(place);
      const { findings, repaired } = await examine(place, { isRepair: true });
      const left = problemsIn({ findings });
      for (const problem of ['database-damaged', 'tags-wrong', 'photo-missing'] as const)
        assert.ok(left.includes(problem), left.join());
      assert.ok(!repaired.some(({ problem }) => problem === 'tags-wrong'));
    });

    void it('a running service: found and repaired beside it', async (t) => {
      const place = await copyOn(t, installation, engine);
      const { dataDir } = place.places;
      const url = place.places.database?.serverUrls[0];
      const { call } = await serveOn(t, dataDir, url === undefined ? [] : ['--database-url', url]);
      await place.sql(`insert into pet_tag (name, pet_id) values ('ghost', 1)`);
      await place.sql(`update pet_count set count = 99 where kind = 'added'`);
      const repair = await examine(place, { isRepair: true });
      assert.deepEqual(repair.repaired.map(({ problem }) => problem).toSorted(), ['counts-wrong', 'tags-wrong']);
      const headers = { authorization: `Bearer ${credentials.session}` };
      const added = await call('POST', 'pet', {
        headers,
        json: { name: 'New', photoUrls: [], tags: [{ name: 'new' }] },
      });
      assert.equal(added.status, 200);
      assert.deepEqual(problemsIn(await examine(place)), []);
    });
  });
}

async function requireServed(t: Lifetime, place: DamagedPlace, { name, problem }: Damage): Promise<void> {
  const { dataDir } = place.places;
  if (!CHANGES_CONTENTS.has(problem) && !CHANGES_CONTENTS.has(name))
    assert.deepEqual(contentsOf(dataDir), contentsOf(folder));
  const { call, stop } = await serveOn(t, dataDir);
  assert.equal(await seenBy(call, credentials), await (seen ??= seenOfOriginal()));
  await stop();
}

async function requireChangeable(t: Lifetime, { places }: DamagedPlace): Promise<void> {
  const { call, stop } = await serveOn(t, places.dataDir, ['--database-url', places.database?.serverUrls[0] ?? '']);
  assert.deepEqual(await continueSequences(call, credentials), ['6', '5', '"24"']);
  await stop();
}

let seen: Promise<string> | undefined;

/** The responses of the sound installation. */
async function seenOfOriginal(): Promise<string> {
  const original = join(await temporaryFolder({ after }), 'original');
  await cp(folder, original, { recursive: true, preserveTimestamps: true });
  const { call, stop } = await serveOn({ after }, original);
  const result = await seenBy(call, credentials);
  await stop();
  return result;
}

void describe('doctor', () => {
  void it('every problem: planted by a test', () => {
    const planted = new Set(DAMAGES.map(({ problem }) => problem));
    // The disk, the backups, the servers and enquiries have tests of their own.
    assert.deepEqual(
      PROBLEM_NAMES.filter((problem) => !planted.has(problem) && !problem.startsWith('server-')),
      ['disk-full', 'disk-low', 'backup-missing', 'backup-unwritable', 'backup-old', 'enquiries-without-recipient'],
    );
  });

  void it('every foreign key of SQLite: among the checked references', async (t) => {
    const { places } = await copyOn(t, installation, 'sqlite');
    const db = new DatabaseSync(join(places.dataDir, 'menagerie.db'), { readOnly: true });
    const keys = db
      .prepare(
        `select tables.name as name, keys."table", keys."from"
         from pragma_table_list as tables, pragma_foreign_key_list(tables.name) as keys where tables.schema = 'main'`,
      )
      .all()
      .map((row) => `${String(row['name'])}.${String(row['from'])} ${String(row['table'])}`);
    db.close();
    const checked = REFERENCES.map(({ table, column, parent }) => `${table}.${column} ${parent}`);
    assert.deepEqual(keys.toSorted(), checked.toSorted());
  });

  void it('a nearly full disk: found', { skip: skipWithoutMount }, async (t) => {
    const disk = await mountSmallDisk(t, 64);
    const place = await copyOn(t, installation, 'sqlite', disk.folder);
    assert.deepEqual(problemsIn(await examine(place)), ['disk-full']);
    disk.remount('size=600m');
    assert.deepEqual(problemsIn(await examine(place)), ['disk-low']);
  });

  void it('daily backups: found if there is none, or the newest is older than two days', async (t) => {
    const place = await copyOn(t, installation, 'sqlite');
    const to = join(place.places.dataDir, '..', 'backups');
    const scheduled = { ...place, places: { ...place.places, backup: { to: { folder: to }, atMinute: 0, keep: 7 } } };
    const problemsAfter = async (hours: number) =>
      problemsIn(await examine(scheduled, {}, hours * HOUR_MS)).filter((problem) => problem?.startsWith('backup'));
    assert.deepEqual(await problemsAfter(0), ['backup-missing']);
    outputOf(await runCommand(['backup', to, '--data-dir', place.places.dataDir]));
    assert.deepEqual(await problemsAfter(47), []);
    assert.deepEqual(await problemsAfter(49), ['backup-old']);
    await rm(to, { recursive: true });
    await writeFile(to, '');
    assert.deepEqual(await problemsAfter(47), ['backup-unwritable']);
  });

  void it('the form for enquiries: found without e-mail or without a recipient', async (t) => {
    const place = await copyOn(t, installation, 'sqlite');
    const store = (kind: string, text: string) =>
      place.sql(
        `insert into site_record (kind, version, text, changed_at_ms) values ('${kind}', 1, '${text}', 1)
         on conflict (kind) do update set text = excluded.text`,
      );
    const form = (rest: string) => store('enquiry-settings', `{"enabled":true,"questions":[]${rest}}`);
    await store('organisation', '{}');
    await store('enquiry-settings', '{"enabled":false}');
    assert.deepEqual(problemsIn(await examine(place, { sendsMail: false })), []);
    await form('');
    assert.deepEqual(problemsIn(await examine(place, { sendsMail: false })), ['enquiries-not-mailed']);
    assert.deepEqual(problemsIn(await examine(place, { sendsMail: true })), ['enquiries-without-recipient']);
    assert.deepEqual(problemsIn(await examine(place)), [], 'a command does not know');
    await form(',"recipient":"office@example.org"');
    assert.deepEqual(problemsIn(await examine(place, { sendsMail: true })), []);
    await form('');
    await store('organisation', '{"contact":{"email":"office@example.org"}}');
    assert.deepEqual(problemsIn(await examine(place, { sendsMail: true })), []);
  });

  void it('damaged and unknown photos: moved aside with their bytes', async (t) => {
    const place = await copyOn(t, installation, 'sqlite');
    await place.photoStore.put(place.digest, Buffer.from('flipped'));
    const { aside } = await examine(place, { isRepair: true });
    assert.ok(aside?.startsWith(join(place.places.dataDir, 'photos', 'aside')), String(aside));
    assert.ok(existsSync(join(String(aside), place.digest.slice(0, 2), place.digest, 'original')));
  });

  void it('quick: finds missing photos, and does not read the others', async (t) => {
    const place = await copyOn(t, installation, 'sqlite');
    await place.photoStore.put(place.digest, Buffer.from('flipped'));
    assert.deepEqual(problemsIn(await examine(place, { isQuick: true })), []);
    await place.photoStore.trash(place.digest);
    assert.deepEqual(problemsIn(await examine(place, { isQuick: true })), ['photo-missing']);
  });

  void it('repair by another user: refused', { skip: skipWithoutRoot }, async (t) => {
    const place = await copyOn(t, installation, 'sqlite');
    await chown(place.places.dataDir, 12_345, 12_345);
    await assert.rejects(
      examine(place, { isRepair: true }),
      /^Failure: Only the owner of the data folder .+ can repair it/,
    );
  });

  void it('an empty folder: refused', async (t) => {
    const dataDir = join(await temporaryFolder(t), 'empty');
    await mkdir(dataDir);
    await assert.rejects(new Doctor(placesOf(dataDir)).run(), /^Failure: No Menagerie data found in/);
    assert.deepEqual(await readdir(dataDir), []);
  });
});
