import { hash } from 'node:crypto';
import { join } from 'node:path';
import { PROBLEMS, type FoundProblem } from '../../domain/health/finding.ts';
import type { UnknownPhoto } from '../../domain/health/ports.ts';
import type { StorePlaces } from '../configuration/config.ts';
import { findAll, interruption, problemOf, subjectsOf, type HealthCheck, type PhotoContext } from './check.ts';

/* Checks of the stored photos. Photos are moved aside, and never deleted. */

type PhotoCheck = HealthCheck<PhotoContext>;

/** Photos that are read concurrently. Each is in memory as a whole. */
const CONCURRENT_PHOTOS = 4;

const PHOTOS_PER_BATCH = 500;

/** With more, the store has failed rather than single photos, and reading the others would take long. */
const MAX_UNREADABLE = 20;

/** A younger file without an entry may belong to an upload. */
const SETTLED_MS = 3_600_000;

/** A running service completes interrupted deletions within two hours. */
const OVERDUE_MS = 24 * 3_600_000;

/** As many as a start probes. */
const PROBED_PHOTOS = 20;

/** How long a repair claims photos. If it is interrupted, the service moves them to the trash after this time. */
const CLAIM_MS = 600_000;

export const installationCheck: PhotoCheck = {
  name: 'installation',
  async find({ database, photoStore, places }) {
    let ofPhotos: string | undefined;
    try {
      ofPhotos = await photoStore.findInstallationId();
    } catch (error) {
      return [photosUnreachable(error)];
    }
    if ((await database.findInstallationId()) === ofPhotos) return [];
    // A start that was refused because the folder was missing has left an empty one.
    if (ofPhotos === undefined) return (await hasPhotos({ database, photoStore })) ? [] : [photosMissing(places)];
    return [{ problem: 'photos-foreign', count: 1, subjects: [] }];
  },
};

/** Whether the store has photos of the database, or none are known: then the next start writes the ID. */
async function hasPhotos({ database, photoStore }: Pick<PhotoContext, 'database' | 'photoStore'>): Promise<boolean> {
  const known = await database.listPhotos('', PROBED_PHOTOS);
  for (const digest of known) if ((await photoStore.open(digest)) !== undefined) return true;
  return known.length === 0;
}

/** The same problem for a missing folder and an empty one. */
export function photosMissing({ dataDir, bucket }: StorePlaces): FoundProblem {
  const place = bucket === undefined ? join(dataDir, 'photos') : `s3://${bucket.bucket}/${bucket.prefix}`;
  const detail = `the photos of this database are not in ${place}.`;
  return { problem: 'photos-unreachable', count: 1, subjects: [], detail };
}

export function photosUnreachable(error: unknown): FoundProblem {
  return { ...interruption(error), problem: 'photos-unreachable' };
}

export const photosCheck: PhotoCheck = {
  name: 'photos',
  async find(context) {
    const unsound: Unsound = { missing: [], damaged: [], unreadable: [], sizes: [] };
    return findAll([
      () => examineAll(context, unsound),
      async () => problemOf('photo-missing', await stillListed(context, unsound.missing)),
      async () => problemOf('photo-damaged', await stillListed(context, unsound.damaged)),
      async () => problemOf('photo-unreadable', await stillListed(context, unsound.unreadable)),
      async () => problemOf('photo-size-damaged', await stillListed(context, unsound.sizes)),
    ]);
  },
  async repair({ photoStore, asideFolder }, found) {
    const moved: string[] = [];
    for (const digest of subjectsOf(found, 'photo-damaged')) {
      // It may have been uploaded again meanwhile.
      const bytes = await photoStore.read(digest);
      if (bytes !== undefined && hash('sha256', bytes) === digest) continue;
      await photoStore.setAside(digest, asideFolder);
      moved.push(digest);
    }
    for (const digest of subjectsOf(found, 'photo-size-damaged'))
      await photoStore.deleteSizes(digest, await photoStore.findDamagedSizes(digest));
    const others = found.filter(({ problem }) => problem !== 'photo-missing' && !PROBLEMS[problem].canRepair);
    return [...problemOf('photo-missing', [...subjectsOf(found, 'photo-missing'), ...moved]), ...others];
  },
};

