import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Failure } from '../../domain/failure.ts';
import type { PhotoStore } from '../../domain/pets/ports.ts';
import type { StorePlaces } from '../config.ts';
import { operatorCommand } from '../explain-failure.ts';
import { readSamplePhotos } from '../sample-catalogue.ts';
import type { DatabaseStores } from '../../domain/stores.ts';

/** Enough that a store in which all of them are missing is not the one of the database, even if single photos were lost. */
const PROBED_PHOTOS = 20;

/** Each attempt but the last one ends early only because another node paired the same two in the meantime. */
const MAX_ATTEMPTS = 5;

type PairedStores = Pick<DatabaseStores, 'installation' | 'photos'> & { photoStore: PhotoStore };

interface InstallationIds {
  ofDatabase: string | undefined;
  ofPhotos: string | undefined;
}

/**
 * Makes sure that the stored photos belong to the database: clearing beside the wrong database would remove them all. Both have the id of the
 * installation. Where one of them has none yet (a new installation, one of an earlier version, a backup of one), it gets the id of the other if the
 * database knows what is stored.
 *
 * @throws Failure `unavailable` with the command that helps, where they do not belong together; then nothing was changed
 */
export async function pairPhotos(stores: PairedStores, places: StorePlaces): Promise<void> {
  const { installation, photoStore } = stores;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const ids = await readIds(stores);
    const problem = await findProblem(stores, ids);
    if (problem === undefined) {
      if (ids.ofDatabase !== undefined && ids.ofPhotos !== undefined) return;
      const id = await installation.claim(ids.ofPhotos ?? randomUUID());
      if (ids.ofPhotos === undefined) await photoStore.setInstallationId(id);
      // The next attempt reads both again: a node on another database may have been faster.
      continue;
    }
    const { ofDatabase, ofPhotos } = await readIds(stores);
    const isUnchanged = ofDatabase === ids.ofDatabase && ofPhotos === ids.ofPhotos;
    if (isUnchanged) throw explainProblem(problem, places);
  }
  throw new Failure('unavailable', `${placeOfPhotos(places)} does not keep the id of the installation.`);
}

async function readIds({ installation, photoStore }: PairedStores): Promise<InstallationIds> {
  const [ofDatabase, ofPhotos] = await Promise.all([installation.find(), photoStore.findInstallationId()]);
  return { ofDatabase, ofPhotos };
}

type Problem = 'foreign' | 'unknown' | 'missing';

async function findProblem(
  { photos, photoStore }: PairedStores,
  { ofDatabase, ofPhotos }: InstallationIds,
): Promise<Problem | undefined> {
  if (ofDatabase !== undefined && ofPhotos !== undefined) return ofDatabase === ofPhotos ? undefined : 'foreign';
  const samples = new Set(Object.values(await readSamplePhotos()).map(({ digest }) => digest));
  const known = await photos.listSome(samples.size + PROBED_PHOTOS);
  // Every installation may have the sample photos: they are no evidence where there are others.
  const own = known.filter((digest) => !samples.has(digest));
  if (known.length > 0 && !(await hasAnyOf(photoStore, own.length > 0 ? own : known))) return 'missing';
  if (own.length > 0) return undefined;
  if (known.length === 0 && ofPhotos !== undefined) return 'unknown';
  // These are all photos that the database has.
  const isKnown = new Set(known);
  for await (const digest of photoStore.listStoredBefore(Number.MAX_SAFE_INTEGER)) {
    if (!isKnown.has(digest)) return 'unknown';
  }
  return undefined;
}

async function hasAnyOf(photoStore: PhotoStore, digests: readonly string[]): Promise<boolean> {
  for (const digest of digests) if ((await photoStore.open(digest)) !== undefined) return true;
  return false;
}

function explainProblem(problem: Problem, places: StorePlaces): Failure {
  const where = placeOfPhotos(places);
  const command = operatorCommand('photos adopt', places, { withPhotos: true });
  const sentence = {
    foreign: `the photos in ${where} belong to another database. Use the database or the photos that belong together, or give these photos to this database with: ${command}`,
    unknown: `the photos in ${where} belong to another database: this one is new, or has none of them. Restore the database if it was lost, or give these photos to this one with: ${command}`,
    missing: `the photos of this database are not in ${where}. Mount or restore them, or go on without them with: ${command}`,
  };
  return new Failure('unavailable', sentence[problem]);
}

function placeOfPhotos({ isEphemeral, bucket, dataDir }: StorePlaces): string {
  if (isEphemeral) return 'memory';
  return bucket === undefined ? join(dataDir, 'photos') : `s3://${bucket.bucket}/${bucket.prefix}`;
}
