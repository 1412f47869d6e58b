import type { Static } from 'typebox';
import { Check } from 'typebox/schema';
import * as Type from '../../api/records/type.ts';
import { DUMP_TABLES } from '../../storage/rows/dump/dump-tables.ts';
import type { DumpTable } from '../../storage/rows/dump/dump-table.ts';
import { Failure } from '../../domain/failure.ts';
import { VERSION } from '../system/version.ts';
import type { BackupFiles } from './backup-files.ts';

/*
 * A place with backups:
 *
 *   backups/2026-11-23T03-00-00-000Z/pet-000001.ndjson.zst   rows of a table by key, one JSON array per line
 *   backups/2026-11-23T03-00-00-000Z/status.json             the progress of an unfinished backup
 *   backups/2026-11-23T03-00-00-000Z/manifest.json           written last: without it, the backup is unfinished
 *   photos/ab/abcd.../original                               the photos of all backups, by digest
 *
 * An encrypted backup (`encrypted-files.ts`):
 *
 *   backups/2026-11-23T03-00-00-000Z/pet-000001.ndjson.zst.age        the same rows, encrypted
 *   backups/2026-11-23T03-00-00-000Z/photos-0123456789abcdef.ndjson.zst  the names of its photos in the set
 *   backups/2026-11-23T03-00-00-000Z/manifest.json.age                the manifest, encrypted
 *   backups/2026-11-23T03-00-00-000Z/manifest.json                    what can be read without an identity
 *   encrypted/0123456789abcdef/ab/abcd.../original                    encrypted photos of the same recipients
 *   sets/0123456789abcdef.json                                        the recipients of a set
 */

const FORMAT = 1;
const ENCRYPTED_FORMAT = 2;
const FOLDER = 'backups';
const NAME = /^backups\/(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)\//;

const Integer = Type.String({ pattern: '^-?\\d+$' });
/** Shown in messages, so it has no control characters. */
const Version = Type.String({ pattern: '^[\\w.+-]{1,50}$' });
const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** A file with rows of one table. */
const BackupChunk = Type.Object({
  file: Type.String(),
  rows: Type.Integer(),
  digest: Digest,
  /** The key of the last row. */
  lastKey: Type.Array(Type.String()),
});
export type BackupChunk = Static<typeof BackupChunk>;

const BackupTable = Type.Object({
  columns: Type.Array(Type.String()),
  rows: Type.Integer(),
  chunks: Type.Array(BackupChunk),
});

const BackupManifest = Type.Object({
  format: Type.Literal(FORMAT),
  /** The version of Menagerie. */
  version: Version,
  startedAt: Type.String(),
  finishedAt: Type.String(),
  installationId: Type.Union([Type.String(), Type.Null()]),
  counters: Type.Object({
    nextPetId: Integer,
    nextAccountId: Integer,
    lastVersion: Integer,
    lastAuditId: Integer,
  }),
  tables: Type.Record(Type.String(), BackupTable),
  photos: Type.Object({
    count: Type.Integer(),
    /** Photos in the database that the photo store did not have, or only damaged. */
    missing: Type.Array(Digest),
    /** Whether the content of the photos of earlier backups was compared. Absent in older backups. */
    verified: Type.Optional(Type.Boolean()),
    /** Whether it has the rows only, because a migration changes no photos. */
    omitted: Type.Optional(Type.Boolean()),
  }),
  before: Type.Optional(Type.String()),
  /** The size of the rows, and of the photos that earlier backups did not have. */
  bytes: Type.Integer(),
});
export type BackupManifest = Static<typeof BackupManifest>;

/** The manifest of an encrypted backup, which the service reads without an identity. */
const EncryptedManifest = Type.Object({
  format: Type.Literal(ENCRYPTED_FORMAT),
  version: Version,
  startedAt: Type.String(),
  finishedAt: Type.String(),
  recipients: Type.Array(Type.String({ pattern: '^age1[a-z\\d]{1,3000}$' })),
  photoSet: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  /** The rows of each table. */
  rows: Type.Record(Type.String(), Type.Integer()),
  photos: Type.Object({ count: Type.Integer(), missing: Type.Integer(), verified: Type.Boolean() }),
  before: Type.Optional(Type.String()),
  bytes: Type.Integer(),
  /** SHA-256 of the other files of the backup, as they are stored. */
  files: Type.Record(Type.String(), Digest),
});
export type EncryptedManifest = Static<typeof EncryptedManifest>;

