import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, type Lifetime } from './service.ts';

/*
 * Disks that are full or read-only, for processes of their own.
 */

const FSYNC_SOURCE = fileURLToPath(new URL('failing-fsync.c', import.meta.url));

export const skipWithoutBash = !existsSync('/bin/bash') && 'there is no bash, which limits the size of files';

/** Raises the limit of a process that is running. */
export const skipWithoutPrlimit =
  spawnSync('prlimit', ['--version']).error === undefined ? false : 'there is no prlimit of util-linux';

/** A Node.js that writes no file beyond this size: the system then refuses the write, as a failing disk does. */
export async function nodeWithFileLimit(t: Lifetime, maxKibibytes: number): Promise<string> {
  const node = join(await temporaryFolder(t), 'node');
  const lines = ['#!/bin/bash', "trap '' XFSZ", `ulimit -S -f ${maxKibibytes}`, `exec '${process.execPath}' "$@"`];
  await writeFile(node, lines.join('\n'), { mode: 0o755 });
  return node;
}

export function liftFileLimit(pid: number): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:']);
  if (status !== 0) throw new Error(String(stderr));
}

/** A folder on a disk of its own, removed after the test. */
export interface SmallDisk {
  folder: string;
  /** `size=20m` or `ro`, for instance. */
  remount(options: string): void;
}

export async function mountSmallDisk(t: Lifetime, megabytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'menagerie-test', folder);
  t.after(async () => {
    // Lazily: hooks run in the order in which they were added, and the process that uses it ends after this.
    run('umount', '--lazy', folder);
    await rmdir(folder);
  });
  return { folder, remount: (options) => run('mount', '-o', `remount,${options}`, folder) };
}

export const skipWithoutCompiler =
  process.platform === 'linux' && spawnSync('cc', ['--version']).error === undefined
    ? false
    : 'there is no C compiler for Linux, which makes fsync fail';

/** A library for `LD_PRELOAD`: fsync fails while the file that `FSYNC_FAILS` names exists. */
export async function failingFsync(t: Lifetime): Promise<string> {
  const library = join(await temporaryFolder(t), 'failing-fsync.so');
  run('cc', '-shared', '-fPIC', '-o', library, FSYNC_SOURCE, '-ldl');
  return library;
}

export const skipWithoutMount = canMount() ? false : 'this user may not mount a disk';

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'menagerie-test', '/mnt']).status === 0;
}

function run(command: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args);
  if (status !== 0) throw new Error(`${command}: ${String(stderr)}`);
}
