import { hash } from 'node:crypto';
import { dumpTable, type Dump } from '../../domain/dump.ts';
import type { PhotoStore } from '../../domain/photos/ports.ts';
import type { Installation, SourceInstallation } from './installation.ts';
import { readBatches } from './dump-rows.ts';

/** Photos that are copied concurrently. Each is in memory as a whole. */
const CONCURRENT_PHOTOS = 4;

const DIGESTS_PER_BATCH = 1000;

export interface PhotosReport {
  /** Number of undamaged photos in the target. */
  copied: number;
  /** Digests of photos that the source does not have. */
  missing: readonly string[];
  damaged: readonly string[];
  /** Copied, but missing in the target. */
  lost: readonly string[];
  /** Number of stored photos of the source that are not in its database. They are not copied. */
  strays: number;
}

interface PhotosToCopy {
  source: SourceInstallation;
  target: Installation;
  /** The target may have some photos from before the interruption. */
  isResumed: boolean;
  onProgress: (done: number) => Promise<void>;
}

type Outcome = 'copied' | 'missing' | 'damaged';

/**
 * Copies the originals of all photos in the database. Missing and damaged ones are reported, and the others still
 * copied.
 */
export async function copyPhotos({ source, target, isResumed, onProgress }: PhotosToCopy): Promise<PhotosReport> {
  const found: Record<Outcome, string[]> = { copied: [], missing: [], damaged: [] };
  let copied = 0;
  let done = 0;
  const isSamePlace = source.photosId === target.photosId;

  async function copy(digest: string): Promise<Outcome> {
    if (isResumed && !isSamePlace && isSound(await target.photos?.read(digest), digest)) return 'copied';
    const bytes = await source.photos?.read(digest);
    if (bytes === undefined) return 'missing';
    if (!isSound(bytes, digest)) return 'damaged';
    if (!isSamePlace) await target.photos?.put(digest, bytes);
    return 'copied';
  }

  for await (const digests of livingDigests(source.dump)) {
    for (let at = 0; at < digests.length; at += CONCURRENT_PHOTOS) {
      const batch = digests.slice(at, at + CONCURRENT_PHOTOS);
      const outcomes = await Promise.all(batch.map(copy));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome === 'copied') copied++;
        else found[outcome].push(batch[index] ?? '');
      }
      done += batch.length;
      await onProgress(done);
    }
  }
  const { missing, damaged } = found;
  const lost = await findLost(target, new Set([...missing, ...damaged]));
  return { copied: copied - lost.length, missing, damaged, lost, strays: await countStrays(source) };
}

/**
 * Finds photos of the database that the target does not have. The list of a bucket may miss recently stored photos, so
 * those are looked up one by one.
 *
 * @param known digests that were not copied
 */
async function findLost({ dump, photos }: Installation, known: ReadonlySet<string>): Promise<string[]> {
  if (photos === undefined) return [];
  const listed = await countListed(dump, photos);
  const lost: string[] = [];
  let expected = 0;
  for await (const digests of livingDigests(dump)) expected += digests.filter((digest) => !known.has(digest)).length;
  if (listed.living >= expected) return [];
  for await (const digests of livingDigests(dump)) {
    for (const digest of digests)
      if (!known.has(digest) && (await photos.open(digest)) === undefined) lost.push(digest);
  }
  return lost;
}

async function countStrays({ dump, photos }: SourceInstallation): Promise<number> {
  return photos === undefined ? 0 : (await countListed(dump, photos)).strays;
}

/** Counts the stored photos that are in the database, and those that are not. */
async function countListed(dump: Dump, photos: PhotoStore): Promise<{ living: number; strays: number }> {
  const counts = { living: 0, strays: 0 };
  async function count(digests: readonly string[]): Promise<void> {
    const isDoomed = await dump.findPhotos(digests);
    counts.strays += digests.length - isDoomed.size;
    counts.living += isDoomed.values().reduce((sum, doomed) => sum + (doomed ? 0 : 1), 0);
  }
  let gathered: string[] = [];
  for await (const digest of photos.listStoredBefore(Number.MAX_SAFE_INTEGER)) {
    gathered.push(digest);
    if (gathered.length < DIGESTS_PER_BATCH) continue;
    await count(gathered);
    gathered = [];
  }
  await count(gathered);
  return counts;
}

/** The photos in the database, in batches. Those that are being deleted are left out: their files may be gone. */
async function* livingDigests(dump: Dump): AsyncGenerator<readonly string[]> {
  const doomedAt = Object.keys(dumpTable('photo').columns).indexOf('doomed');
  for await (const rows of readBatches(dump, 'photo'))
    yield rows.filter((row) => row[doomedAt] === 0n).map(([digest]) => String(digest));
}

function isSound(bytes: Uint8Array | undefined, digest: string): boolean {
  return bytes !== undefined && hash('sha256', bytes) === digest;
}