/** Facts of a finished backup that the service reads without an identity. */
export interface BackupHeader {
  version: string;
  startedAtMs: number;
  finishedAtMs: number;
  rows: Readonly<Record<string, number>>;
  photos: number;
  missingPhotos: number;
  isVerified: boolean;
  bytes: number;
  /** The state of a database before its migration, of which this is the backup. */
  before: string | undefined;
  /** The manifest of an encrypted backup. */
  encrypted: EncryptedManifest | undefined;
}

/** The fields of every format. */
const Newer = Type.Object({ format: Type.Integer(), version: Version });

/** The name of a backup that starts now. Names sort by time. */
export function newBackupName(nowMs: number): string {
  return new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
}

/** The time when a backup was started. */
export function startOfBackup(name: string): number {
  return Date.parse(name.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/, 'T$1:$2:$3.$4Z'));
}

export function chunkName(backup: string, table: string, number: number): string {
  return `${FOLDER}/${backup}/${table}-${String(number).padStart(6, '0')}.ndjson.zst`;
}

/** The table that a file belongs to; undefined for a manifest. */
export function tableOfChunk(file: string): string | undefined {
  return /\/([a-z_]+)-\d+\.ndjson\.zst$/.exec(file)?.[1];
}

/** The files of each backup, finished or not, oldest first. */
export async function listBackupFiles(files: BackupFiles): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = (await files.list(FOLDER)).toSorted();
  const byBackup = Map.groupBy(names, (file) => NAME.exec(file)?.[1]);
  byBackup.delete(undefined);
  return byBackup as ReadonlyMap<string, readonly string[]>;
}

/** The names of the finished backups, oldest first. */
export async function listBackups(files: BackupFiles): Promise<readonly string[]> {
  return [...(await listBackupFiles(files))].filter(([name, of]) => isFinished(name, of)).map(([name]) => name);
}

export function isFinished(name: string, files: readonly string[]): boolean {
  return files.includes(manifestName(name));
}

export function manifestName(backup: string): string {
  return `${FOLDER}/${backup}/manifest.json`;
}

/** The path of an original, in a place that is a folder. */
export function photoName(digest: string): string {
  return `photos/${digest.slice(0, 2)}/${digest}/original`;
}

/** The path of an encrypted original, in a place that is a folder. */
export function sealedPhotoName(photoSet: string, digest: string): string {
  return `encrypted/${photoSet}/${digest.slice(0, 2)}/${digest}/original`;
}

/** The file with the digests of the photos of an encrypted backup. */
export function photoListName(backup: string, photoSet: string): string {
  return `${FOLDER}/${backup}/photos-${photoSet}.ndjson.zst`;
}

/** The set of photos of an encrypted backup, from the name of its list. */
export function photoSetOf(file: string): string | undefined {
  return /\/photos-([0-9a-f]{16})\.ndjson\.zst$/.exec(file)?.[1];
}

/** The name of the file with the progress of an unfinished backup. */
export function statusName(backup: string): string {
  return `${FOLDER}/${backup}/status.json`;
}

