import type { DatabaseSync } from 'node:sqlite';
import type { InstallationStore } from '../../domain/ports.ts';
import type { DatabaseStores } from '../../domain/stores/stores.ts';
import { SqliteKeyStore } from './accounts/key-store.ts';
import { SqliteSessionStore } from './accounts/session-store.ts';
import { SqliteUserStore } from './accounts/user-store.ts';
import { SqliteAuditStore } from './service/audit-store.ts';
import { SqliteChangeFeed } from './service/change-feed.ts';
import { createSnapshots } from './engine/snapshots.ts';
import { gatherIterations } from './engine/iterations.ts';
import type { Writer } from './engine/writer.ts';
import { SqliteIdempotencyStore } from './service/idempotency-store.ts';
import { SqliteLimitStore } from './service/limit-store.ts';
import { SqliteIndexSource } from './pets/index-source.ts';
import { SqliteStatisticsStore } from './pets/pet-counts.ts';
import { SqlitePetStore } from './pets/pet-store.ts';
import { SqlitePhotoIndex } from './pets/photo-index.ts';
import { SqliteWebhookStore } from './service/webhook-store.ts';

/** The connections of the stores. A database in memory has one connection for everything. */
export interface SqliteConnections {
  reader: DatabaseSync;
  /** For lists: pages that are read once do not displace the pages that are read often from the cache. */
  scanner: DatabaseSync;
  writer: Writer;
  installation: InstallationStore;
}

export function createSqliteStores({ reader, scanner, writer, installation }: SqliteConnections): DatabaseStores {
  const snapshots = createSnapshots(reader);
  const deps = { reader, writer };
  return {
    pets: new SqlitePetStore({ reader, scanner, writer }),
    users: new SqliteUserStore(deps),
    sessions: new SqliteSessionStore({ ...deps, snapshots }),
    keys: new SqliteKeyStore(deps),
    limits: new SqliteLimitStore(deps),
    audit: new SqliteAuditStore(deps),
    photos: new SqlitePhotoIndex(deps),
    changeFeed: new SqliteChangeFeed({ reader: scanner, writer }),
    requests: new SqliteIdempotencyStore({ writer }),
    indexSource: new SqliteIndexSource(scanner),
    statistics: new SqliteStatisticsStore(reader),
    webhooks: new SqliteWebhookStore(deps),
    installation,
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
