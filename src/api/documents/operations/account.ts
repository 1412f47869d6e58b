import { NOT_PROVED } from './sign-in.ts';
import { SentEmail, SentKey, SentPasswordChange, SentPasswordReset, SentToken } from '../../records/account.ts';
import * as Type from '../../records/type.ts';
import { json, jsonBody, type OperationDescription } from '../parts/format.ts';
import { LinkedProvider, LoginProvider, ProviderPage, SentProviderLink } from '../../records/provider.ts';
import { KEY_ID, LOGIN_ID, SESSION_ID } from '../parts/parameters.ts';
import { Account, CreatedKey, Key, PasswordReset, Session } from '../../records/account.ts';
import { ApiResponse } from '../../records/api-response.ts';

const FRESH_LOGIN =
  'The login is more than 15 minutes old; or the request comes from a page of another site or is for another host';

const OK = json(ApiResponse, 'Success. The message is `ok`.');

const NO_MAIL = 'The service sends no e-mail';

/** A session is required in every access mode. */
export const ACCOUNT_OPERATIONS = {
  getAccount: {
    group: 'account',
    summary: 'Get your account',
    description: 'Returns the user of the session with their role.',
    responses: { 200: json(Account, 'The account.') },
    failures: { 404: 'User not found' },
  },
  changePassword: {
    group: 'account',
    summary: 'Change your password',
    description:
      'Requires the old password; without one, a recent proof. Ends all other sessions of the account, and revokes its API keys unless ' +
      '`revokeKeys` is `false`.',
    body: jsonBody(SentPasswordChange),
    responses: { 200: OK },
    failures: {
      403: `Your role does not log in with a password. ${NOT_PROVED}`,
      400: 'The old password is wrong, or the new one does not meet the password rules',
      404: 'User not found',
      409: 'The password was changed by a concurrent request. Nothing was stored.',
      429: 'Too many attempts',
    },
  },
  listSessions: {
    group: 'account',
    summary: 'List your sessions',
    description: 'Returns the active sessions of the account with their last use and client.',
    responses: { 200: json(Type.Array(Session), 'The sessions.') },
  },
  endOtherSessions: {
    group: 'account',
    summary: 'End your other sessions',
    description: 'Logs out all other browsers and clients. The current session and API keys stay valid.',
    responses: { 200: OK },
  },
  endSession: {
    group: 'account',
    summary: 'End one of your sessions',
    description: 'Logs out one browser or client. Takes effect immediately.',
    path: SESSION_ID,
    responses: { 200: json(ApiResponse, 'The session has ended. The message is its ID.') },
    failures: { 404: 'Session not found' },
  },
  listKeys: {
    group: 'account',
    summary: 'List your API keys',
    description: 'Returns the API keys of the account with their last use and expiry, without the keys themselves.',
    responses: { 200: json(Type.Array(Key), 'The API keys, without the keys themselves.') },
  },
  createKey: {
    group: 'account',
    summary: 'Create an API key',
    description:
      'A key never has more permissions than your role. It expires after 90 days unless `expiresInDays` is ' +
      'given. In secured access, `password` is required if your login is more than 15 minutes old.',
    body: jsonBody(SentKey),
    responses: { 200: json(CreatedKey, 'The API key. It is shown only once.') },
    failures: {
      403: 'The login is more than 15 minutes old and `password` is missing or wrong; or the account lacks the permission, or the request comes from a page of another site or is for another host',
      409: 'The account has the maximum number of API keys, or was deleted',
      429: 'Too many requests, or too many attempts with a wrong password',
    },
  },
  revokeKey: {
    group: 'account',
    summary: 'Revoke one of your API keys',
    description: 'The key stops working immediately, and cannot be restored.',
    path: KEY_ID,
    responses: { 200: json(ApiResponse, 'The key is revoked. The message is its ID.') },
    failures: { 404: 'API key not found' },
  },
  listProviders: {
    group: 'account',
    summary: 'List login providers',
    description: 'Returns the OpenID Connect providers at which users can log in. A browser opens `url`.',
    responses: { 200: json(Type.Array(LoginProvider), 'The providers.') },
  },
  listLinkedProviders: {
    group: 'account',
    summary: 'List your logins at providers',
    description: 'Those with which you can log in, oldest first.',
    responses: { 200: json(Type.Array(LinkedProvider), 'The logins that are linked to the account.') },
  },
  linkProvider: {
    group: 'account',
    summary: 'Link a login at a provider',
    description:
      'Returns the page of the provider. After the login there, in the same browser and session, it is linked to the ' +
      'account.',
    body: jsonBody(SentProviderLink),
    responses: { 200: json(ProviderPage, 'The page to open within ten minutes.', 'Set-Cookie') },
    failures: {
      403: FRESH_LOGIN,
      404: 'The provider is not configured',
      409: 'The account has the maximum number of logins at providers',
    },
  },
  unlinkProvider: {
    group: 'account',
    summary: 'Unlink a login at a provider',
    description: 'Your account stays, and so do its sessions.',
    path: LOGIN_ID,
    responses: { 200: json(ApiResponse, 'It is unlinked. The message is its ID.') },
    failures: {
      403: FRESH_LOGIN,
      404: 'Login at a provider not found',
      409: 'It is the only way to log in to the account',
    },
  },
  resetPassword: {
    group: 'account',
    summary: 'Set a new password with a reset link',
    description: 'Ends all sessions of the account, and revokes its API keys. A link works once.',
    body: jsonBody(SentPasswordReset),
    responses: { 200: json(PasswordReset, 'The password is set. No session begins: log in with it.') },
    failures: {
      400: 'The link is invalid or has expired; or the password does not meet the password rules, in which case the link still works',
      429: 'Too many attempts',
    },
  },
  requestEmailConfirmation: {
    group: 'account',
    summary: 'Request a link that confirms your e-mail address',
    description:
      'Sent to the `email` of the user; a change of it also sends one. Only a confirmed address receives links for ' +
      'new passwords, and alerts.',
    responses: { 200: OK },
    failures: {
      400: 'The user has no valid e-mail address',
      403: NOT_PROVED,
      409: NO_MAIL,
      429: 'Too many links',
    },
  },
  confirmEmail: {
    group: 'account',
    summary: 'Confirm an e-mail address with a link',
    description: 'The link was sent to the address. It works once.',
    body: jsonBody(SentToken),
    responses: { 200: OK },
    failures: { 400: 'The link is invalid or has expired', 409: NO_MAIL, 429: 'Too many attempts' },
  },
  requestPasswordReset: {
    group: 'account',
    summary: 'Request a link for a new password by e-mail',
    description: 'Sent to every account with this confirmed address. The response is the same if there is none.',
    body: jsonBody(SentEmail),
    responses: { 200: OK },
    failures: { 400: 'Not an e-mail address', 409: NO_MAIL, 429: 'Too many requests' },
  },
} as const satisfies Record<string, OperationDescription>;
