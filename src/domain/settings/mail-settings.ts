import { invalidInput, type FieldProblem } from '../failure.ts';
import { ADDRESS_RULE, isMailAddress } from '../mail/mail-address.ts';
import type { SettingsEnvironment, SettingsProblem } from './ports.ts';

/** Whether a connection begins with TLS, is upgraded to it, or is not encrypted. */
export const MAIL_SECURITIES = ['tls', 'starttls', 'none'] as const;
export type MailSecurity = (typeof MAIL_SECURITIES)[number];

export const MAIL_SETTINGS_LIMITS = { host: 253, text: 255 } as const;

/** The server that sends e-mail, as an administrator has stored it. */
export interface StoredMail {
  host: string;
  port: number;
  security: MailSecurity;
  /** Undefined for a server that asks for no password. */
  username?: string | undefined;
  /** Sealed. */
  password?: string | undefined;
  /** The address of the sender; undefined if a flag sets it. */
  from?: string | undefined;
}

export interface SentMail extends Omit<StoredMail, 'password'> {
  /** In plain text. Undefined keeps the stored one. */
  password: string | undefined;
}

/** A password, readable. */
export interface OpenedMail extends Omit<StoredMail, 'password'> {
  password: string | undefined;
}

const HOST = /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$|^[\da-f:.]{2,45}$/i;
const MAX_PORT = 65_535;

export function isMailSecurity(value: unknown): value is MailSecurity {
  return MAIL_SECURITIES.some((each) => each === value);
}

/** A database that somebody could write to must not make the service send the password to another server. */
export function mailPasswordName({ host, port, security, username }: Omit<StoredMail, 'password'>): string {
  return JSON.stringify(['mail password', host.toLowerCase(), port, security, username]);
}

/** @throws Failure `invalid-input`, or `conflict` without a key that encrypts the password */
export async function mailOf(
  sent: SentMail,
  before: StoredMail | undefined,
  environment: SettingsEnvironment,
): Promise<StoredMail> {
  const { password: given, ...mail } = sent;
  const problems = problemsOf(mail, environment);
  const name = mailPasswordName(mail);
  const kept = before !== undefined && mailPasswordName(before) === name ? before.password : undefined;
  if (mail.username === undefined && given !== undefined)
    problems.push({ path: '/username', message: 'must be set with a password' });
  if (mail.username !== undefined && given === undefined && (kept === undefined || !opens(environment, name, kept)))
    problems.push({ path: '/password', message: 'must be entered, as for each other server or user name' });
  if (mail.security === 'none' && mail.username !== undefined && !environment.isPrivateAllowed)
    problems.push({ path: '/security', message: 'must be tls or starttls with a password' });
  if (problems.length > 0) throw invalidInput(problems);
  if (mail.username === undefined) return mail;
  return { ...mail, password: given === undefined ? kept : await environment.secrets.seal(name, given) };
}

function opens({ secrets }: SettingsEnvironment, name: string, sealed: string): boolean {
  return secrets.open(name, sealed) !== undefined;
}

function problemsOf(
  { host, port, from }: Omit<StoredMail, 'password'>,
  environment: SettingsEnvironment,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const isFromFixed = environment.fixed(['mail-from']).length > 0;
  if (!HOST.test(host)) problems.push({ path: '/host', message: 'must be the name or the address of a mail server' });
  else if (!environment.mayConnectTo(host))
    problems.push({ path: '/host', message: 'must be a server on the internet; --smtp-url may name any other' });
  if (!Number.isInteger(port) || port < 1 || port > MAX_PORT)
    problems.push({ path: '/port', message: `must be a whole number from 1 to ${MAX_PORT}` });
  if (isFromFixed && from !== undefined)
    problems.push({ path: '/from', message: 'is set by the operator, and must be absent' });
  if (!isFromFixed && !isMailAddress(from ?? '')) problems.push({ path: '/from', message: ADDRESS_RULE });
  return problems;
}

/**
 * Reads what is stored, which another version or program may have written.
 *
 * @returns undefined if nothing is stored
 */
export function storedMailIn(record: { text: string } | undefined): StoredMail | 'invalid' | undefined {
  if (record === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(record.text);
  } catch {
    return 'invalid';
  }
  if (value === null) return undefined;
  return isStoredMail(value) ? value : 'invalid';
}

function isStoredMail(value: unknown): value is StoredMail {
  if (typeof value !== 'object' || value === null) return false;
  const { host, port, security, username, password, from } = value as Partial<Record<keyof StoredMail, unknown>>;
  const areTexts = [username, password, from].every((each) => each === undefined || typeof each === 'string');
  return typeof host === 'string' && typeof port === 'number' && isMailSecurity(security) && areTexts;
}

/** The stored settings with the password, if they can be used. */
export function openMail(stored: StoredMail, environment: SettingsEnvironment): OpenedMail | SettingsProblem {
  const { password: sealed, ...mail } = stored;
  const rest = environment.fixed(['mail-from']).length > 0 ? { ...mail, from: undefined } : mail;
  if (problemsOf(rest, environment).length > 0) return 'invalid';
  if (mail.username === undefined) return { ...rest, password: undefined };
  const password = sealed === undefined ? undefined : environment.secrets.open(mailPasswordName(mail), sealed);
  return password === undefined ? 'secret' : { ...rest, password };
}
