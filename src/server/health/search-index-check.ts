import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { IndexFollower, type SavedIndex } from '../../domain/search/index-follower.ts';
import type { IndexSource } from '../../domain/search/index-source.ts';
import type { PetIndex } from '../../domain/search/pet-index.ts';
import { SlotSets } from '../../domain/search/slots/slot-sets.ts';
import { INDEX_FILE, readIndexFile, writeIndexFile } from '../search/index-file.ts';
import type { DatabaseContext, HealthCheck } from './check.ts';

/** A difference may come from changes of the same moment, so it has to be found more than once. */
const MAX_ATTEMPTS = 3;

type State = 'right' | 'wrong' | 'unusable';

/** The saved index, with the changes since then, against an index built from all pets. */
export const searchIndexCheck: HealthCheck<DatabaseContext> = {
  name: 'search-index',
  async find(context) {
    const path = join(context.places.dataDir, INDEX_FILE);
    if (!existsSync(path)) return [];
    let state: State = 'wrong';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS && state === 'wrong'; attempt++) state = await compare(context, path);
    if (state === 'right') return [];
    if (state === 'wrong') return [{ problem: 'search-index-wrong', count: 1, subjects: [] }];
    return [{ problem: 'search-index-unusable', count: 1, subjects: [] }];
  },
  async repair(context) {
    const fresh = await build(context);
    await writeIndexFile(join(context.places.dataDir, INDEX_FILE), fresh.save());
    return undefined;
  },
};

async function compare(context: DatabaseContext, path: string): Promise<State> {
  const saved = await readIndexFile(path);
  if (saved === undefined) return 'unusable';
  const fresh = await build(context);
  try {
    const followed = await follow(saved, upTo(context.database.indexSource, fresh.version));
    if (followed === undefined) return 'unusable';
    // If a running service has saved it since this check has read the pets, the next attempt compares it.
    const isSame = followed.version === fresh.version && contentOf(followed.index) === contentOf(fresh.index);
    return isSame ? 'right' : 'wrong';
  } catch (error) {
    // A list points beyond the end of another.
    if (error instanceof RangeError || error instanceof TypeError) return 'wrong';
    throw error;
  }
}

async function build({ database, onProgress }: DatabaseContext): Promise<IndexFollower> {
  const follower = new IndexFollower({
    source: database.indexSource,
    pause: () => nextIteration(),
    onProgress: ({ done, of }) => void onProgress(done, of),
  });
  await follower.start(undefined);
  return follower;
}

/** The index with the changes since it was saved; undefined if it contradicts the history. */
async function follow(saved: SavedIndex, source: IndexSource): Promise<IndexFollower | undefined> {
  let isDoubtful = false;
  const onDoubt = () => {
    isDoubtful = true;
  };
  const follower = new IndexFollower({ source, pause: () => nextIteration(), onDoubt });
  await follower.start(saved);
  return isDoubtful ? undefined : follower;
}

/** Without the changes after a version. */
function upTo(source: IndexSource, version: bigint): IndexSource {
  return {
    lastChange: () => source.lastChange(),
    listPets: (...parameters) => source.listPets(...parameters),
    countPets: () => source.countPets(),
    async listChanges(...parameters) {
      const { at, changes } = await source.listChanges(...parameters);
      return { at, changes: changes.filter((change) => change.version <= version) };
    },
  };
}

/** A digest of what searches read: the pets in each order, and the pets of each word, status, fact and label. */
function contentOf(index: PetIndex): string {
  const digest = createHash('sha256');
  for (const slot of index.orders.id.toSorted())
    digest.update(
      `${index.idOf(slot)} ${index.versionOf(slot)} ${index.addedVersionOf(slot)} ${index.datesOf(slot).join(' ')} ${index.nameKeyOf(slot)}\n`,
    );
  for (const order of ['name', 'newest'] as const)
    for (const slot of index.orders[order].toSorted()) digest.update(`${index.idOf(slot)}\n`);
  for (const slot of index.byStay.toSorted()) digest.update(`${index.idOf(slot)}\n`);
  const { nameWords, statuses, facts, labels } = index.toData();
  for (const data of [nameWords.words, nameWords.prefixes, statuses, facts, ...Object.values(labels)]) {
    const sets = new SlotSets(data);
    const keys = data.map(([key]) => key);
    for (const key of keys.toSorted()) digest.update(`${JSON.stringify(key)} ${sets.countOf(key)}\n`);
  }
  return digest.digest('hex');
}
