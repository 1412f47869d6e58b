import { FEATURE_MAIL_KINDS } from '../../features/names.ts';
import { Failure } from '../failure.ts';

/*
 * E-mail that the service sends. A message is stored by its kind and details, and written when it is sent, so that the
 * database has no link that gives access to an account.
 */

const DAY_MS = 24 * 3_600_000;

/** Of links that set a password or confirm an address, also those that administrators pass on. */
const LINK_LIFETIME_MS = DAY_MS;

/** Volunteers read their mail at the weekend. A new link replaces the old one, and closing the account ends it. */
const INVITATION_LIFETIME_MS = 7 * DAY_MS;

export function linkLifetimeMs(isInvitation: boolean): number {
  return isInvitation ? INVITATION_LIFETIME_MS : LINK_LIFETIME_MS;
}

/** What happened to an account, of which its owner is told. */
export const ACCOUNT_ALERTS = [
  'new-device',
  'password-changed',
  'key-created',
  'totp-added',
  'totp-removed',
  'recovery-codes-replaced',
  'recovery-code-used',
  'passkey-added',
  'passkey-removed',
  'provider-linked',
  'provider-unlinked',
  'factors-reset',
  'email-changed',
] as const;

export type AccountAlert = (typeof ACCOUNT_ALERTS)[number];

/**
 * Which messages are sent first: those for the owner of an account, who may be locked out or attacked; then the work of
 * the shelter; then what everyone can cause. The first two are limited, so the last one has its turn.
 */
export const MAIL_PRIORITIES = ['owner', 'staff', 'everyone'] as const;

export type MailPriority = (typeof MAIL_PRIORITIES)[number];

/** The kinds of messages, with their priority. */
export const MAIL_KINDS = {
  /** For every account with this confirmed address; without one, nothing is sent. */
  'password-reset': 'owner',
  /** To the confirmed address: `details.alert` is an `AccountAlert`. */
  alert: 'owner',
  /** For a new account: a link with which its owner chooses the password, and confirms the address. */
  invitation: 'staff',
  /** To an administrator: no certificate for HTTPS could be obtained for a day. */
  'certificate-failed': 'staff',
  /** To an administrator who checks the settings. */
  test: 'staff',
  /** To a new address: a link that confirms it. */
  'email-confirmation': 'everyone',
  ...FEATURE_MAIL_KINDS,
} as const satisfies Readonly<Record<string, MailPriority>>;

export const MAIL_LANGUAGES = ['en', 'de'] as const;

export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

export type MailKind = keyof typeof MAIL_KINDS;

type FeatureMailKind = keyof typeof FEATURE_MAIL_KINDS;

export function isOfFeature(kind: MailKind): kind is FeatureMailKind {
  return Object.hasOwn(FEATURE_MAIL_KINDS, kind);
}

/** The length of the list of messages that could not be sent. */
export const MAX_DEAD_MAIL = 100;

export interface NewMail {
  kind: MailKind;
  /** The account that it is about. For `password-reset`, it is found when the message is sent. */
  accountId: bigint | null;
  recipient: string;
  /** What the text needs, by name. It has no secret. */
  details: Readonly<Record<string, string>>;
}

export interface QueuedMail extends NewMail {
  id: string;
  createdAtMs: number;
  /** The number of attempts, including the current one. */
  attempts: number;
}

/** A message as it is stored: a later version may have queued it, with a kind that this one does not know. */
export interface StoredMail extends Omit<QueuedMail, 'kind'> {
  kind: string;
}

export function isKnownMail(mail: StoredMail): mail is QueuedMail {
  return Object.hasOwn(MAIL_KINDS, mail.kind);
}

/** Whether this version can write the alert. */
export function isAccountAlert(alert: string | undefined): alert is AccountAlert {
  return ACCOUNT_ALERTS.some((known) => known === alert);
}

export function confirmationNotFound(): Failure {
  return new Failure('not-found', 'Confirmation link not found');
}
