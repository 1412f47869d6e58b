import type { KeyChange } from '../../domain/accounts/api-key.ts';
import type { FactorChange } from '../../domain/accounts/factors.ts';
import type { UserChange } from '../../domain/accounts/ports.ts';
import type { SessionChange } from '../../domain/accounts/session.ts';
import type { StoredMail } from '../../domain/mail/mail.ts';
import type { AddressChange, MailChange } from '../../domain/mail/ports.ts';
import type { ProviderChange } from '../../domain/providers/ports.ts';
import type { OAuthClientChange } from '../../domain/oauth/client.ts';
import type { TokenChange } from '../../domain/oauth/tokens.ts';
import type { EnquiryChange } from '../../domain/enquiries/ports.ts';
import type { ListingChange } from '../../domain/listings/ports.ts';
import type { SavedSearchChange } from '../../domain/saved-searches/ports.ts';
import type { SavedSearch } from '../../domain/saved-searches/saved-search.ts';
import type { SiteRecordChange } from '../../domain/organisation/ports.ts';
import type { PhotoChange } from '../../domain/photos/ports.ts';
import type { ClaimOutcome, NewClaim, RequestChange } from '../../domain/request-claim.ts';
import type { AuditChange } from '../../domain/audit.ts';
import type { LimitChange } from '../../domain/accounts/throttle.ts';
import type { FeedChange, WebhookChange } from '../../domain/events/ports.ts';

/** The kinds of changes that both engines write in the same form, and the result of each. */
export interface CommonWrites {
  user: { change: UserChange; result: readonly bigint[] };
  session: { change: SessionChange; result: number };
  photo: { change: PhotoChange; result: readonly string[] };
  key: { change: KeyChange; result: number };
  factor: { change: FactorChange; result: number };
  oauthClient: { change: OAuthClientChange; result: number };
  oauthToken: { change: TokenChange; result: number };
  limit: { change: LimitChange; result: number };
  audit: { change: AuditChange; result: number };
  claim: { change: NewClaim; result: ClaimOutcome };
  request: { change: RequestChange; result: number };
  provider: { change: ProviderChange; result: string };
  webhook: { change: WebhookChange; result: number };
  mail: { change: MailChange; result: readonly StoredMail[] };
  address: { change: AddressChange; result: number };
  siteRecord: { change: SiteRecordChange; result: bigint };
  listing: { change: ListingChange; result: number };
  enquiry: { change: EnquiryChange; result: number };
  savedSearch: { change: SavedSearchChange; result: readonly SavedSearch[] };
  feed: { change: FeedChange; result: number };
}
