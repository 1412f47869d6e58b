import type { KeyChange } from '../../../domain/accounts/api-key.ts';
import type { UserChange } from '../../../domain/accounts/ports.ts';
import type { SessionChange } from '../../../domain/accounts/session.ts';
import type { StoredPet } from '../../../domain/pets/pet.ts';
import type { PetChange } from '../../../domain/pets/pet-change.ts';
import type { PhotoChange } from '../../../domain/pets/ports.ts';
import type { ClaimOutcome, NewClaim, RequestChange } from '../../../domain/idempotency/request-claim.ts';
import type { AuditChange } from '../../../domain/audit.ts';
import type { LimitChange } from '../../../domain/accounts/throttle.ts';
import type { FeedChange, WebhookChange } from '../../../domain/events/ports.ts';

/** The kinds of changes, and the result of each. */
export interface Writes {
  pet: { change: PetChange; result: StoredPet };
  user: { change: UserChange; result: readonly bigint[] };
  session: { change: SessionChange; result: number };
  photo: { change: PhotoChange; result: readonly string[] };
  key: { change: KeyChange; result: number };
  limit: { change: LimitChange; result: number };
  audit: { change: AuditChange; result: number };
  claim: { change: NewClaim; result: ClaimOutcome };
  request: { change: RequestChange; result: number };
  webhook: { change: WebhookChange; result: number };
  feed: { change: FeedChange; result: number };
}

export type WriteKind = keyof Writes;