export async function writeManifest(
  files: Pick<BackupFiles, 'write'>,
  backup: string,
  manifest: BackupManifest | EncryptedManifest,
): Promise<void> {
  await files.write(manifestName(backup), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
}

/**
 * Also of a backup that this version cannot restore.
 * @throws Failure `not-found`, `invalid-input` if it is damaged or of an unknown format
 */
export async function readHeader(files: Pick<BackupFiles, 'read'>, backup: string): Promise<BackupHeader> {
  const manifest = await readAnyManifest(files, backup);
  const { version, startedAt, finishedAt, bytes, photos } = manifest;
  const common = { version, startedAtMs: Date.parse(startedAt), finishedAtMs: Date.parse(finishedAt), bytes };
  const counts = { photos: photos.count, isVerified: photos.verified === true, before: manifest.before };
  if (manifest.format === ENCRYPTED_FORMAT)
    return { ...common, ...counts, rows: manifest.rows, missingPhotos: manifest.photos.missing, encrypted: manifest };
  const rows = Object.fromEntries(Object.entries(manifest.tables).map(([table, of]) => [table, of.rows]));
  return { ...common, ...counts, rows, missingPhotos: manifest.photos.missing.length, encrypted: undefined };
}

/** As `readHeader`. @throws Failure `invalid-input` also for an encrypted backup */
export async function readManifest(files: Pick<BackupFiles, 'read'>, backup: string): Promise<BackupManifest> {
  const manifest = await readAnyManifest(files, backup);
  if (manifest.format === ENCRYPTED_FORMAT) throw missingIdentity(backup, manifest);
  return manifest;
}

async function readAnyManifest(
  files: Pick<BackupFiles, 'read'>,
  backup: string,
): Promise<BackupManifest | EncryptedManifest> {
  const bytes = NAME.test(manifestName(backup)) ? await files.read(manifestName(backup)) : undefined;
  if (bytes === undefined) throw new Failure('not-found', `There is no backup ${backup}.`);
  let manifest: unknown;
  try {
    manifest = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw damagedBackup(manifestName(backup));
  }
  if (Check(Newer, manifest) && manifest.format > ENCRYPTED_FORMAT) throw newerBackup(backup, manifest.version);
  if (Check(EncryptedManifest, manifest) && Object.keys(manifest.files).every((file) => isFileOf(backup, file)))
    return manifest;
  if (!Check(BackupManifest, manifest) || !hasOwnFiles(backup, manifest)) throw damagedBackup(manifestName(backup));
  return manifest;
}

/** Files outside of the backup are never read: the manifest may be hostile. */
function isFileOf(backup: string, file: string): boolean {
  const folder = `${FOLDER}/${backup}/`;
  return file.startsWith(folder) && /^[\w-]+(?:\.[a-z]+)+$/.test(file.slice(folder.length));
}

function missingIdentity(backup: string, { recipients }: EncryptedManifest): Failure {
  return new Failure(
    'invalid-input',
    `The backup ${backup} is encrypted to ${recipients.join(', ')}: the identity of this recipient is needed (--identity-file).`,
  );
}

function hasOwnFiles(backup: string, { tables }: BackupManifest): boolean {
  return Object.entries(tables).every(([table, { chunks }]) =>
    chunks.every(({ file }, index) => /^[a-z_]+$/.test(table) && file === chunkName(backup, table, index + 1)),
  );
}

/**
 * As `readManifest`.
 * @throws Failure `invalid-input` also for a backup of a newer version with other tables or columns
 */
export async function readRestorable(files: Pick<BackupFiles, 'read'>, backup: string): Promise<BackupManifest> {
  const manifest = await readManifest(files, backup);
  for (const [name, { columns }] of Object.entries(manifest.tables)) {
    const table: DumpTable | undefined = DUMP_TABLES.find((each) => each.name === name);
    if (table === undefined || columns.some((column) => !Object.hasOwn(table.columns, column)))
      throw newerBackup(backup, manifest.version);
    const hasKey = Object.keys(table.columns)
      .slice(0, table.keyLength)
      .every((column, index) => columns[index] === column);
    if (!hasKey) throw damagedBackup(manifestName(backup));
  }
  return manifest;
}

function newerBackup(backup: string, version: string): Failure {
  return new Failure(
    'invalid-input',
    `The backup ${backup} was made by Menagerie ${version}, and has data that this version (${VERSION}) does not know. Use that version or a newer one.`,
  );
}

export function damagedBackup(file: string): Failure {
  return new Failure('invalid-input', `The backup is damaged: ${file} is missing or was changed. Use another backup.`);
}
