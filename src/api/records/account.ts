import { ROLES, SCOPES, type Role, type Scope } from '../../domain/access.ts';
import { KEY_LIMITS, type ApiKey } from '../../domain/accounts/api-key.ts';
import type { AccountView, ActiveSession, CreatedKey as NewKey } from '../../domain/accounts/own-account.ts';
import type { ResetLink as NewResetLink, SentLink } from '../../domain/accounts/password-reset.ts';
import { USER_LIMITS } from '../../domain/accounts/user.ts';
import { ApiResponse } from './api-response.ts';
import { recordText, type Written } from './record-text.ts';
import * as Type from './type.ts';
import { absent, allOfPatterns, exactly, int64, optionalTime, PLAIN_TEXT, text, time, timeText } from './fields.ts';
import { PROFILE_FIELDS, profileOf, SentUsername } from './user.ts';

/*
 * Accounts, sessions and keys, as their owners and administrators see and change them.
 */

export const Account = Type.Object(
  {
    ...PROFILE_FIELDS,
    role: Type.Unsafe<Role>({ type: 'string', enum: [...ROLES] }),
    accountId: int64(
      'The id of the account: assigned, unique, and never changed. `by=accountId` and the audit log use it.',
    ),
    confirmedEmail: Type.Optional(
      Type.String({
        description: 'The address that gets links for new passwords, and alerts. Only of the own account.',
      }),
    ),
    invitation: Type.Optional(
      Type.Unsafe<'pending'>({
        type: 'string',
        enum: ['pending'],
        description: 'While the account has no password, because the user has not accepted the invitation.',
      }),
    ),
    hasNoPassword: Type.Optional(
      Type.Unsafe<true>({
        type: 'boolean',
        enum: [true],
        description: 'If you log in without a password, such as at a provider. Only of the own account.',
      }),
    ),
    hasNoPasswordLogin: Type.Optional(
      Type.Unsafe<true>({
        type: 'boolean',
        enum: [true],
        description: 'If your role cannot log in with a password, so you cannot set one. Only of the own account.',
      }),
    ),
    needsSecondFactor: Type.Optional(
      Type.Unsafe<true>({
        type: 'boolean',
        enum: [true],
        description: 'If this session must set up or prove a second factor before it can do anything else.',
      }),
    ),
  },
  exactly('Account'),
);
export type Account = Type.Static<typeof Account>;

export const Session = Type.Object(
  {
    id: Type.String({ description: 'The public id. It gives no access.' }),
    createdAt: time('The time of the login.'),
    lastUsedAt: time('The time of the last use, accurate to a few minutes.'),
    expiresAt: time('The time of expiry.'),
    address: Type.String({ description: 'The IP address of the login.' }),
    userAgent: Type.Optional(Type.String({ description: 'The `User-Agent` of the login.' })),
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  },
  exactly('Session'),
);
export type Session = Type.Static<typeof Session>;

const KEY_FIELDS = {
  id: Type.String({ description: 'The public id. It gives no access.' }),
  name: Type.String(),
  scopes: Type.Unsafe<readonly Scope[]>({ type: 'array', items: { type: 'string', enum: [...SCOPES] } }),
  createdAt: time('The time of creation.'),
  expiresAt: time('The time of expiry.'),
  lastUsedAt: Type.Optional(time('The time of the last use, accurate to a few minutes.')),
};

export const Key = Type.Object(KEY_FIELDS, exactly('Key'));
export type Key = Type.Static<typeof Key>;

export const CreatedKey = Type.Object(
  { key: Type.String({ description: 'The key. It is shown only once.' }), ...KEY_FIELDS },
  exactly('CreatedKey'),
);
export type CreatedKey = Type.Static<typeof CreatedKey>;

export const ResetLink = Type.Object(
  {
    link: Type.String({ format: 'uri', description: 'The page for choosing a new password. It works once.' }),
    token: Type.String({ description: 'The fragment of the link, after the #.' }),
    expiresAt: time('The time of expiry.'),
  },
  exactly('ResetLink'),
);
export type ResetLink = Type.Static<typeof ResetLink>;

export const Invitation = Type.Object(
  {
    link: Type.Optional(
      Type.String({ format: 'uri', description: 'The page for choosing a password. It works once.' }),
    ),
    token: Type.Optional(Type.String({ description: 'The fragment of the link, after the #.' })),
    sentTo: Type.Optional(Type.String({ description: 'The address to which the link is sent instead.' })),
    expiresAt: time('The time of expiry.'),
  },
  exactly('Invitation'),
);
export type Invitation = Type.Static<typeof Invitation>;

export const PasswordReset = Type.Object(
  { ...ApiResponse.properties, username: Type.String({ description: 'The user, who can log in now.' }) },
  exactly('PasswordReset'),
);
type PasswordReset = Type.Static<typeof PasswordReset>;

export function passwordResetText(username: string): string {
  return recordText<PasswordReset>({ code: 200, type: 'unknown', message: 'ok', username });
}

export const RESET_PATH = '/reset-password';

