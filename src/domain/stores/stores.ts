import type { FactorStore } from '../accounts/factors.ts';
import type { KeyStore, SessionStore, UserStore } from '../accounts/ports.ts';
import type { LimitStore } from '../accounts/throttle.ts';
import type { DatabaseActivity } from '../activity.ts';
import type { AuditStore } from '../audit.ts';
import type { EnquiryStore } from '../enquiries/ports.ts';
import type { ChangeFeedStore, WebhookStore } from '../events/ports.ts';
import type { ReadDatabaseServers } from '../health/database-servers.ts';
import type { ListingStore } from '../listings/ports.ts';
import type { AddressStore, MailStore } from '../mail/ports.ts';
import type { IdempotencyStore } from '../request-claim.ts';
import type { OAuthClientStore } from '../oauth/client.ts';
import type { OAuthTokenStore } from '../oauth/tokens.ts';
import type { SavedSearchStore } from '../saved-searches/ports.ts';
import type { SiteRecordStore } from '../organisation/ports.ts';
import type { PetStore } from '../pets/ports.ts';
import type { PhotoIndex } from '../photos/ports.ts';
import type { InstallationStore, Iterations } from '../ports.ts';
import type { ProviderStore } from '../providers/ports.ts';
import type { IndexSource } from '../search/index-source.ts';
import type { StatisticsStore } from '../search/counts.ts';

/** The stores of one database, on any engine. */
export interface DatabaseStores {
  pets: PetStore;
  users: UserStore;
  sessions: SessionStore;
  keys: KeyStore;
  factors: FactorStore;
  oauthClients: OAuthClientStore;
  oauthTokens: OAuthTokenStore;
  limits: LimitStore;
  audit: AuditStore;
  photos: PhotoIndex;
  changeFeed: ChangeFeedStore;
  requests: IdempotencyStore;
  indexSource: IndexSource;
  statistics: StatisticsStore;
  providerLogins: ProviderStore;
  webhooks: WebhookStore;
  mail: MailStore;
  addresses: AddressStore;
  listings: ListingStore;
  enquiries: EnquiryStore;
  savedSearches: SavedSearchStore;
  siteRecords: SiteRecordStore;
  installation: InstallationStore;
  iterations: Iterations;
  /**
   * Makes a change and rolls it back, to check that the database is writable.
   * @throws Failure `unavailable` if it is not
   */
  probeChange(): Promise<void>;
  activity(): DatabaseActivity;
  /** Undefined for a database without servers. */
  databaseServers?: ReadDatabaseServers;
  /** Waits for pending calls, then closes the database. */
  close(): Promise<void>;
}
