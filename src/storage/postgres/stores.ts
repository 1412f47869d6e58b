import { randomBytes } from 'node:crypto';
import type { ReadDatabaseServers } from '../../domain/health/database-servers.ts';
import type { DatabaseStores } from '../../domain/stores/stores.ts';
import { SqlAddressStore, applyAddressChange } from '../rows/accounts/address-store.ts';
import { SqlKeyStore, applyKeyChange } from '../rows/accounts/key-store.ts';
import { SqlProviderStore, applyProviderChange } from '../rows/accounts/provider-store.ts';
import { SqlOAuthClientStore, applyOAuthClientChange } from '../rows/accounts/oauth-client-store.ts';
import { SqlOAuthTokenStore, applyTokenChange } from '../rows/accounts/oauth-token-store.ts';
import { SqlSessionStore, applySessionChange } from '../rows/accounts/session-store.ts';
import { SqlUserStore } from '../rows/accounts/user-store.ts';
import { applyUserChange } from '../rows/accounts/user-writes.ts';
import { SqlEnquiryStore } from '../rows/enquiries/enquiry-store.ts';
import { applyEnquiryChange } from '../rows/enquiries/enquiry-writes.ts';
import { SqlAuditStore, applyAuditChange } from '../rows/service/audit-store.ts';
import { SqlChangeFeed, applyFeedChange } from '../rows/service/change-feed.ts';
import { SqlIdempotencyStore, applyRequestChange } from '../rows/service/idempotency-store.ts';
import { openInstallationStore } from '../rows/service/installation-store.ts';
import { SqlLimitStore, applyLimitChange } from '../rows/service/limit-store.ts';
import { SqlListingStore, applyListingChange } from '../rows/service/listing-store.ts';
import { SqlSavedSearchStore, applySavedSearchChange } from '../rows/service/saved-search-store.ts';
import { SqlMailStore, applyMailChange } from '../rows/service/mail-store.ts';
import { SqlSiteRecordStore, applySiteRecordChange } from '../rows/service/site-record-store.ts';
import { SqlWebhookStore, applyWebhookChange } from '../rows/service/webhook-store.ts';
import { SqlFactorStore } from '../rows/sign-in/factor-store.ts';
import { applyFactorChange } from '../rows/sign-in/factor-writes.ts';
import { claimWrites } from './engine/claimed-changes.ts';
import type { Connections } from './engine/connections.ts';
import { readPrimary, StandbyReads } from './engine/standby.ts';
import { statement } from './engine/statements.ts';
import { openReads, writeInSteps } from './engine/steps.ts';
import { inOrder } from './engine/transactions.ts';
import { Writer } from './engine/writer.ts';
import { PostgresIndexSource } from './pets/index-source.ts';
import { PostgresStatisticsStore } from './pets/pet-counts.ts';
import { PostgresPetStore } from './pets/pet-store.ts';
import { petWrites } from './pets/pet-writes.ts';
import { PostgresPhotoIndex, photoWrites } from './pets/photo-index.ts';

const WRITES = {
  pet: petWrites,
  user: writeInSteps(applyUserChange),
  session: writeInSteps(applySessionChange),
  photo: photoWrites,
  key: writeInSteps(applyKeyChange),
  factor: writeInSteps(applyFactorChange),
  oauthClient: writeInSteps(applyOAuthClientChange),
  oauthToken: writeInSteps(applyTokenChange),
  limit: writeInSteps(applyLimitChange),
  audit: writeInSteps(applyAuditChange),
  claim: claimWrites,
  request: writeInSteps(applyRequestChange),
  provider: writeInSteps(applyProviderChange),
  webhook: writeInSteps(applyWebhookChange),
  mail: writeInSteps(applyMailChange),
  address: writeInSteps(applyAddressChange),
  listing: writeInSteps(applyListingChange),
  savedSearch: writeInSteps(applySavedSearchChange),
  siteRecord: writeInSteps(applySiteRecordChange),
  enquiry: writeInSteps(applyEnquiryChange),
  feed: writeInSteps(applyFeedChange),
};

/** @param standbys for reads that do not need the latest state */
export function createPostgresStores(
  connections: Connections,
  standbys?: Connections,
  databaseServers: ReadDatabaseServers = connections.readServers,
): DatabaseStores {
  const { ask } = connections;
  const copies = standbys === undefined ? readPrimary(ask) : new StandbyReads(ask, standbys.ask);
  const writer = new Writer({ connections, writes: WRITES });
  const reads = openReads(ask);
  const deps = { ask, writer };
  const common = { reads, writer };
  return {
    pets: new PostgresPetStore({ ...deps, copies }),
    users: new SqlUserStore(common),
    sessions: new SqlSessionStore(common),
    keys: new SqlKeyStore(common),
    factors: new SqlFactorStore(common),
    oauthClients: new SqlOAuthClientStore(common),
    oauthTokens: new SqlOAuthTokenStore(common),
    limits: new SqlLimitStore(common),
    audit: new SqlAuditStore(common),
    photos: new PostgresPhotoIndex(deps),
    changeFeed: new SqlChangeFeed(common),
    requests: new SqlIdempotencyStore(common),
    indexSource: new PostgresIndexSource(ask),
    statistics: new PostgresStatisticsStore(ask),
    providerLogins: new SqlProviderStore(common),
    webhooks: new SqlWebhookStore(common),
    mail: new SqlMailStore(common),
    addresses: new SqlAddressStore(common),
    listings: new SqlListingStore(common),
    enquiries: new SqlEnquiryStore(common),
    savedSearches: new SqlSavedSearchStore(common),
    siteRecords: new SqlSiteRecordStore(common),
    installation: openInstallationStore(reads, (work) => work(reads)),
    iterations: (begin) => void setImmediate(begin),
    probeChange: () => probeChange(connections),
    activity: () => ({ writer: writer.activity(), pool: connections.activity() }),
    databaseServers,
    async close() {
      copies.close();
      await writer.close();
      await Promise.all([connections.close(), standbys?.close()]);
    },
  };
}

/** Random data, which cannot be compressed. A full disk often accepts small changes. */
const PROBE_BYTES = 128 * 1024;

const insertProbe = statement(
  `insert into idempotent_request (digest, fingerprint, claim, claimed_until_ms, expires_at_ms, answer) values ('probe', '', '', 0, 0, $1)`,
);
const deleteProbe = statement(`delete from idempotent_request where digest = 'probe'`);

/** Makes a change and undoes it in the same transaction. @throws Failure `unavailable` if other changes fail as well */
function probeChange(connections: Connections): Promise<void> {
  return inOrder(connections, async ({ ask, later }) => {
    later(ask(insertProbe, randomBytes(PROBE_BYTES).toString('base64')));
    later(ask(deleteProbe));
  });
}
