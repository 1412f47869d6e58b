import type { Quota } from '../../../domain/accounts/throttle.ts';
import type { Stamp } from '../../../domain/audit.ts';
import type { Precondition } from '../../../domain/precondition.ts';
import type { Enquiry, EnquiryEntry, EnquiryState, EnquiryText, EnquiryWithEntries } from './enquiry.ts';

/* The store of enquiries. `domain/ports.ts` has the rules for every store, and the errors of every call. */

export interface NewEnquiry extends EnquiryText {
  petId: bigint;
  petName: string;
  /** Identifies the form, which can be sent once. */
  formId: string;
}

/** Messages that are queued with a new enquiry, each within its quota. */
export interface EnquiryMessages {
  notice?: { recipient: string; language: string; quota: Quota };
  acknowledgement?: { quota: Quota };
}

/** Returns the number of enquiries that were changed. */
export type EnquiryChange =
  /**
   * The audit log has no entry: it is kept longer, and everyone may write enquiries.
   *
   * @throws Failure `too-many-requests` or `unavailable` if a quota is used up; `conflict` if the form was sent before
   */
  | { kind: 'add'; enquiry: NewEnquiry; quotas: readonly Quota[]; messages: EnquiryMessages; stamp: Stamp }
  /**
   * Sets the state or the assignee. With null, the enquiry has no assignee.
   * @throws Failure `not-found`, `precondition-failed`
   */
  | ({ kind: 'update'; state?: EnquiryState; assigneeId?: bigint | null } & ChangeOfOne)
  /** @throws Failure `not-found`, `precondition-failed`; `conflict` if the enquiry has too many entries */
  | ({ kind: 'note'; text: string } & ChangeOfOne)
  /** Like `note`. Also queues the answer as a message, and sets the state to answered. */
  | ({ kind: 'answer'; text: string } & ChangeOfOne)
  /** Deletes it with its messages that wait to be sent. @throws Failure `not-found`, `precondition-failed` */
  | ({ kind: 'delete' } & ChangeOfOne)
  /** Deletes all enquiries with this address, in the same way. The address is not in the audit log. */
  | { kind: 'erase'; email: string; stamp: Stamp }
  /** Deletes at most `limit` enquiries that were received at this time or before. */
  | { kind: 'forget'; beforeMs: number; limit: number };

interface ChangeOfOne {
  id: bigint;
  precondition?: Precondition | undefined;
  stamp: Stamp;
}

/** Absent fields match every enquiry. */
export interface EnquiryFilter {
  state?: EnquiryState | undefined;
  petId?: bigint | undefined;
  /** The account; null for enquiries without one. */
  assigneeId?: bigint | null | undefined;
  /** Part of any text of the person, of the name of the pet, or of the e-mail address. */
  text?: string | undefined;
  /** The whole address. */
  email?: string | undefined;
}

export interface EnquiryPage {
  /** Exclusive; undefined for the newest. */
  beforeId: bigint | undefined;
  limit: number;
}

/** More are not counted. */
export const MAX_COUNTED_ENQUIRIES = 1000;

export interface EnquiryStore {
  find(id: bigint): Promise<EnquiryWithEntries | undefined>;
  /** The newest first. */
  list(filter: EnquiryFilter, page: EnquiryPage): Promise<readonly Enquiry[]>;
  /** The number of enquiries with the state `new`, at most `MAX_COUNTED_ENQUIRIES`. */
  countNew(): Promise<number>;
  /** By the id of the enquiry; those without entries are absent. */
  listEntries(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, readonly EnquiryEntry[]>>;
  apply(change: EnquiryChange): Promise<number>;
}
