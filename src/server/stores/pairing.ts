import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Failure, unusable } from '../../domain/failure.ts';
import type { PhotoStore } from '../../domain/photos/ports.ts';
import type { StorePlaces } from '../configuration/config.ts';
import { operatorCommand } from '../log/explain-failure.ts';
import { readSamplePhotos } from './sample-catalogue.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';

/** If all of these are missing, the store belongs to another database; single photos may be lost. */
const PROBED_PHOTOS = 20;

/** An attempt fails only because another node has paired the same two meanwhile. */
const MAX_ATTEMPTS = 5;

type PairedStores = Pick<DatabaseStores, 'installation' | 'photos'> & { photoStore: PhotoStore };

interface InstallationIds {
  ofDatabase: string | undefined;
  ofPhotos: string | undefined;
}

/**
 * Checks that the stored photos belong to the database: clearing them for the wrong database would delete them all.
 * Both contain the ID of the installation. If one of them has none (a new installation, an earlier version or its
 * backup), it gets the ID of the other, provided that the database knows the stored photos.
 *
 * @throws Failure `unavailable` with the command that helps, if they do not belong together; nothing is changed then
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
  throw unusable(`${placeOfPhotos(places)} does not keep the ID of the installation.`);
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
  // Every installation may have the sample photos, so they prove nothing if there are others.
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
    foreign: `the photos in ${where} belong to another database. Use the matching database or photos, or assign these photos to this database with: ${command}`,
    unknown: `the photos in ${where} belong to another database: this one is new, or has none of them. Restore the lost database, or assign these photos to this one with: ${command}`,
    missing: `the photos of this database are not in ${where}. Mount or restore them, or continue without them with: ${command}`,
  };
  return unusable(sentence[problem]);
}

function placeOfPhotos({ isEphemeral, bucket, dataDir }: StorePlaces): string {
  if (isEphemeral) return 'memory';
  return bucket === undefined ? join(dataDir, 'photos') : `s3://${bucket.bucket}/${bucket.prefix}`;
}
