import assert from 'node:assert/strict';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { countMigrations } from '../../src/storage/sqlite/migrations/migrations.ts';
import { runMenagerie } from '../support/menagerie-process.ts';
import { outputOf } from '../support/operator-commands.ts';
import { exportedPets, makeRichInstallation, serveOn } from '../support/rich-installation.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';

/* Backups across an upgrade: the next version has another column of each kind, and another table. */

const ROOT = join(import.meta.dirname, '../..');

const MIGRATION = `
  alter table account add column time_zone text;
  alter table pet add column weight integer not null default 7;
  create table litter (id integer primary key, name text not null) strict;`;

/** The executable of a copy of this version, changed as CONTRIBUTING.md says for a migration. */
async function nextVersion(t: Lifetime): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const name of ['src', 'assets']) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'dist'));
  const edit = async (path: string, ...edits: readonly (readonly [string, string])[]) => {
    let text = await readFile(join(ROOT, path), 'utf8');
    for (const [before, after] of edits) {
      assert.equal(text.split(before).length, 2, `${path}: ${before}`);
      text = text.replace(before, after);
    }
    await writeFile(join(folder, path), text);
  };
  await edit('package.json', ['"version": "', '"version": "9.']);
  await edit(
    'src/storage/rows/dump/dump-tables.ts',
    ["public_id: 'int',", "public_id: 'int', time_zone: 'text',"],
    [
      'defaults: { profile_version: 0n, is_draft: 0n },',
      'defaults: { profile_version: 0n, is_draft: 0n, weight: 7n },',
    ],
    [
      "added_version: 'int',\n      status: 'text',",
      "added_version: 'int',\n      weight: 'int',\n      status: 'text',",
    ],
    [
      "{ name: 'pet_tag',",
      "{ name: 'litter', columns: { id: 'int', name: 'text' }, keyLength: 1, batchRows: ROWS },\n{ name: 'pet_tag',",
    ],
  );
  const number = String(countMigrations() + 1).padStart(3, '0');
  await writeFile(join(folder, `src/storage/sqlite/migrations/${number}-planted.sql`), MIGRATION);
  return join(folder, 'src/cli/menagerie.js');
}

void test('upgrade: older backups are restored, and newer ones refused by the older version', async (t) => {
  const folder = await temporaryFolder(t);
  const [data, restored, place, archive, again] = ['data', 'restored', 'place', 'pets.tar.zst', 'again'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string, string];
  await makeRichInstallation(t, data);
  const service = await serveOn(t, data);
  const pets = await exportedPets(service.call);
  await service.stop();
  const executable = await nextVersion(t);
  const run = (...args: readonly string[]) => runMenagerie(t, args);
  const runNext = (...args: readonly string[]) => runMenagerie(t, args, { executable });

  for (const to of [place, archive]) outputOf(await run('backup', to, '--data-dir', data));
  outputOf(await runNext('restore', place, '--data-dir', restored));
  outputOf(await runNext('restore', archive, '--data-dir', join(folder, 'unpacked')));
  for (const dataDir of [restored, join(folder, 'unpacked')]) {
    const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { readOnly: true });
    assert.deepEqual({ ...db.prepare('select distinct weight from pet').get() }, { weight: 7 });
    assert.deepEqual({ ...db.prepare('select distinct time_zone from account').get() }, { time_zone: null });
    db.close();
  }

  // The same folder after its migration.
  outputOf(await runNext('migrate', '--data-dir', data));
  const db = new DatabaseSync(join(data, 'menagerie.db'));
  db.exec(
    `update account set time_zone = 'Europe/Vienna'; update pet set weight = 12; insert into litter values (1, 'A')`,
  );
  db.close();
  outputOf(await runNext('backup', place, '--data-dir', data));
  const refused = await run('restore', place, '--data-dir', again);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^The backup \S+ was made by Menagerie 9\.\S+, and has data that this version /);
  assert.match(outputOf(await run('backup', place, '--list', '--data-dir', data)), /finished/i);
  outputOf(await runNext('restore', place, '--data-dir', again));
  const moved = new DatabaseSync(join(again, 'menagerie.db'), { readOnly: true });
  assert.deepEqual({ ...moved.prepare('select distinct weight from pet').get() }, { weight: 12 });
  assert.deepEqual({ ...moved.prepare('select name from litter').get() }, { name: 'A' });
  moved.close();

  const first = outputOf(await runNext('backup', place, '--list', '--json', '--data-dir', data))
    .trim()
    .split('\n')
    .at(-1);
  const { name } = JSON.parse(first ?? '') as { name: string };
  const older = join(folder, 'older');
  outputOf(await run('restore', place, '--backup', name, '--data-dir', older));
  assert.equal(await exportedPets((await serveOn(t, older)).call), pets);
});