export const storedPhotosCheck: PhotoCheck = {
  name: 'stored-photos',
  async find(context) {
    const unknown = await findUnknown(context);
    const digestsOf = (isReferenced: boolean) =>
      unknown.filter((photo) => photo.isReferenced === isReferenced).map(({ digest }) => digest);
    return [...problemOf('photo-unknown', digestsOf(false)), ...problemOf('photo-entry-missing', digestsOf(true))];
  },
  async repair(context, found) {
    const { database, clock } = context;
    const unknown = subjectsOf(found, 'photo-unknown');
    for (let at = 0; at < unknown.length; at += PHOTOS_PER_BATCH) {
      const nowMs = clock();
      const digests = unknown.slice(at, at + PHOTOS_PER_BATCH);
      // While it is claimed, no upload of the same photo refers to the file that is moved.
      const claimed = await database.changePhotos({ kind: 'claim-unknown', digests, nowMs, claimMs: CLAIM_MS });
      await moveClaimed(context, claimed, nowMs + CLAIM_MS);
    }
    return found.filter(({ problem }) => problem === 'photo-entry-missing');
  },
};

export const deletionsCheck: PhotoCheck = {
  name: 'deletions',
  async find({ database, clock }) {
    return problemOf('deletion-unfinished', await database.listDoomed(clock() - OVERDUE_MS));
  },
  async repair(context) {
    const { database, clock } = context;
    for (;;) {
      const nowMs = clock();
      const claim = { nowMs, claimMs: CLAIM_MS, most: PHOTOS_PER_BATCH };
      // No photo is unused since before 1970, so only photos that are marked already are claimed.
      const claimed = await database.changePhotos({ kind: 'doom', beforeMs: 0, strayDigests: [], ...claim });
      await moveClaimed(context, claimed, nowMs + CLAIM_MS);
      if (claimed.length < PHOTOS_PER_BATCH) return undefined;
    }
  },
};

/** The digests of photos of which something is not sound. */
type Unsound = Record<'missing' | 'damaged' | 'unreadable' | 'sizes', string[]>;

async function examineAll(context: PhotoContext, unsound: Unsound): Promise<void> {
  const { photoStore, isQuick } = context;
  const stored = isQuick ? await listStored(context) : undefined;
  async function examine(digest: string): Promise<void> {
    if (stored?.has(digest) === true) return;
    try {
      const bytes = await photoStore.read(digest);
      if (bytes === undefined) unsound.missing.push(digest);
      else if (hash('sha256', bytes) !== digest) unsound.damaged.push(digest);
      // The sizes of others cannot be created again.
      else if ((await photoStore.findDamagedSizes(digest)).length > 0) unsound.sizes.push(digest);
    } catch (error) {
      unsound.unreadable.push(digest);
      if (unsound.unreadable.length > MAX_UNREADABLE) throw error;
    }
  }
  for await (const digests of photosOf(context)) await Promise.all(digests.map(examine));
}

/** First moves the files, then deletes the entries: after an interruption, the entries are still marked. */
async function moveClaimed(
  { database, photoStore, asideFolder }: PhotoContext,
  digests: readonly string[],
  claimedUntilMs: number,
): Promise<void> {
  if (digests.length === 0) return;
  for (const digest of digests) await photoStore.setAside(digest, asideFolder);
  await database.changePhotos({ kind: 'forget', digests, claimedUntilMs });
}

async function findUnknown(context: PhotoContext): Promise<readonly UnknownPhoto[]> {
  const { database, photoStore, clock } = context;
  const unknown: UnknownPhoto[] = [];
  let batch: string[] = [];
  for await (const digest of photoStore.listStoredBefore(clock() - SETTLED_MS)) {
    batch.push(digest);
    if (batch.length < PHOTOS_PER_BATCH) continue;
    unknown.push(...(await database.findUnknown(batch)));
    batch = [];
  }
  return [...unknown, ...(await database.findUnknown(batch))];
}

async function listStored({ photoStore }: PhotoContext): Promise<ReadonlySet<string>> {
  const stored = new Set<string>();
  for await (const digest of photoStore.listStoredBefore(Number.MAX_SAFE_INTEGER)) stored.add(digest);
  return stored;
}

/** The photos of the database, in batches. */
async function* photosOf({ database, onProgress }: PhotoContext): AsyncGenerator<readonly string[]> {
  const total = await database.countPhotos();
  let done = 0;
  for (let after = ''; ;) {
    const digests = await database.listPhotos(after, PHOTOS_PER_BATCH);
    for (let at = 0; at < digests.length; at += CONCURRENT_PHOTOS) {
      const some = digests.slice(at, at + CONCURRENT_PHOTOS);
      yield some;
      done += some.length;
      await onProgress(done, Math.max(total, done));
    }
    after = digests.at(-1) ?? '';
    if (digests.length < PHOTOS_PER_BATCH) return;
  }
}

/** The photos among these that have not been deleted meanwhile. */
async function stillListed({ database }: PhotoContext, digests: readonly string[]): Promise<readonly string[]> {
  return digests.length === 0 ? [] : database.findListed(digests);
}
