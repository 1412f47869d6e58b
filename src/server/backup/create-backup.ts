import { hash } from 'node:crypto';
import { DUMP_TABLES, dumpTable, type Dump, type DumpTableName } from '../../storage/rows/dump/dump-tables.ts';
import type { DumpRow } from '../../storage/rows/dump/dump-table.ts';
import { Failure, unusable } from '../../domain/failure.ts';
import type { StoredOriginal } from '../../domain/photos/ports.ts';
import { CopyStopped } from './copy-to-target.ts';
import { openInstallation, type OpenSource, type Source } from './installation.ts';
import { labelOfFiles, type FilesPlace, type InstallationPlace } from '../configuration/places.ts';
import { readBatches } from './dump-rows.ts';
import { explainFailure } from '../log/explain-failure.ts';
import { toDatabaseFailure } from '../system/system-errors.ts';
import { VERSION } from '../system/version.ts';
import { encodeRows, keyText, livingOriginals, readChunk } from './backup-dump.ts';
import { ArchiveWriter, type ArchiveFile } from './archive-file.ts';
import { openBackupFiles, plainTarget, type BackupFiles, type BackupTarget } from './backup-files.ts';
import { openEncryptedTarget } from './encrypted-files.ts';
import {
  chunkName,
  newBackupName,
  startOfBackup,
  statusName,
  writeManifest,
  type BackupChunk,
  type BackupManifest,
} from './manifest.ts';
import { STATUS_INTERVAL_MS, writeStatus, type BackupStatus } from './backup-status.ts';
import { deleteOldBackups } from './old-backups.ts';

/** Photos that are copied concurrently. Each is in memory as a whole. */
const CONCURRENT_PHOTOS = 4;

interface BackupProgress {
  step: 'copying';
  what: DumpTableName | 'photos';
  done: number;
  total: number;
}

interface BackupWatch {
  onProgress(progress: BackupProgress): void;
  /** Stops the backup after the current batch. */
  signal: AbortSignal;
}

export interface BackupReport {
  name: string;
  rows: number;
  photos: number;
  /** Photos that no earlier backup had. */
  newPhotos: number;
  /** Photos of earlier backups that were damaged in the place, and copied again. */
  repairedPhotos: number;
  /** Digests of photos that are missing or damaged in the photo store. The backup is complete but for them. */
  missingPhotos: readonly string[];
  /** The bytes written to the place, compressed. */
  bytes: number;
  ms: number;
  /** The names of older backups that were deleted. */
  deleted: readonly string[];
}

interface BackupOptions {
  from: InstallationPlace;
  to: FilesPlace;
  /** The number of finished backups to keep, this one included; undefined to keep all. */
  keep: number | undefined;
  /** Of age; without them, the backup is not encrypted. */
  recipients?: readonly string[];
  /** The state of a database before its migration, of which this is the backup. */
  before?: string;
  /** From `newBackupName`, if it was announced already. */
  name?: string;
  /** Compares the content of the photos that the place has, and not only their sizes. */
  isVerifying?: boolean;
  /**
   * To move the data: servers must not be running, and a PostgreSQL database refuses changes afterwards. If photos are
   * missing, it stays usable: the place of the photos may be the wrong one.
   */
  isFinal?: boolean;
  watch: BackupWatch;
}

interface ArchiveOptions {
  from: InstallationPlace;
  to: ArchiveFile;
  isFinal?: boolean;
  watch: BackupWatch;
}

/**
 * Copies one state of a database, and its photos, to a place with backups. Servers may be running on it, unless it is
 * final.
 *
 * @throws Failure `not-found`, `unavailable`, `conflict` if the place has backups of another installation, or the
 * database was changed during a final backup
 * @throws CopyStopped
 */
export async function createBackup(options: BackupOptions): Promise<BackupReport> {
  const { isFinal = false, from } = options;
  return backUp(await openInstallation(from, isFinal ? 'final source' : 'source'), options);
}

/** As `createBackup`, of a source that is open, and that it closes. */
export async function backUp(
  source: OpenSource,
  options: Omit<BackupOptions, 'from' | 'isFinal'>,
): Promise<BackupReport> {
  const { to, keep, recipients = [], name = newBackupName(Date.now()), before, isVerifying = false, watch } = options;
  let files: BackupFiles | undefined;
  try {
    files = await openBackupFiles(to, true);
    if (files === undefined) throw unusable(`The folder ${labelOfFiles(to)} cannot be created.`);
    const target = recipients.length === 0 ? plainTarget(files) : await openEncryptedTarget(files, recipients, name);
    const report = await new Backup({ source, files: target, name, before, isVerifying, watch }).run();
    const deleted = keep === undefined ? [] : await deleteOldBackups(files, keep, report.name);
    if (report.missingPhotos.length === 0) await source.retire?.();
    return { ...report, deleted };
  } finally {
    files?.close();
    await source.close();
  }
}

