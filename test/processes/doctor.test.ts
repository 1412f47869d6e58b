import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { CHECK_NAMES } from '../../src/domain/health/checks.ts';
import type { Finding } from '../../src/domain/health/finding.ts';
import { startServer } from '../support/menagerie-process.ts';
import { assertRefusal, HELP, jsonOf, outputOf, runCommand } from '../support/operator-commands.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';
import { changeDatabase } from '../support/sqlite-stores.ts';

interface Printed {
  healthy: boolean;
  quick: boolean;
  findings: readonly Finding[];
  repaired: readonly { problem: string; count: number }[];
  aside: string | null;
}

const doctor = (...args: readonly string[]) => runCommand(['doctor', ...args]);

async function folderWithSamples(t: Lifetime): Promise<string> {
  const dataDir = join(await temporaryFolder(t), 'data');
  const server = await startServer(t, dataDir, []);
  await server.end('SIGTERM');
  return dataDir;
}

void test('doctor: prints every check, and ends with 0 for a sound installation', async (t) => {
  const dataDir = await folderWithSamples(t);
  const printed = outputOf(await doctor('--data-dir', dataDir));
  assert.equal(printed.match(/^ok /gm)?.length, CHECK_NAMES.length);
  assert.match(printed, /\nNo problems found\.\n$/);
  const json = jsonOf(await doctor('--data-dir', dataDir, '--json', '--quick')) as Printed;
  assert.deepEqual([json.healthy, json.quick, json.repaired, json.aside], [true, true, [], null]);
});

void test('doctor: prints a problem with its advice, ends with 1, and with 0 after the repair', async (t) => {
  const dataDir = await folderWithSamples(t);
  changeDatabase(dataDir, `insert into pet_tag (name, pet_id) values ('ghost', 1)`);
  const found = await doctor('--data-dir', dataDir);
  assert.equal(found.code, 1);
  assert.match(
    found.stdout,
    /^ERROR {4}Rows of tags that .+: 1\.\n {11}pet 1: ghost\n {9}Run: menagerie doctor --repair\n/m,
  );
  assert.match(found.stdout, /\nErrors: 1\. Warnings: 0\.\n$/);
  assert.match(outputOf(await doctor('--data-dir', dataDir, '--repair')), /\nRepaired: tags-wrong \(1\)\.\n/);
  outputOf(await doctor('--data-dir', dataDir));
});

void test('doctor: prints JSON without a database as well', async (t) => {
  const { code, stdout, stderr } = await doctor('--json', '--data-dir', await temporaryFolder(t));
  assert.equal(code, 1);
  const { healthy, message } = JSON.parse(stdout) as { healthy: boolean; message: string };
  assert.equal(healthy, false);
  assert.match(message, /^No Menagerie data found in /);
  assert.equal(stderr, `${message}\n`);
});

void test('doctor: ends with 0 for warnings', async (t) => {
  const dataDir = await folderWithSamples(t);
  changeDatabase(dataDir, `update pet_count set count = count + 1`);
  assert.match(outputOf(await doctor('--data-dir', dataDir)), /^WARNING {2}Saved counts/m);
});

void test('doctor: names the folder of the photos that a repair has moved', async (t) => {
  const dataDir = await folderWithSamples(t);
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'));
  const digest = String(db.prepare('select digest from pet_photo').get()?.['digest']);
  db.close();
  await writeFile(join(dataDir, 'photos', digest.slice(0, 2), digest, 'original'), 'flipped');
  const repair = await doctor('--data-dir', dataDir, '--repair', '--json');
  assert.equal(repair.code, 1, 'the photo is missing');
  const { aside, findings } = JSON.parse(repair.stdout) as Printed;
  assert.equal(findings.find(({ problem }) => problem === 'photo-missing')?.subjects[0], digest);
  assert.equal(await readFile(join(String(aside), digest.slice(0, 2), digest, 'original'), 'utf8'), 'flipped');
});

void test('doctor: the next start after a repair finds a clean end', async (t) => {
  const dataDir = await folderWithSamples(t);
  changeDatabase(dataDir, `insert into pet_tag (name, pet_id) values ('ghost', 1)`);
  const server = await startServer(t, dataDir, []);
  await server.end('SIGTERM');
  outputOf(await doctor('--data-dir', dataDir, '--repair'));
  const { lastEndOf } = await import('../../src/storage/sqlite/engine/files/maintenance.ts');
  assert.equal(lastEndOf(join(dataDir, 'menagerie.db')), 'clean');
});

void test('doctor: invalid usage and missing data are refused', async (t) => {
  assertRefusal(await doctor('--fast'), { code: 2, says: /--fast[^]*Usage: menagerie doctor/ });
  assertRefusal(await doctor('now'), { code: 2, says: /Usage: menagerie doctor/ });
  const folder = await temporaryFolder(t);
  assertRefusal(await doctor('--data-dir', folder), { code: 1, says: /^No Menagerie data found in / });
  assert.match(outputOf(await doctor('--help')), HELP);
});
