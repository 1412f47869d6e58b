import { Type } from 'typebox';
import { SentKey, SentPasswordChange, SentPasswordReset } from '../../records/account.ts';
import { json, jsonBody, type OperationDescription } from '../format.ts';
import { KEY_ID, SESSION_ID } from '../parameters.ts';
import { Account, CreatedKey, Key, Session } from '../../records/account.ts';
import { ApiResponse } from '../../records/api-response.ts';

const OK = json(ApiResponse, 'It is done. The message is `ok`.', 'Cache-Control');

/** What people do with their own account. A session is needed, in every mode of access. */
export const ACCOUNT_OPERATIONS = {
  getAccount: {
    group: 'account',
    summary: 'Your account, with its role',
    description: 'Returns the account of the session.',
    answers: { 200: json(Account, 'The account of whoever asks.', 'Cache-Control') },
    failures: { 404: 'User not found' },
  },
  changePassword: {
    group: 'account',
    summary: 'Choose another password',
    description: 'All other sessions of the account end. Its API keys are revoked, unless `revokeKeys` is `false`.',
    body: jsonBody(SentPasswordChange),
    answers: { 200: OK },
    failures: {
      400: 'The old password is not right, or the new one is not good enough',
      404: 'User not found',
      409: 'The password was changed by somebody else in this very moment. Nothing was stored.',
      429: 'Too many attempts',
    },
  },
  listSessions: {
    group: 'account',
    summary: 'Where you are logged in',
    description: 'Returns the active sessions of the account with their last use and client.',
    answers: { 200: json(Type.Array(Session), 'Your sessions.', 'Cache-Control') },
  },
  endOtherSessions: {
    group: 'account',
    summary: 'End all your sessions but the one that asks',
    description: 'Logs out all other browsers and clients of the account. API keys stay valid.',
    answers: { 200: OK },
  },
  endSession: {
    group: 'account',
    summary: 'End one of your sessions',
    description: 'Logs out one browser or client. Takes effect immediately.',
    path: SESSION_ID,
    answers: { 200: json(ApiResponse, 'It is over; the message is its id.', 'Cache-Control') },
    failures: { 404: 'Session not found' },
  },
  listKeys: {
    group: 'account',
    summary: 'Your API keys',
    description: 'Returns the API keys of the account with their last use and expiry, without the keys themselves.',
    answers: { 200: json(Type.Array(Key), 'Your keys, without what gives access.', 'Cache-Control') },
  },
  createKey: {
    group: 'account',
    summary: 'Make an API key',
    description:
      'It never allows what the role of your account does not. Without `expiresInDays` it lives for 90 days. In secured access, `password` is required when you logged in more than 15 minutes ago.',
    body: jsonBody(SentKey),
    answers: { 200: json(CreatedKey, 'The key, which is shown this once.', 'Cache-Control') },
    failures: {
      403: 'The login is more than 15 minutes old, and `password` is missing or wrong; or the account, the page or the host may not do this',
      409: 'The account has as many keys as it may, or is gone',
      429: 'Too many requests, or too many attempts with a wrong password',
    },
  },
  revokeKey: {
    group: 'account',
    summary: 'Revoke one of your API keys',
    description: 'The key is invalid from now on and cannot be restored.',
    path: KEY_ID,
    answers: { 200: json(ApiResponse, 'It is revoked; the message is its id.', 'Cache-Control') },
    failures: { 404: 'Key not found' },
  },
  resetPassword: {
    group: 'account',
    summary: 'Choose a new password with a reset link',
    description: 'All sessions of the account end, and its API keys are revoked.',
    body: jsonBody(SentPasswordReset),
    answers: { 200: OK },
    failures: {
      400: 'The link is not valid, or not any more; or the password is not good enough, and then the link still works',
      429: 'Too many attempts',
    },
  },
} as const satisfies Record<string, OperationDescription>;
