import { Failure } from '../failure.ts';

/*
 * E-mail that the service sends. A message is stored by its kind and details, and written when it is sent, so that the
 * database has no link that gives access to an account.
 */

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

export const MAIL_KINDS = [
  /** For a new account: a link with which its owner chooses the password, and confirms the address. */
  'invitation',
  /** For every account with this confirmed address; without one, nothing is sent. */
  'password-reset',
  /** To a new address: a link that confirms it. */
  'email-confirmation',
  /** To the confirmed address: `details.alert` is an `AccountAlert`. */
  'alert',
  /** To the shelter: an enquiry with everything that the person has sent. */
  'enquiry',
  /** To the person: the shelter has the enquiry. It contains nothing that the person has sent. */
  'enquiry-received',
  /** To the person: an answer of staff. `details.entry` is its number. */
  'enquiry-answer',
  /** To the address of a saved search: a link that confirms it. `details.search` is its ID. */
  'search-confirmation',
  /** New matches of a saved search. `details.pets` has their IDs, and `details.more` the number of others. */
  'search-matches',
  /** To an administrator who checks the settings. */
  'test',
] as const;

/** The languages of messages. */
export const MAIL_LANGUAGES = ['en', 'de'] as const;

export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

export type MailKind = (typeof MAIL_KINDS)[number];

/** The length of the list of messages that could not be sent. */
export const MAX_DEAD_MAIL = 100;

/** A message that is to be sent. */
export interface NewMail {
  kind: MailKind;
  /** The account that it is about. For `password-reset`, it is found when the message is sent. */
  accountId: bigint | null;
  /** The address. */
  recipient: string;
  /** What the text needs, by name. It has no secret. */
  details: Readonly<Record<string, string>>;
}

/** A message that waits to be sent. */
export interface QueuedMail extends NewMail {
  id: string;
  createdAtMs: number;
  /** The number of attempts, including the current one. */
  attempts: number;
}

/** The key by which addresses are compared: in lower case, because mail providers ignore case. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

export function confirmationNotFound(): Failure {
  return new Failure('not-found', 'Confirmation link not found');
}
