import { hostname } from 'node:os';
import type { Static } from 'typebox';
import { Check } from 'typebox/schema';
import * as Type from '../../api/records/type.ts';
import type { Backup } from '../../domain/backups.ts';
import { Failure } from '../../domain/failure.ts';
import type { BackupFiles } from './backup-files.ts';
import { isFinished, listBackupFiles, readHeader, startOfBackup, statusName } from './manifest.ts';

/* The outcome of a backup is stored in its place, not in the process that made it: every node reads the same. */

/** Written while a backup is in progress, at least this often. */
export const STATUS_INTERVAL_MS = 5000;

/** Without a newer status, an unfinished backup is interrupted. */
const INTERRUPTED_MS = 60_000;

const BackupStatus = Type.Object({
  atMs: Type.Integer(),
  /** A table, or `photos`. */
  what: Type.String(),
  done: Type.Integer(),
  total: Type.Integer(),
  /** Why it failed. */
  error: Type.Optional(Type.String()),
  /** The process that makes it, and the machine on which it runs. */
  pid: Type.Optional(Type.Integer()),
  host: Type.Optional(Type.String()),
});
export type BackupStatus = Static<typeof BackupStatus>;

export async function writeStatus(
  files: Pick<BackupFiles, 'write'>,
  backup: string,
  status: BackupStatus,
): Promise<void> {
  const text = JSON.stringify({ ...status, pid: process.pid, host: hostname() });
  await files.write(statusName(backup), Buffer.from(text));
}

/**
 * All backups of a place, newest first.
 *
 * @param known finished backups of an earlier call, which are not read again
 * @throws Failure `unavailable`
 */
export async function describeBackups(
  files: BackupFiles,
  known: ReadonlyMap<string, Backup> = new Map(),
): Promise<readonly Backup[]> {
  const backups: Backup[] = [];
  for (const [name, names] of [...(await listBackupFiles(files))].toReversed()) {
    const describe = isFinished(name, names) ? describeFinished : describeUnfinished;
    backups.push(known.get(name) ?? (await describe(files, name)));
  }
  return backups;
}

async function describeFinished(files: BackupFiles, name: string): Promise<Backup> {
  try {
    const { rows, before: _before, encrypted, ...header } = await readHeader(files, name);
    return { name, state: 'finished', ...header, pets: rows['pet'] ?? 0, isEncrypted: encrypted !== undefined };
  } catch (error) {
    // A damaged manifest must not hide the other backups.
    if (!(error instanceof Failure) || error.code !== 'invalid-input') throw error;
    return { name, state: 'failed', startedAtMs: startOfBackup(name), error: error.message };
  }
}

async function describeUnfinished(files: BackupFiles, name: string): Promise<Backup> {
  const startedAtMs = startOfBackup(name);
  const status = readStatus(await files.read(statusName(name)));
  if (status?.error !== undefined) return { name, state: 'failed', startedAtMs, error: status.error };
  const isOld = (status?.atMs ?? startedAtMs) < Date.now() - INTERRUPTED_MS;
  if (isOld || hasEnded(status)) return { name, state: 'interrupted', startedAtMs };
  const { what = '', done = 0, total = 0 } = status ?? {};
  return { name, state: 'running', startedAtMs, progress: { what, done, total } };
}

/** Whether the process was on this machine, and is gone. Nothing is known about other machines. */
function hasEnded({ pid, host }: Partial<BackupStatus> = {}): boolean {
  if (pid === undefined || host !== hostname()) return false;
  try {
    return !process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function readStatus(bytes: Uint8Array | undefined): BackupStatus | undefined {
  if (bytes === undefined) return undefined;
  try {
    const status: unknown = JSON.parse(Buffer.from(bytes).toString());
    return Check(BackupStatus, status) ? status : undefined;
  } catch {
    return undefined;
  }
}
