import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { BackupFiles } from './backup-files.ts';
import { isFinished, listBackupFiles, readManifest, startOfBackup, statusName } from './manifest.ts';

/*
 * What became of each backup is in its place, not in the process that made it: every node and every worker reads the same.
 */

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
});
export type BackupStatus = Static<typeof BackupStatus>;

export interface BackupEntry {
  name: string;
  state: 'finished' | 'running' | 'failed' | 'interrupted';
  startedAtMs: number;
  /** Of a finished backup. */
  finishedAtMs?: number;
  version?: string;
  pets?: number;
  photos?: number;
  /** Photos that the photo store did not have, or only damaged. */
  missingPhotos?: number;
  /** Written to the place, compressed. */
  bytes?: number;
  /** Of a running backup: rows or photos of `what`. */
  progress?: { what: string; done: number; total: number };
  /** Of a failed backup. */
  error?: string;
}

export async function writeStatus(files: BackupFiles, backup: string, status: BackupStatus): Promise<void> {
  await files.write(statusName(backup), Buffer.from(JSON.stringify(status)));
}

/** All backups of a place, newest first. @throws Failure `unavailable` */
export async function describeBackups(files: BackupFiles): Promise<readonly BackupEntry[]> {
  const entries: BackupEntry[] = [];
  for (const [name, names] of [...(await listBackupFiles(files))].toReversed())
    entries.push(isFinished(name, names) ? await finishedEntry(files, name) : await unfinishedEntry(files, name));
  return entries;
}

async function finishedEntry(files: BackupFiles, name: string): Promise<BackupEntry> {
  const { startedAt, finishedAt, version, bytes, tables, photos } = await readManifest(files, name);
  return {
    name,
    state: 'finished',
    startedAtMs: Date.parse(startedAt),
    finishedAtMs: Date.parse(finishedAt),
    version,
    pets: tables['pet']?.rows ?? 0,
    photos: photos.count,
    missingPhotos: photos.missing.length,
    bytes,
  };
}

async function unfinishedEntry(files: BackupFiles, name: string): Promise<BackupEntry> {
  const startedAtMs = startOfBackup(name);
  const status = readStatus(await files.read(statusName(name)));
  if (status?.error !== undefined) return { name, state: 'failed', startedAtMs, error: status.error };
  if ((status?.atMs ?? startedAtMs) < Date.now() - INTERRUPTED_MS) return { name, state: 'interrupted', startedAtMs };
  const { what = '', done = 0, total = 0 } = status ?? {};
  return { name, state: 'running', startedAtMs, progress: { what, done, total } };
}

function readStatus(bytes: Uint8Array | undefined): BackupStatus | undefined {
  if (bytes === undefined) return undefined;
  try {
    const status: unknown = JSON.parse(Buffer.from(bytes).toString());
    return Value.Check(BackupStatus, status) ? status : undefined;
  } catch {
    return undefined;
  }
}