/**
 * As `createBackup`, to a new file. It has its name only when it is complete.
 *
 * @throws Failure `conflict` if the file exists
 */
export async function createArchive({ from, to, isFinal = false, watch }: ArchiveOptions): Promise<BackupReport> {
  const source = await openInstallation(from, isFinal ? 'final source' : 'source');
  let files: ArchiveWriter | undefined;
  try {
    files = await ArchiveWriter.open(to);
    const name = newBackupName(Date.now());
    const report = await new Backup({ source, files, name, isVerifying: false, watch }).run();
    await files.finish(watch.signal);
    if (report.missingPhotos.length === 0) await source.retire?.();
    return { ...report, deleted: [] };
  } finally {
    await files?.close();
    await source.close();
  }
}

interface BackupDeps {
  source: Source;
  files: BackupTarget;
  name: string;
  before?: string | undefined;
  isVerifying: boolean;
  watch: BackupWatch;
}

function columnsOf(dump: Dump, table: DumpTableName): readonly string[] {
  return dump.columnsOf?.(table) ?? Object.keys(dumpTable(table).columns);
}

interface PhotoCounts {
  count: number;
  added: number;
  repaired: number;
  missing: string[];
}

class Backup {
  readonly #deps: BackupDeps;
  readonly #startedMs: number;
  readonly #name: string;
  readonly #photoChunks: BackupChunk[] = [];
  #bytes = 0;
  #statusAtMs = 0;

  constructor(deps: BackupDeps) {
    this.#deps = deps;
    this.#name = deps.name;
    this.#startedMs = startOfBackup(deps.name);
  }

