import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { startMenagerie } from '../support/menagerie-process.ts';
import { assertRefusal, outputOf, runCommand } from '../support/operator-commands.ts';
import { contentsOf, makeRichInstallation } from '../support/rich-installation.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';
import { newDatabaseFor } from '../support/shared-postgres.ts';
import { askOnce } from './served-database.ts';

/*
 * Restores that are killed before their first, third, ninth … call to the database: no server starts on the target,
 * unless nothing was created yet, and the same command completes it.
 */

const KILLER = new URL('../support/kill-at-call.ts', import.meta.url).href;

const folder = await temporaryFolder({ after });
const [source, place] = [join(folder, 'source'), join(folder, 'place')];
await makeRichInstallation({ after }, source);
outputOf(await runCommand(['backup', place, '--data-dir', source]));

interface Target {
  dataDir: string;
  environment: Readonly<Record<string, string>>;
  /** The tables of the service, without the mark and the version of the schema; undefined if none of them exists. */
  countTables: () => Promise<number | undefined>;
}

const TARGETS: Readonly<Record<string, (t: Lifetime, name: string) => Promise<Target>>> = {
  async SQLite(_t, name) {
    const dataDir = join(folder, name);
    return { dataDir, environment: {}, countTables: async () => countInFile(join(dataDir, 'menagerie.db')) };
  },
  async PostgreSQL(t, name) {
    const url = await newDatabaseFor(t);
    const names = `select table_name as name from information_schema.tables where table_schema = 'public'`;
    return {
      dataDir: join(folder, name),
      environment: { MENAGERIE_DATABASE_URL: url },
      countTables: async () => countOf((await askOnce(url, names)).map((row) => String(row['name']))),
    };
  },
};

function countInFile(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  const db = new DatabaseSync(path);
  try {
    return countOf(
      db
        .prepare('select name from sqlite_schema')
        .all()
        .map((row) => String(row['name'])),
    );
  } finally {
    db.close();
  }
}

function countOf(names: readonly string[]): number | undefined {
  const others = names.filter((name) => name !== 'menagerie_schema');
  return others.length === 0 ? undefined : others.filter((name) => name !== 'unfinished_move').length;
}

for (const [engine, open] of Object.entries(TARGETS))
  void test(`killed restore into ${engine}: wherever it was killed, no server starts on its target until it is resumed`, async (t) => {
    const counts = new Set<number>();
    for (let call = 1, isKilled = true; isKilled; call *= 3) {
      const { dataDir, environment, countTables } = await open(t, `${engine}-${call}`);
      const command = ['restore', place, '--data-dir', dataDir];
      const killing = { NODE_OPTIONS: `--import ${KILLER}`, TEST_KILL_AT_CALL: String(call) };
      const { signal, code, stderr } = await startMenagerie(t, command, { environment: { ...environment, ...killing } })
        .ended;
      isKilled = signal === 'SIGKILL';
      if (!isKilled) {
        assert.equal(code, 0, stderr);
        continue;
      }
      const count = await countTables();
      if (count !== undefined) {
        counts.add(count);
        const says = /^A restore into this (?:data folder|database) has not finished\./;
        assertRefusal(await runCommand(['user', 'list', '--data-dir', dataDir], { environment }), { code: 1, says });
        const backup = await runCommand(['backup', join(folder, 'other'), '--data-dir', dataDir], { environment });
        const doctor = await runCommand(['doctor', '--data-dir', dataDir], { environment });
        assert.match(doctor.stdout, /A restore into this database is unfinished/);
        assert.doesNotMatch(doctor.stdout, /Start this version/);
        assertRefusal(backup, { code: 1, says: /is the target of an unfinished restore/ });
      }
      outputOf(await runCommand(command, { environment }));
      if (engine === 'SQLite') assert.deepEqual(contentsOf(dataDir), contentsOf(source));
    }
    assert.ok(counts.size > 1, `the schema was incomplete in some of them: ${[...counts].join(', ')}`);
  });
