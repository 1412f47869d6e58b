import { hash } from 'node:crypto';
import { dumpTable, type Dump } from '../../storage/rows/dump/dump-tables.ts';
import type { Installation, Source } from './installation.ts';
import { readBatches } from './dump-rows.ts';

/** Photos that are copied concurrently. Each is in memory as a whole. */
const CONCURRENT_PHOTOS = 4;

export interface PhotosReport {
  /** Number of undamaged photos in the target. */
  copied: number;
  /** Digests of photos that the source does not have. */
  missing: readonly string[];
  damaged: readonly string[];
  /** Digests of photos that were copied, but are missing in the target. */
  lost: readonly string[];
}

interface PhotosToCopy {
  source: Source;
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

  async function copy(digest: string): Promise<Outcome> {
    if (isResumed && isSound(await target.photos?.read(digest), digest)) return 'copied';
    const bytes = await source.photos?.read(digest);
    // The photo store may be kept, as by a backup before a migration, which has no photos.
    if (bytes === undefined) return isSound(await target.photos?.read(digest), digest) ? 'copied' : 'missing';
    if (!isSound(bytes, digest)) return 'damaged';
    await target.photos?.put(digest, bytes);
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
  return { copied: copied - lost.length, missing, damaged, lost };
}

/**
 * Finds photos of the database that the target does not have. The list of a bucket may miss recently stored photos, so
 * those are looked up one by one.
 *
 * @param known digests that were not copied
 */
async function findLost({ dump, photos }: Installation, known: ReadonlySet<string>): Promise<string[]> {
  if (photos === undefined) return [];
  const stored = new Set<string>();
  for await (const digest of photos.listStoredBefore(Number.MAX_SAFE_INTEGER)) stored.add(digest);
  const lost: string[] = [];
  for await (const digests of livingDigests(dump)) {
    for (const digest of digests) {
      if (known.has(digest) || stored.has(digest)) continue;
      if ((await photos.open(digest)) === undefined) lost.push(digest);
    }
  }
  return lost;
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