  async run(): Promise<Omit<BackupReport, 'deleted'>> {
    const { dump } = this.#deps.source;
    const installationId = await dump.findInstallationId();
    await this.#claimPlace(installationId);
    try {
      return await this.#write(installationId);
    } catch (error) {
      const failure = toDatabaseFailure(error, this.#deps.source.label);
      const reason = failure instanceof CopyStopped ? 'Stopped.' : explainFailure(failure);
      // The place may be the reason.
      await this.#writeStatus({ what: '', done: 0, total: 0, error: reason }).catch(() => {});
      throw failure;
    }
  }

  async #write(installationId: string | undefined): Promise<Omit<BackupReport, 'deleted'>> {
    const { source, files, before } = this.#deps;
    const { dump } = source;
    const counters = await dump.readCounters();
    const tables: BackupManifest['tables'] = {};
    for (const { name } of DUMP_TABLES) {
      const columns = columnsOf(dump, name);
      if (columns.length > 0) tables[name] = { columns: [...columns], ...(await this.#writeTable(name)) };
    }
    const photos = await this.#copyPhotos(tables.photo?.rows ?? 0);
    await writeManifest(files, this.#name, {
      format: 1,
      version: VERSION,
      startedAt: new Date(this.#startedMs).toISOString(),
      finishedAt: new Date().toISOString(),
      installationId: installationId ?? null,
      counters: {
        nextPetId: String(counters.nextPetId),
        nextAccountId: String(counters.nextAccountId),
        lastVersion: String(counters.lastVersion),
        lastAuditId: String(counters.lastAuditId),
      },
      tables,
      photos: {
        count: photos.count,
        missing: photos.missing,
        verified: this.#deps.isVerifying,
        ...(source.photos === undefined && before !== undefined && { omitted: true }),
      },
      ...(before !== undefined && { before }),
      bytes: this.#bytes,
    });
    await files.delete(statusName(this.#name));
    return {
      name: this.#name,
      rows: Object.values(tables).reduce((sum, { rows }) => sum + rows, 0),
      photos: photos.count,
      newPhotos: photos.added,
      repairedPhotos: photos.repaired,
      missingPhotos: photos.missing,
      bytes: this.#bytes,
      ms: Date.now() - this.#startedMs,
    };
  }

  /** The photos and the deletion of old backups belong to one installation. */
  async #claimPlace(installationId: string | undefined): Promise<void> {
    const { photos } = this.#deps.files;
    const earlier = await photos.findInstallationId();
    if (earlier === undefined && installationId !== undefined) await photos.setInstallationId(installationId);
    else if (earlier !== undefined && earlier !== installationId)
      throw new Failure('conflict', 'The place has backups of another database. Choose another place.');
  }

  async #writeTable(table: DumpTableName): Promise<{ rows: number; chunks: BackupChunk[] }> {
    const { source, files } = this.#deps;
    const total = await source.dump.count(table);
    const chunks: BackupChunk[] = [];
    let done = 0;
    await this.#step(table, done, total);
    for await (const rows of readBatches(source.dump, table)) {
      const bytes = await encodeRows(rows);
      const file = chunkName(this.#name, table, chunks.length + 1);
      await files.write(file, bytes);
      const lastKey = keyText(table, rows.at(-1) as DumpRow);
      chunks.push({ file, rows: rows.length, digest: hash('sha256', bytes), lastKey });
      this.#bytes += bytes.byteLength;
      await this.#step(table, (done += rows.length), total);
    }
    if (table === 'photo') this.#photoChunks.push(...chunks);
    return { rows: done, chunks };
  }

  /**
   * Copies the photos that the place does not have, or only damaged. Those that are being deleted are left out: their
   * files may be gone.
   */
  async #copyPhotos(total: number): Promise<PhotoCounts> {
    const { source, before } = this.#deps;
    if (source.photos === undefined && before !== undefined) return { count: 0, added: 0, repaired: 0, missing: [] };
    const first = await this.#copyUnsoundPhotos(total, this.#deps.isVerifying);
    // A concurrent deletion of old backups may have moved a photo to the trash that was stored before.
    const again = await this.#copyUnsoundPhotos(total, false);
    return { ...again, added: first.added + again.added, repaired: first.repaired + again.repaired };
  }

  async #copyUnsoundPhotos(total: number, isVerifying: boolean): Promise<PhotoCounts> {
    const stored = await this.#storedPhotos();
    const counts: PhotoCounts = { count: 0, added: 0, repaired: 0, missing: [] };
    let done = 0;
    await this.#step('photos', done, total);
    for (const chunk of this.#photoChunks) {
      const rows = await readChunk(this.#deps.files, 'photo', chunk, columnsOf(this.#deps.source.dump, 'photo'));
      const living = livingOriginals(rows);
      const suspects = isVerifying
        ? living
        : living.filter(({ digest, byteLength }) => stored.get(digest) !== byteLength);
      for (let at = 0; at < suspects.length; at += CONCURRENT_PHOTOS) {
        const batch = suspects.slice(at, at + CONCURRENT_PHOTOS);
        await Promise.all(batch.map((photo) => this.#copyUnlessSound(photo, stored, counts)));
        await this.#step('photos', done + at + batch.length, total);
      }
      counts.count += living.length;
      await this.#step('photos', (done += rows.length), total);
    }
    return counts;
  }

  async #copyUnlessSound(
    { digest, byteLength }: StoredOriginal,
    stored: ReadonlyMap<string, number>,
    counts: PhotoCounts,
  ): Promise<void> {
    if (stored.get(digest) === byteLength && (await this.#deps.files.photos.isSound(digest))) return;
    if (!(await this.#copyPhoto(digest))) counts.missing.push(digest);
    else if (stored.has(digest)) counts.repaired++;
    else counts.added++;
  }

  /** The sizes of the originals in the place. */
  async #storedPhotos(): Promise<ReadonlyMap<string, number>> {
    const stored = new Map<string, number>();
    for await (const { digest, byteLength } of this.#deps.files.photos.listWithSizes()) stored.set(digest, byteLength);
    return stored;
  }

  /** @returns false if the photo store has no undamaged original */
  async #copyPhoto(digest: string): Promise<boolean> {
    const { source, files } = this.#deps;
    const bytes = await source.photos?.read(digest);
    if (bytes === undefined || hash('sha256', bytes) !== digest) return false;
    await files.photos.put(digest, bytes);
    this.#bytes += bytes.byteLength;
    return true;
  }

  async #step(what: BackupProgress['what'], done: number, total: number): Promise<void> {
    const { watch } = this.#deps;
    watch.onProgress({ step: 'copying', what, done, total });
    if (watch.signal.aborted) throw new CopyStopped();
    if (Date.now() - this.#statusAtMs >= STATUS_INTERVAL_MS) await this.#writeStatus({ what, done, total });
  }

  async #writeStatus(status: Omit<BackupStatus, 'atMs'>): Promise<void> {
    this.#statusAtMs = Date.now();
    await writeStatus(this.#deps.files, this.#name, { atMs: this.#statusAtMs, ...status });
  }
}
