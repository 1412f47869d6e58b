import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertOneState, Changes } from '../support/backup-load.ts';
import { clientOf } from '../support/client.ts';
import { runMenagerie, startMenagerie, startServer } from '../support/menagerie-process.ts';
import { outputOf } from '../support/operator-commands.ts';
import { contentsOf, makeRichInstallation } from '../support/rich-installation.ts';
import { newDatabaseFor } from '../support/shared-postgres.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';

const ROUNDS = 6;
const KILLS = 50;
/** About the time of a complete command. */
const MAX_LIFETIME_MS = 600;

/** The command before was killed after its last step. */
const FINISHED_BEFORE = /^The target is not empty/;

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  void test(`backups during changes, ${engine}: each is the state at one commit, after all acknowledged changes`, async (t) => {
    const folder = await temporaryFolder(t);
    const [data, place] = [join(folder, 'data'), join(folder, 'place')];
    const url = engine === 'PostgreSQL' ? await newDatabaseFor(t) : undefined;
    const environment = url === undefined ? {} : { MENAGERIE_DATABASE_URL: url };
    const server = await startServer(t, data, ['--empty'], { environment });
    const load = new Changes(clientOf(server.base));
    load.start(t);
    await load.untilMore();
    for (let round = 0; round < ROUNDS; round++) {
      const acknowledged = load.lastVersion;
      outputOf(await runMenagerie(t, ['backup', place, '--data-dir', data, '--keep', '2'], { environment }));
      const target = join(folder, `restored-${round}`);
      outputOf(await runMenagerie(t, ['restore', place, '--data-dir', target]));
      await assertOneState({ dataDir: target }, url === undefined ? { dataDir: data } : { url }, acknowledged);
      await load.untilMore();
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

void test('killed backups to a file: only complete files have its name', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  await makeRichInstallation(t, source);
  const file = join(folder, 'pets.tar.zst');
  let restored = 0;
  for (let kill = 0; kill < KILLS / 2; kill++) {
    await killLater(t, ['backup', file, '--data-dir', source]);
    if (!existsSync(file)) continue;
    outputOf(await runMenagerie(t, ['restore', file, '--data-dir', target]));
    assert.deepEqual(contentsOf(target), contentsOf(source));
    await Promise.all([rm(file), rm(target, { recursive: true })]);
    restored++;
  }
  t.diagnostic(`${restored} complete files`);
});

for (const [engine, name, kills] of [
  ['SQLite', 'place', KILLS],
  ['SQLite', 'pets.tar.zst', KILLS],
  ['PostgreSQL', 'place', KILLS / 2],
] as const) {
  void test(`killed restores of ${name}, ${engine}: are resumed by the same command, and the result is complete`, async (t) => {
    const folder = await temporaryFolder(t);
    const [source, place] = [join(folder, 'source'), join(folder, name)];
    await makeRichInstallation(t, source);
    outputOf(await runMenagerie(t, ['backup', place, '--data-dir', source]));
    const expected = contentsOf(source);
    let targets = 0;
    for (let left = kills; left > 0; targets++) {
      const target = join(folder, `target-${targets}`);
      const args = ['restore', place, '--data-dir', target];
      const environment = engine === 'SQLite' ? {} : { MENAGERIE_DATABASE_URL: await newDatabaseFor(t) };
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
        const back = join(folder, `back-${targets}`);
        outputOf(await runMenagerie(t, ['backup', back, '--data-dir', target], { environment }));
        outputOf(await runMenagerie(t, ['restore', back, '--data-dir', copy]));
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
