import { Type } from 'typebox';
import { SentRole } from '../../records/account.ts';
import { answer, json, jsonBody, type OperationDescription } from '../format.ts';
import { AUDIT_FILTER, KEY_ID, NAMED_BY_PARAMETER, NAMED_USER, PAGE, USER_FILTER } from '../parameters.ts';
import { Account, Key, ResetLink, Session } from '../../records/account.ts';
import { ApiResponse } from '../../records/api-response.ts';
import { AuditEntry } from '../../records/audit-entry.ts';
import { LAST_ADMIN, NO_USER } from './users.ts';

const DONE = json(ApiResponse, 'It is done; the message is the user name.', 'Cache-Control');
const OF_USER = { group: 'administration', path: NAMED_USER, query: NAMED_BY_PARAMETER } as const;

/** What administrators do with the accounts of others, and where they look when something went wrong. */
export const ADMIN_OPERATIONS = {
  searchUsers: {
    group: 'administration',
    summary: 'Search accounts',
    description: 'In ascending order of `accountId`, in pages.',
    query: { ...USER_FILTER, ...PAGE },
    answers: { 200: json(Type.Array(Account), 'The accounts.', 'Link', 'Cache-Control') },
  },
  getUserAsAdmin: {
    ...OF_USER,
    summary: 'An account, with its role',
    description: 'Returns the account with the fields that only administrators see.',
    answers: { 200: json(Account, 'The account.', 'Cache-Control') },
    failures: { 404: NO_USER },
  },
  setUserRole: {
    ...OF_USER,
    summary: 'Give an account another role',
    description:
      'Takes effect immediately, also for open sessions and API keys. The last administrator cannot lose the role.',
    body: jsonBody(SentRole),
    answers: { 200: json(ApiResponse, 'It holds from now on; the message is the role.', 'Cache-Control') },
    failures: { 404: NO_USER, 409: LAST_ADMIN },
  },
  closeUser: {
    ...OF_USER,
    summary: 'Close an account',
    description: 'Nobody can log in to it any more, its sessions end, its keys rest.',
    answers: { 200: DONE },
    failures: { 404: NO_USER, 409: LAST_ADMIN },
  },
  reopenUser: {
    ...OF_USER,
    summary: 'Reopen an account',
    description: 'The user can log in again. Sessions that ended when the account was closed stay ended.',
    answers: { 200: DONE },
    failures: { 404: NO_USER },
  },
  issueResetLink: {
    ...OF_USER,
    summary: 'Make a link by which a new password can be chosen',
    description:
      'It takes the place of an earlier one for the same account. In secured access without `--public-url`, it is made only for a request whose `Host` is loopback; else the answer is 400.',
    answers: { 200: json(ResetLink, 'The link, which is shown this once.', 'Cache-Control') },
    failures: { 404: NO_USER },
  },
  listUserSessions: {
    ...OF_USER,
    summary: 'Where somebody is logged in',
    description: 'Returns the active sessions of the account with their last use and client.',
    answers: { 200: json(Type.Array(Session), 'The sessions of the account.', 'Cache-Control') },
    failures: { 404: NO_USER },
  },
  endUserSessions: {
    ...OF_USER,
    summary: 'End all sessions of an account',
    description: 'Logs out all browsers and clients of the account. API keys stay valid.',
    answers: { 200: DONE },
    failures: { 404: NO_USER },
  },
  listUserKeys: {
    ...OF_USER,
    summary: 'The API keys of an account',
    description: 'Returns the API keys of the account with their last use and expiry, without the keys themselves.',
    answers: { 200: json(Type.Array(Key), 'The keys, without what gives access.', 'Cache-Control') },
    failures: { 404: NO_USER },
  },
  revokeAnyKey: {
    group: 'administration',
    summary: 'Revoke an API key, whoever it belongs to',
    description: 'The key is invalid from now on and cannot be restored.',
    path: KEY_ID,
    answers: { 200: json(ApiResponse, 'It is revoked; the message is its id.', 'Cache-Control') },
    failures: { 404: 'Key not found' },
  },
  listAuditEntries: {
    group: 'administration',
    summary: 'What was done, by whom, and when',
    description:
      'The newest first, in pages. As `application/x-ndjson` and without `limit` and `cursor`, everything that matches is streamed.',
    query: { ...AUDIT_FILTER, ...PAGE },
    answers: {
      200: answer(
        { 'application/json': Type.Array(AuditEntry), 'application/x-ndjson': AuditEntry },
        'The entries.',
        'Link',
        'Cache-Control',
      ),
    },
  },
} as const satisfies Record<string, OperationDescription>;