export function accountText(account: AccountView): string {
  const {
    id: accountId,
    user,
    role,
    isInvited,
    needsSecondFactor,
    confirmedEmail,
    hasNoPassword,
    hasNoPasswordLogin,
  } = account;
  return recordText<Account>({
    ...profileOf(user),
    role,
    accountId,
    confirmedEmail,
    invitation: isInvited ? 'pending' : undefined,
    hasNoPassword: hasNoPassword === true ? true : undefined,
    hasNoPasswordLogin: hasNoPasswordLogin === true ? true : undefined,
    needsSecondFactor: needsSecondFactor === true ? true : undefined,
  });
}

export function sessionText({ id, startedAtMs, lastUsedAtMs, endsAtMs, client, isCurrent }: ActiveSession): string {
  return recordText<Session>({
    id,
    createdAt: timeText(startedAtMs),
    lastUsedAt: timeText(lastUsedAtMs),
    expiresAt: timeText(endsAtMs),
    address: client.address,
    userAgent: client.userAgent,
    current: isCurrent,
  });
}

export function keyText(key: ApiKey): string {
  return recordText<Key>(keyFields(key));
}

/** Contains the key itself, which is shown only once. */
export function createdKeyText({ key, ...rest }: NewKey): string {
  return recordText<CreatedKey>({ key, ...keyFields(rest) });
}

function keyFields({ id, name, scopes, createdAtMs, expiresAtMs, lastUsedAtMs }: ApiKey): Written<Key> {
  return {
    id,
    name,
    scopes,
    createdAt: timeText(createdAtMs),
    expiresAt: timeText(expiresAtMs),
    lastUsedAt: optionalTime(lastUsedAtMs),
  };
}

/** The link opens the same page, which greets a new user. It is not in the response if it is sent by e-mail. */
export function invitationText(invitation: NewResetLink | SentLink, origin: string): string {
  const isSent = 'sentTo' in invitation;
  return recordText<Invitation>({
    link: isSent ? undefined : linkOf(invitation, origin),
    token: isSent ? undefined : invitation.token,
    sentTo: isSent ? invitation.sentTo : undefined,
    expiresAt: timeText(invitation.expiresAtMs),
  });
}

/** @param origin the public URL of the service; the token follows the #, which browsers do not send */
export function resetLinkText(resetLink: NewResetLink, origin: string): string {
  const { token, expiresAtMs } = resetLink;
  return recordText<ResetLink>({ link: linkOf(resetLink, origin), token, expiresAt: timeText(expiresAtMs) });
}

/** The page greets a new user. */
function linkOf({ token, isInvitation }: NewResetLink, origin: string): string {
  return `${origin}${RESET_PATH}${isInvitation ? '?for=invitation' : ''}#${token}`;
}

const object = (title: string) => ({ title, message: 'must be a JSON object' });

const password = text(USER_LIMITS.passwordLength);

export const SentPasswordChange = Type.Object(
  {
    oldPassword: absent(password),
    newPassword: password,
    revokeKeys: absent(Type.Unsafe<boolean>({ type: 'boolean', message: 'must be true or false' })),
  },
  object('SentPasswordChange'),
);

export type SentPasswordChange = Type.Static<typeof SentPasswordChange>;

export const SentPasswordReset = Type.Object(
  { token: text(USER_LIMITS.fieldLength), newPassword: password },
  object('SentPasswordReset'),
);

export type SentPasswordReset = Type.Static<typeof SentPasswordReset>;

export const SentToken = Type.Object({ token: text(USER_LIMITS.fieldLength) }, object('SentToken'));

export type SentToken = Type.Static<typeof SentToken>;

export const SentEmail = Type.Object({ email: text(USER_LIMITS.fieldLength) }, object('SentEmail'));

export type SentEmail = Type.Static<typeof SentEmail>;

export const SentMailTest = Type.Object({ to: text(USER_LIMITS.fieldLength) }, object('SentMailTest'));

export type SentMailTest = Type.Static<typeof SentMailTest>;

const { nameLength, maxLifetimeDays } = KEY_LIMITS;

export const SentKey = Type.Object(
  {
    name: Type.Unsafe<string>({
      type: 'string',
      minLength: 1,
      maxLength: nameLength,
      pattern: allOfPatterns(PLAIN_TEXT, String.raw`^[^\u0000-\u001F\u007F-\u009F\u2028\u2029]*$`, String.raw`\S`),
      message: `must be a string of 1 to ${nameLength} characters`,
    }),
    scopes: Type.Unsafe<readonly Scope[]>({
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { enum: SCOPES, message: `must be one of ${SCOPES.join(', ')}` },
      message: `must be a list of one or more of ${SCOPES.join(', ')}, without duplicates`,
    }),
    expiresInDays: absent(
      Type.Unsafe<number>({
        type: 'integer',
        minimum: 1,
        maximum: maxLifetimeDays,
        message: `must be an integer from 1 to ${maxLifetimeDays}`,
      }),
    ),
    password: absent(password),
  },
  object('SentKey'),
);

export type SentKey = Type.Static<typeof SentKey>;

const role = Type.Unsafe<Role>({ enum: ROLES, message: `must be one of ${ROLES.join(', ')}` });

export const SentRole = Type.Object({ role }, object('SentRole'));

export type SentRole = Type.Static<typeof SentRole>;

/** By default, the role is `viewer`. */
export const SentInvitation = Type.Object(
  { username: SentUsername, role: absent(role), email: absent(text(USER_LIMITS.fieldLength)) },
  object('SentInvitation'),
);

export type SentInvitation = Type.Static<typeof SentInvitation>;
