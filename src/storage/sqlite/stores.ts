import type { DatabaseSync } from 'node:sqlite';
import type { DatabaseStores } from '../../domain/stores/stores.ts';
import { searchKey } from '../rows/accounts/account-rows.ts';
import { SqlAddressStore } from '../rows/accounts/address-store.ts';
import { SqlKeyStore } from '../rows/accounts/key-store.ts';
import { SqlProviderStore } from '../rows/accounts/provider-store.ts';
import { SqlOAuthClientStore } from '../rows/accounts/oauth-client-store.ts';
import { SqlOAuthTokenStore } from '../rows/accounts/oauth-token-store.ts';
import { SqlSessionStore } from '../rows/accounts/session-store.ts';
import { SqlUserStore } from '../rows/accounts/user-store.ts';
import { SqlEnquiryStore } from '../rows/enquiries/enquiry-store.ts';
import { SqlAuditStore } from '../rows/service/audit-store.ts';
import { SqlChangeFeed } from '../rows/service/change-feed.ts';
import { SqlIdempotencyStore } from '../rows/service/idempotency-store.ts';
import { openInstallationStore } from '../rows/service/installation-store.ts';
import { SqlLimitStore } from '../rows/service/limit-store.ts';
import { SqlListingStore } from '../rows/service/listing-store.ts';
import { SqlSavedSearchStore } from '../rows/service/saved-search-store.ts';
import { SqlMailStore } from '../rows/service/mail-store.ts';
import { SqlSiteRecordStore } from '../rows/service/site-record-store.ts';
import { SqlWebhookStore } from '../rows/service/webhook-store.ts';
import { SqlFactorStore } from '../rows/sign-in/factor-store.ts';
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
  const common = { reads, writer };
  return {
    pets: new SqlitePetStore({ reader, scanner, writer }),
    users: new SqlUserStore(common),
    sessions: new SqlSessionStore({ reads: cacheFound(reads, snapshots, MAX_CACHED_SESSIONS), writer }),
    keys: new SqlKeyStore(common),
    factors: new SqlFactorStore(common),
    oauthClients: new SqlOAuthClientStore(common),
    oauthTokens: new SqlOAuthTokenStore(common),
    limits: new SqlLimitStore(common),
    audit: new SqlAuditStore(common),
    photos: new SqlitePhotoIndex(deps),
    changeFeed: new SqlChangeFeed({ reads: openReads(scanner), writer }),
    requests: new SqlIdempotencyStore({ writer }),
    indexSource: new SqliteIndexSource(scanner),
    statistics: new SqliteStatisticsStore(reader),
    providerLogins: new SqlProviderStore(common),
    webhooks: new SqlWebhookStore(common),
    mail: new SqlMailStore(common),
    addresses: new SqlAddressStore(common),
    listings: new SqlListingStore(common),
    enquiries: new SqlEnquiryStore(common),
    savedSearches: new SqlSavedSearchStore(common),
    siteRecords: new SqlSiteRecordStore(common),
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
