import type { KeyStore, SessionStore, UserStore } from './accounts/ports.ts';
import type { LimitStore } from './accounts/throttle.ts';
import type { AuditStore } from './audit.ts';
import type { ChangeFeedStore, WebhookStore } from './events/ports.ts';
import type { IdempotencyStore } from './idempotency/request-claim.ts';
import type { PetStore, PhotoIndex } from './pets/ports.ts';
import type { InstallationStore, Turns } from './ports.ts';
import type { PetFindStore } from './search/ports.ts';

/** The stores of one database, whichever engine it has. */
export interface DatabaseStores {
  pets: PetStore;
  users: UserStore;
  sessions: SessionStore;
  keys: KeyStore;
  limits: LimitStore;
  audit: AuditStore;
  photos: PhotoIndex;
  changeFeed: ChangeFeedStore;
  requests: IdempotencyStore;
  petFindStore: PetFindStore;
  webhooks: WebhookStore;
  installation: InstallationStore;
  turns: Turns;
  /** Makes a change and undoes it in the same transaction. @throws Failure `unavailable` if other changes fail as well */
  probeChange(): Promise<void>;
  /** Completes pending calls, then closes the database. */
  close(): Promise<void>;
}
