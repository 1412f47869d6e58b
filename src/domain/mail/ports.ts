import type { Stamp } from '../audit.ts';
import type { MessageParts } from './message.ts';
import type { AccountAlert, MailKind, NewMail, QueuedMail, StoredMail } from './mail.ts';

/* The interfaces for e-mail. `domain/ports.ts` has the rules for every store, and the errors of every call. */

/** Returns the messages that the change concerns; none for `queue`. */
export type MailChange =
  | { kind: 'queue'; mail: NewMail; stamp: Stamp }
  /**
   * Claims at most `limit` messages that are due, by priority, the oldest first. Until `untilMs`, no other process
   * claims them. Each claim counts as an attempt. Messages of unknown kinds are left to nodes of a later version.
   */
  | { kind: 'claim'; nowMs: number; untilMs: number; limit: number }
  /** The message was sent, or need not be sent any more: it is deleted. */
  | { kind: 'done'; id: string }
  /**
   * Sending has failed. A dead message is not tried again: `nextAtMs` is then the time of the failure. `error` is a
   * short text without secrets.
   */
  | { kind: 'failed'; id: string; nextAtMs: number; isDead: boolean; error: string }
  /** Makes the messages due that wait for their next attempt. */
  | { kind: 'hasten'; nowMs: number }
  /** An administrator has the messages that wait tried now. */
  | { kind: 'retry-waiting'; stamp: Stamp }
  /** An administrator has a dead message tried again, as a new one. @throws Failure `not-found` */
  | { kind: 'retry'; id: string; stamp: Stamp }
  /** An administrator deletes a dead message. @throws Failure `not-found` */
  | { kind: 'delete'; id: string; stamp: Stamp }
  /** Deletes at most `limit` dead messages that failed before this time. */
  | { kind: 'forget'; beforeMs: number; limit: number };

export interface MailQueueState {
  waiting: number;
  /** The number of waiting messages whose kind only a later version knows. */
  unknown: number;
  /** When the oldest waiting message was queued. */
  oldestAtMs: number | undefined;
  dead: number;
  /** The last error of a message that waits or is dead. */
  lastError: string | undefined;
}

/** A message that could not be sent, and is not tried again. */
export interface DeadMail extends StoredMail {
  failedAtMs: number;
  lastError: string | undefined;
}

/** Messages that wait to be sent, shared by all nodes. */
export interface MailStore {
  /** Whether a message of a known kind is due: a claim is a write, for which other writes would wait. */
  hasDue(nowMs: number): Promise<boolean>;
  readState(): Promise<MailQueueState>;
  /** The newest first. */
  listDead(limit: number): Promise<readonly DeadMail[]>;
  apply(change: MailChange): Promise<readonly StoredMail[]>;
}

export interface MailedAccount {
  id: bigint;
  username: string;
  /** The address in the profile, which may not be confirmed. */
  email: string | undefined;
  hasPassword: boolean;
  isClosed: boolean;
  confirmed: ConfirmedAddress | undefined;
}

export interface ConfirmedAddress {
  email: string;
  /** The language of the request that confirmed the address. */
  language: string | undefined;
}

/** A link that is about to be sent to an address. Only the digest of its token is stored. */
export interface OfferedLink {
  purpose: 'confirmation' | 'reset' | 'invitation';
  accountId: bigint;
  email: string;
  digest: string;
  expiresAtMs: number;
  /** The author of the request that caused the message. */
  stamp: Stamp;
}

/** Returns the number of changed accounts. */
export type AddressChange =
  /**
   * Stores a link, which replaces earlier ones of the account. Returns 0 if the message must not be sent any more: the
   * account was closed or deleted, or has another address; for an invitation, also if it has a password.
   */
  | { kind: 'offer'; link: OfferedLink }
  /** @throws Failure `not-found` for an unknown, used or expired link, or if the account has another address */
  | { kind: 'confirm'; digest: string; language: string; stamp: Stamp }
  /** Brings the keys of persons that an earlier version has stored to the form of `personKey`. Returns their number. */
  | { kind: 'renew-keys' };

/** E-mail addresses of accounts, and the links that were sent to them. */
export interface AddressStore {
  find(accountId: bigint): Promise<MailedAccount | undefined>;
  /** The accounts with this confirmed address that are not closed, oldest first, at most `limit`. */
  listConfirmed(email: string, limit: number): Promise<readonly MailedAccount[]>;
  apply(change: AddressChange): Promise<number>;
}

export interface MailedLink {
  /** Absent in messages to addresses that are not confirmed, unless only an administrator can have chosen it. */
  username?: string;
  link?: string;
}

/** The facts of a message, from which its text is written. */
export interface MailContent {
  kind: MailKind;
  /** The language of the recipient, if it is known. */
  language: string | undefined;
  /** The name of the organisation. */
  siteName: string;
  /** Its country, if it is known, in whose form dates are written. */
  country?: string | undefined;
  siteUrl: string;
  /** One for most messages. A password reset has one for each account with the address. */
  accounts: readonly MailedLink[];
  expiresAtMs?: number;
  alert?: AccountAlert;
  ofFeature?: FeatureMessage;
  details: Readonly<Record<string, string>>;
}

/** How the recipient of a message reads, and the name of the organisation. */
export interface MailReader {
  language: string;
  /** For numbers and dates. */
  locale: string;
  site: string;
}

/** The facts of the organisation in messages. */
export type MailSite = Pick<MailContent, 'siteName' | 'country'>;

/** A message of a feature, which has its texts. */
export interface FeatureMessage {
  partsFor(reader: MailReader): MessageParts;
  /** The URL with which mail programs end such messages (RFC 8058). */
  oneClick?: string;
  /** The language of the recipient, if the queued message does not have it. */
  language?: string;
  /** The address that gets the reply of the recipient. */
  replyTo?: string | undefined;
  /** An administrator has chosen the recipient, and sees that a message to it is dead: it is always tried. */
  isToShelter?: true;
  /** By default, it says that the message was sent automatically. */
  footerFor?(reader: MailReader): string;
  /** The header (RFC 3834, section 5): `auto-generated` by default, and none if it is undefined. */
  autoSubmitted?: 'auto-replied' | undefined;
}

/** Prepare messages of features when they are sent. They return undefined for one that must not be sent any more. */
export type FeatureMail = Readonly<Record<string, (mail: QueuedMail) => Promise<FeatureMessage | undefined>>>;

export interface OutgoingMail {
  /** Becomes the Message-ID: the same for each attempt, so that a mailbox can recognize a repeated message. */
  id: string;
  recipient: string;
  replyTo?: string | undefined;
  atMs: number;
  content: MailContent;
}

export type MailOutcome =
  /** The server has accepted the message. */
  | { kind: 'sent'; answer: string }
  /** The server has refused the recipient or the content for good. */
  | { kind: 'refused'; answer: string }
  /** A later attempt may succeed. */
  | { kind: 'failed'; answer: string };

/** Writes and sends messages. The answer is a text of the server or a short reason, without secrets. */
export interface Mailer {
  send(mail: OutgoingMail, signal: AbortSignal): Promise<MailOutcome>;
}
