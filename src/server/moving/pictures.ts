import { hash } from 'node:crypto';
import { archiveTable, type Archive } from '../../domain/archive.ts';
import type { PhotoStore } from '../../domain/pets/ports.ts';
import type { Installation } from './installation.ts';
import { readParts } from './rows.ts';

/** Each is in memory as a whole. */
const PICTURES_AT_ONCE = 4;

const DIGESTS_AT_ONCE = 1000;

export interface PicturesReport {
  /** In the target, with the bytes that their names promise. */
  copied: number;
  /** By their digests. */
  missing: readonly string[];
  damaged: readonly string[];
  /** Stored in the target, and yet not there. */
  lost: readonly string[];
  /** So many lie in the source that no index knows; they are left there. */
  strays: number;
}

interface Pictures {
  source: Installation;
  target: Installation;
  /** Some may be there already, from before the move was interrupted. */
  isResumed: boolean;
  onPicture: (done: number) => Promise<void>;
}

type Outcome = 'copied' | 'missing' | 'damaged';

/** Copies the originals of all pictures of the index. Those that cannot be copied as they should be are told, and keep none of the others back. */
export async function copyPictures(pictures: Pictures): Promise<PicturesReport> {
  const { source, target, isResumed, onPicture } = pictures;
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

  for await (const digests of livingDigests(source.archive)) {
    for (let at = 0; at < digests.length; at += PICTURES_AT_ONCE) {
      const together = digests.slice(at, at + PICTURES_AT_ONCE);
      const outcomes = await Promise.all(together.map(copy));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome === 'copied') copied++;
        else found[outcome].push(together[index] ?? '');
      }
      done += together.length;
      await onPicture(done);
    }
  }
  const { missing, damaged } = found;
  const lost = await findLost(target, new Set([...missing, ...damaged]));
  return { copied: copied - lost.length, missing, damaged, lost, strays: await countStrays(source) };
}

/**
 * Compares the index of the target with the list of what is stored there. A list may come behind what was stored a moment ago: what is not in it is
 * asked for by its name.
 *
 * @returns the pictures that are not there, but for those that are known to be without bytes
 */
async function findLost({ archive, photos }: Installation, known: ReadonlySet<string>): Promise<string[]> {
  if (photos === undefined) return [];
  const listed = await countListed(archive, photos);
  const lost: string[] = [];
  let expected = 0;
  for await (const digests of livingDigests(archive)) expected += digests.filter((digest) => !known.has(digest)).length;
  if (listed.living >= expected) return [];
  for await (const digests of livingDigests(archive)) {
    for (const digest of digests)
      if (!known.has(digest) && (await photos.open(digest)) === undefined) lost.push(digest);
  }
  return lost;
}

async function countStrays({ archive, photos }: Installation): Promise<number> {
  return photos === undefined ? 0 : (await countListed(archive, photos)).strays;
}

/** Of what is stored, how many pictures are in the index, and how many are not. */
async function countListed(archive: Archive, photos: PhotoStore): Promise<{ living: number; strays: number }> {
  const counts = { living: 0, strays: 0 };
  async function count(digests: readonly string[]): Promise<void> {
    const isDoomed = await archive.findPhotos(digests);
    counts.strays += digests.length - isDoomed.size;
    counts.living += isDoomed.values().reduce((sum, doomed) => sum + (doomed ? 0 : 1), 0);
  }
  let gathered: string[] = [];
  for await (const digest of photos.listStoredBefore(Number.MAX_SAFE_INTEGER)) {
    gathered.push(digest);
    if (gathered.length < DIGESTS_AT_ONCE) continue;
    await count(gathered);
    gathered = [];
  }
  await count(gathered);
  return counts;
}

/** The pictures of the index, part by part, but for those that are being removed: their bytes may be gone. */
async function* livingDigests(archive: Archive): AsyncGenerator<readonly string[]> {
  const doomedAt = Object.keys(archiveTable('photo').columns).indexOf('doomed');
  for await (const rows of readParts(archive, 'photo'))
    yield rows.filter((row) => row[doomedAt] === 0n).map(([digest]) => String(digest));
}

function isSound(bytes: Uint8Array | undefined, digest: string): boolean {
  return bytes !== undefined && hash('sha256', bytes) === digest;
}
