import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Finding } from '../../src/domain/health/finding.ts';
import { startServer } from '../support/menagerie-process.ts';
import { temporaryFolder } from '../support/service.ts';

/* The data folder on volumes that belong to root and a group of the user who runs the service. */

const AS_USER = resolve(import.meta.dirname, '../support/as-user.js');
const skip = process.getuid?.() !== 0 && 'only root can run commands as other users';

/** With `fsGroup`, and a user and group of the image. */
const FS_GROUP = { uid: 1000, gid: 1000, groups: [2000] };
/** OpenShift chooses the user, whose group is that of root. */
const OPENSHIFT = { uid: 1_000_660_000, gid: 0, groups: [] };

type User = typeof FS_GROUP | typeof OPENSHIFT;

interface Result {
  code: unknown;
  stdout: string;
  stderr: string;
}

/** Owned by root and the group, as a new volume; the group may read and write everything. */
async function volumeOf(t: TestContext, group: number): Promise<string> {
  const parent = await temporaryFolder(t);
  await chmod(parent, 0o711);
  const dataDir = join(parent, 'data');
  const server = await startServer(t, dataDir, ['--empty']);
  await server.end('SIGTERM');
  for (const name of ['', ...(await readdir(dataDir, { recursive: true }))]) {
    const path = join(dataDir, name);
    await chown(path, 0, group);
    await chmod(path, (await lstat(path)).isDirectory() ? 0o2770 : 0o660);
  }
  return dataDir;
}

function doctorAs({ uid, gid, groups }: User, ...args: readonly string[]): Promise<Result> {
  const command = [AS_USER, `${uid}`, `${gid}`, groups.join(), 'doctor', '--json', ...args];
  return new Promise((done) => {
    execFile(process.execPath, command, (error, stdout, stderr) => done({ code: error?.code ?? 0, stdout, stderr }));
  });
}

function filesProblems({ stdout, stderr }: Result): readonly Finding[] {
  assert.match(stdout, /^\{/, stderr);
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
  return findings.filter(({ problem }) => problem?.startsWith('file-') ?? problem === 'not-completed');
}

for (const [name, user, group] of [
  ['fsGroup of Kubernetes', FS_GROUP, 2000],
  ['OpenShift', OPENSHIFT, 0],
] as const) {
  void test(
    `doctor: a volume of root and the group of the user (${name}) has no problems, and is repaired`,
    { skip },
    async (t) => {
      const dataDir = await volumeOf(t, group);
      const found = await doctorAs(user, '--data-dir', dataDir);
      assert.deepEqual([found.code, filesProblems(found)], [0, []], found.stdout);

      // What the service has created.
      const own = join(dataDir, 'menagerie.db');
      await chown(own, user.uid, group);
      await chmod(own, 0o200);
      const damaged = await doctorAs(user, '--data-dir', dataDir);
      assert.equal(filesProblems(damaged)[0]?.problem, 'file-permissions', damaged.stdout);
      const repaired = await doctorAs(user, '--repair', '--data-dir', dataDir);
      assert.deepEqual([repaired.code, filesProblems(repaired)], [0, []], repaired.stdout + repaired.stderr);

      // Root examines the folder for the user of the service, and must not repair it.
      const root = { uid: 0, gid: 0, groups: [] };
      assert.deepEqual(filesProblems(await doctorAs(root, '--data-dir', dataDir)), []);
      const refused = await doctorAs(root, '--repair', '--data-dir', dataDir);
      assert.match(refused.stderr, new RegExp(`user ID ${user.uid}; this is 0`));
    },
  );

  void test(`doctor: a file of root that the user cannot use (${name}) is named, and stays`, { skip }, async (t) => {
    const dataDir = await volumeOf(t, group);
    const path = join(dataDir, 'photos');
    await chmod(path, 0o700);
    for (const args of [[], ['--repair']]) {
      const [problem, ...others] = filesProblems(await doctorAs(user, ...args, '--data-dir', dataDir));
      assert.deepEqual([problem?.problem, problem?.subjects], ['file-owner', [path]], JSON.stringify(others));
      assert.match(problem?.message ?? '', new RegExp(`user ID ${user.uid}\\)`));
    }
  });

  void test(
    `doctor: a volume that everybody can change (${name}) stays a finding after the repair`,
    { skip },
    async (t) => {
      const dataDir = await volumeOf(t, group);
      await chmod(dataDir, 0o777);
      const [problem, ...others] = filesProblems(await doctorAs(user, '--repair', '--data-dir', dataDir));
      assert.deepEqual([problem?.problem, others], ['file-writable', []]);
      assert.match(problem?.advice ?? '', /as root, run chmod o-rwx/);
    },
  );
}
