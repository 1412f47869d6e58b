import type { DatabaseSync } from 'node:sqlite';
import { searchKey } from '../rows/accounts/account-rows.ts';
import { openStores, type DatabaseStores } from '../rows/stores/stores.ts';
import { SqlIdempotencyStore } from '../rows/idempotency/idempotency-store.ts';
import { openInstallationStore } from '../rows/installation-store.ts';
import type { Reads } from '../rows/steps.ts';
import { cacheFound } from './engine/exact-cache.ts';
import { createSnapshots } from './engine/snapshots.ts';
import { gatherIterations } from './engine/iterations.ts';
import { openReads, withConnection } from './engine/steps.ts';
import type { Writer } from './engine/writer.ts';
import { SqliteIndexSource } from './pets/index-source.ts';
import { SqliteStatisticsStore } from './pets/pet-counts.ts';
import { SqlitePetStore } from './pets/pet-store.ts';
import { SqlitePhotoIndex } from './pets/photo-index.ts';

const MAX_CACHED_SESSIONS = 10_000;

/** The connections of the stores. A database in memory has one connection for everything. */
export interface SqliteConnections {
  reader: DatabaseSync;
  /** For lists: pages that are read once do not displace the pages that are read often from the cache. */
  scanner: DatabaseSync;
  writer: Writer;
}

export function createSqliteStores({ reader, scanner, writer }: SqliteConnections): DatabaseStores {
  const snapshots = createSnapshots(reader);
  const reads = openReads(reader);
  // Node's SQLite has no case folding beyond ASCII.
  reader.function('contains_text', { deterministic: true }, (text, part) =>
    typeof text === 'string' && searchKey(text).includes(String(part)) ? 1 : 0,
  );
  const deps = { reader, writer };
  const special: Partial<Record<keyof DatabaseStores, Reads>> = {
    sessions: cacheFound(reads, snapshots, MAX_CACHED_SESSIONS),
    changeFeed: openReads(scanner),
  };
  return {
    ...openStores(
      (name) => special[name] ?? reads,
      (name, change) => writer.apply(name, change),
    ),
    pets: new SqlitePetStore({ reader, scanner, writer }),
    photos: new SqlitePhotoIndex(deps),
    requests: new SqlIdempotencyStore({
      claim: (claim) => writer.apply('claims', claim),
      apply: (change) => writer.apply('requests', change),
    }),
    indexSource: new SqliteIndexSource(scanner),
    statistics: new SqliteStatisticsStore(reader),
    installation: openInstallationStore(reads, (work) => withConnection(reader, work)),
    iterations: gatherIterations(snapshots.inSnapshot),
    async probeChange() {
      await writer.apply('probe', { kind: 'rewrite' });
    },
    activity: () => ({ writer: writer.activity() }),
    async close() {
      await writer.close();
      reader.close();
      if (scanner !== reader) scanner.close();
    },
  };
}
