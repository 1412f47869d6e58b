import { FEATURE_STORES } from '../../../features/storage.ts';
import type { FactorStore } from '../../../domain/accounts/factors.ts';
import type { KeyStore, SessionStore, UserStore } from '../../../domain/accounts/ports.ts';
import type { LimitStore } from '../../../domain/accounts/throttle.ts';
import type { DatabaseActivity } from '../../../domain/activity.ts';
import type { AuditStore } from '../../../domain/audit.ts';
import type { ChangeFeedStore } from '../../../domain/events/ports.ts';
import type { ReadDatabaseServers } from '../../../domain/health/database-servers.ts';
import type { CertificateStore } from '../../../domain/https/ports.ts';
import type { AddressStore, MailStore } from '../../../domain/mail/ports.ts';
import type { OAuthClientStore } from '../../../domain/oauth/client.ts';
import type { OAuthTokenStore } from '../../../domain/oauth/tokens.ts';
import type { SiteRecordStore } from '../../../domain/organisation/ports.ts';
import type { PetStore } from '../../../domain/pets/ports.ts';
import type { PhotoChange, PhotoIndex } from '../../../domain/photos/ports.ts';
import type { InstallationStore, Iterations } from '../../../domain/ports.ts';
import type { ProviderStore } from '../../../domain/providers/ports.ts';
import type { IndexSource } from '../../../domain/search/index-source.ts';
import type { StatisticsStore } from '../../../domain/search/counts.ts';
import type { ClaimOutcome, IdempotencyStore, NewClaim, RequestChange } from '../../../domain/request-claim.ts';
import { SqlAddressStore, applyAddressChange } from '../accounts/address-store.ts';
import { SqlKeyStore, applyKeyChange } from '../accounts/key-store.ts';
import { SqlOAuthClientStore, applyOAuthClientChange } from '../oauth/oauth-client-store.ts';
import { SqlOAuthTokenStore, applyTokenChange } from '../oauth/oauth-token-store.ts';
import { SqlProviderStore, applyProviderChange } from '../providers/provider-store.ts';
import { SqlSessionStore, applySessionChange } from '../accounts/session-store.ts';
import { SqlUserStore } from '../accounts/user-store.ts';
import { applyUserChange } from '../accounts/user-writes.ts';
import { SqlAuditStore, applyAuditChange } from '../audit/audit-store.ts';
import { SqlChangeFeed, applyFeedChange } from '../events/change-feed.ts';
import { SqlLimitStore, applyLimitChange } from '../accounts/limit-store.ts';
import { SqlCertificateStore, applyCertificateChange } from '../https/certificate-store.ts';
import { SqlMailStore, applyMailChange } from '../mail/mail-store.ts';
import { SqlSiteRecordStore, applySiteRecordChange } from '../organisation/site-record-store.ts';
import { SqlFactorStore } from '../sign-in/factor-store.ts';
import { applyFactorChange } from '../sign-in/factor-writes.ts';
import type { CommonTransaction, Reads, Steps } from '../steps.ts';
import { store, type StoreEntry } from './store-entry.ts';

/** All stores that are written once. The types of stores and changes are derived from this table. */
const STORES = {
  users: store((deps): UserStore => new SqlUserStore(deps), applyUserChange),
  sessions: store((deps): SessionStore => new SqlSessionStore(deps), applySessionChange),
  keys: store((deps): KeyStore => new SqlKeyStore(deps), applyKeyChange),
  factors: store((deps): FactorStore => new SqlFactorStore(deps), applyFactorChange),
  oauthClients: store((deps): OAuthClientStore => new SqlOAuthClientStore(deps), applyOAuthClientChange),
  oauthTokens: store((deps): OAuthTokenStore => new SqlOAuthTokenStore(deps), applyTokenChange),
  limits: store((deps): LimitStore => new SqlLimitStore(deps), applyLimitChange),
  audit: store((deps): AuditStore => new SqlAuditStore(deps), applyAuditChange),
  changeFeed: store((deps): ChangeFeedStore => new SqlChangeFeed(deps), applyFeedChange),
  providerLogins: store((deps): ProviderStore => new SqlProviderStore(deps), applyProviderChange),
  mail: store((deps): MailStore => new SqlMailStore(deps), applyMailChange),
  addresses: store((deps): AddressStore => new SqlAddressStore(deps), applyAddressChange),
  certificates: store((deps): CertificateStore => new SqlCertificateStore(deps), applyCertificateChange),
  siteRecords: store((deps): SiteRecordStore => new SqlSiteRecordStore(deps), applySiteRecordChange),
  ...FEATURE_STORES,
};

type Entries = typeof STORES;
type StoreName = keyof Entries;

type CommonStores = { [N in StoreName]: ReturnType<Entries[N]['open']> };

type WritesOfEntries = {
  [N in StoreName]: Entries[N] extends StoreEntry<infer Change, infer Result, unknown>
    ? { change: Change; result: Result }
    : never;
};

/** The kinds of changes that both engines write in the same form, and the result of each. */
export interface CommonWrites extends WritesOfEntries {
  photos: { change: PhotoChange; result: readonly string[] };
  claims: { change: NewClaim; result: ClaimOutcome };
  requests: { change: RequestChange; result: number };
}

/** The stores of one database, on any engine. */
export interface DatabaseStores extends CommonStores {
  pets: PetStore;
  photos: PhotoIndex;
  requests: IdempotencyStore;
  indexSource: IndexSource;
  statistics: StatisticsStore;
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

function forEachStore<T>(
  work: (entry: StoreEntry<never, unknown, unknown>, name: StoreName) => T,
): Record<StoreName, T> {
  const entries = Object.entries(STORES) as [StoreName, StoreEntry<never, unknown, unknown>][];
  return Object.fromEntries(entries.map(([name, entry]) => [name, work(entry, name)])) as Record<StoreName, T>;
}

/** Opens the stores that are written once. @param apply makes a change of a kind */
export function openStores(
  readsOf: (name: StoreName) => Reads,
  apply: (name: StoreName, change: never) => Promise<unknown>,
): CommonStores {
  const stores = forEachStore((entry, name) =>
    entry.open({ reads: readsOf(name), apply: (change) => apply(name, change) }),
  );
  return stores as CommonStores;
}

/** How the changes of these stores are written. @param inSteps how an engine runs steps */
export function writesOfStores<Writes>(
  inSteps: (write: (change: never, transaction: CommonTransaction) => Steps<unknown>) => Writes,
): Record<StoreName, Writes> {
  return forEachStore((entry) => inSteps((change, transaction) => entry.write(change, transaction)));
}
