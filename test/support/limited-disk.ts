import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Lifetime } from './lifetime.ts';
import { temporaryFolder } from './service.ts';

/* Full and read-only disks, for separate processes. */

const FSYNC_SOURCE = fileURLToPath(new URL('failing-fsync.c', import.meta.url));

export const skipWithoutBash = !existsSync('/bin/bash') && 'bash is not installed; it limits the size of files';

const MANY_FILES = 4096;

/** Raises the limit of a running process. */
export const skipWithoutPrlimit =
  spawnSync('prlimit', ['--version']).error === undefined ? false : 'prlimit of util-linux is not installed';

/** A Node.js that cannot write files beyond this size: the system refuses such writes, as on a failing disk. */
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

/** Limits how many files a running process may open in addition to those that it has. */
export function limitFiles(pid: number, further: number): void {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  // Descriptors are the lowest free numbers, and a process may have inherited high ones.
  let max = 0;
  for (let free = further; max < MANY_FILES && (open.has(max) || free-- > 0); max++);
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${max}:`]);
  if (status !== 0) throw new Error(String(stderr));
}

/** A folder on a separate disk, deleted after the test. */
export interface SmallDisk {
  folder: string;
  /** Mount options, such as `size=20m` or `ro`. */
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
    : 'no C compiler for Linux is installed; it builds the failing fsync';

/** A library for `LD_PRELOAD`: fsync fails while the file named by `FSYNC_FAILS` exists. */
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
