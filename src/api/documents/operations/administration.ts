import { Factors } from '../../records/factors.ts';
import { NOT_PROVED } from './sign-in.ts';
import { SentInvitation, SentMailTest, SentRole } from '../../records/account.ts';
import { MAX_DEAD_MAIL } from '../../../domain/mail/mail.ts';
import * as Type from '../../records/type.ts';
import { response, json, jsonBody, type OperationDescription } from '../parts/format.ts';
import {
  AUDIT_FILTER,
  KEY_ID,
  LOG_FILTER,
  LOGIN_ID,
  MAIL_ID,
  NAMED_BY_PARAMETER,
  NAMED_USER,
  PAGE,
  USER_FILTER,
} from '../parts/parameters.ts';
import { Account, Invitation, Key, ResetLink, Session } from '../../records/account.ts';
import { ApiResponse } from '../../records/api-response.ts';
import { Activity, RecentLog } from '../../records/activity.ts';
import { Health } from '../../records/health.ts';
import { AuditEntry } from '../../records/audit-entry.ts';
import { LinkedProvider } from '../../records/provider.ts';
import { DeadMail, MailTest, System } from '../../records/system.ts';
import { LAST_ADMIN, NAME_TAKEN, NO_USER } from './users.ts';

const NO_MAIL = 'The service sends no e-mail';
const NO_MESSAGE = 'No such message, or it waits to be sent';
const DONE = json(ApiResponse, 'Success. The message is the user name.');
const OF_USER = { group: 'administration', path: NAMED_USER, query: NAMED_BY_PARAMETER } as const;

/** Users and the audit log, for administrators. */
export const ADMIN_OPERATIONS = {
  searchUsers: {
    group: 'administration',
    summary: 'Search users',
    description:
      'Returns matching users in ascending order of `accountId`, in pages. Without filters, returns all users.',
    query: { ...USER_FILTER, ...PAGE },
    responses: { 200: json(Type.Array(Account), 'The users.', 'Link') },
  },
  inviteUser: {
    group: 'administration',
    summary: 'Invite a user',
    description:
      'Creates a user without a password, and a link with which the user chooses one, under the same conditions as ' +
      '`issueResetLink`. `invitation` of the user is `pending` until then. If the service sends e-mail, the link is ' +
      'sent to `email`, which its use confirms, and is not in the response.',
    body: jsonBody(SentInvitation),
    responses: { 200: json(Invitation, 'The invitation. It is shown only once.', 'Cache-Control') },
    failures: { 403: NOT_PROVED, 409: NAME_TAKEN },
  },
  resendInvitation: {
    ...OF_USER,
    summary: 'Send an invitation again',
    description: 'To the e-mail address of the user. The link of an earlier message no longer works.',
    responses: { 200: DONE },
    failures: {
      403: NOT_PROVED,
      404: NO_USER,
      409: 'The service sends no e-mail, or the user has accepted the invitation',
    },
  },
  getUserAsAdmin: {
    ...OF_USER,
    summary: 'Get a user with administrative fields',
    description: 'Returns the user with role, status and `accountId`.',
    responses: { 200: json(Account, 'The user.') },
    failures: { 404: NO_USER },
  },
  setUserRole: {
    ...OF_USER,
    summary: 'Set the role of a user',
    description:
      'Takes effect immediately, also for existing sessions and API keys. The last administrator who can log in ' +
      'keeps the role: 409.',
    body: jsonBody(SentRole),
    responses: { 200: json(ApiResponse, 'The role is set. The message is the role.') },
    failures: { 403: NOT_PROVED, 404: NO_USER, 409: LAST_ADMIN },
  },
  closeUser: {
    ...OF_USER,
    summary: 'Close a user account',
    description:
      'The user cannot log in any more. All sessions end, and API keys are disabled until the account is ' +
      'reopened. The last administrator who can log in cannot be closed: 409.',
    responses: { 200: DONE },
    failures: { 403: NOT_PROVED, 404: NO_USER, 409: LAST_ADMIN },
  },
  reopenUser: {
    ...OF_USER,
    summary: 'Reopen a user account',
    description: 'The user can log in again, and API keys that have not expired work again. Sessions stay ended.',
    responses: { 200: DONE },
    failures: { 403: NOT_PROVED, 404: NO_USER },
  },
  issueResetLink: {
    ...OF_USER,
    summary: 'Create a password reset link',
    description:
      'Replaces an earlier link of the same user. In secured access without `--public-url`, a link is created ' +
      'only for requests with a loopback `Host`; others receive 400.',
    responses: { 200: json(ResetLink, 'The reset link. It is shown only once.') },
    failures: { 403: NOT_PROVED, 404: NO_USER },
  },
  listUserSessions: {
    ...OF_USER,
    summary: 'List the sessions of a user',
    description: 'Returns the active sessions of the user with their last use and client.',
    responses: { 200: json(Type.Array(Session), 'The sessions.') },
    failures: { 404: NO_USER },
  },
  endUserSessions: {
    ...OF_USER,
    summary: 'End all sessions of a user',
    description: 'Logs out all browsers and clients of the user. API keys stay valid.',
    responses: { 200: DONE },
    failures: { 404: NO_USER },
  },
  listUserKeys: {
    ...OF_USER,
    summary: 'List the API keys of a user',
    description: 'Returns the API keys of the user with their last use and expiry, without the keys themselves.',
    responses: { 200: json(Type.Array(Key), 'The API keys, without the keys themselves.') },
    failures: { 404: NO_USER },
  },
  getUserFactors: {
    ...OF_USER,
    summary: 'Get the second factors of a user',
    description: 'For administrators who help a user to log in.',
    responses: { 200: json(Factors, 'The factors, without their secrets.') },
    failures: { 404: NO_USER },
  },
  resetUserFactors: {
    ...OF_USER,
    summary: 'Reset the second factors of a user',
    description:
      'For a user who has lost them. Deletes passkeys, one-time codes and recovery codes, ends the sessions of the ' +
      'user, and tells the owner by e-mail.',
    responses: { 200: DONE },
    failures: {
      403: NOT_PROVED,
      404: NO_USER,
      409: 'This is the only administrator who can log in, and only with passkeys',
    },
  },
  listUserProviders: {
    ...OF_USER,
    summary: 'List the logins at providers of a user',
    description: 'The providers at which the user can log in.',
    responses: { 200: json(Type.Array(LinkedProvider), 'The logins, oldest first.') },
    failures: { 404: NO_USER },
  },
  unlinkUserProvider: {
    ...OF_USER,
    path: { ...OF_USER.path, ...LOGIN_ID },
    summary: 'Unlink a login at a provider from a user',
    description:
      'Ends the sessions of the user, and tells the owner by e-mail. If it was the only way to log in, the user needs a ' +
      'reset link.',
    responses: { 200: DONE },
    failures: { 403: NOT_PROVED, 404: 'User or login not found' },
  },
  revokeAnyKey: {
    group: 'administration',
    summary: 'Revoke an API key of any user',
    description: 'The key stops working immediately, and cannot be restored.',
    path: KEY_ID,
    responses: { 200: json(ApiResponse, 'The key is revoked. The message is its ID.') },
    failures: { 404: 'API key not found' },
  },
  getHealth: {
    group: 'administration',
    summary: 'Get the health of the data',
    description:
      'Returns the findings of the last check of this node, and the progress of a running one. `menagerie ' +
      'doctor` runs the same checks, and repairs. The servers of the database are described as they are now.',
    responses: { 200: json(Health, 'The health.') },
  },
  checkHealth: {
    group: 'administration',
    summary: 'Check the health of the data',
    description:
      'Starts a check of the database, the stored photos and the data folder in the background, unless one is ' +
      'running. It does not read the content of photos, and changes nothing.',
    responses: { 200: json(Health, 'The check is running.') },
  },
  listLogEntries: {
    group: 'administration',
    summary: 'List the last entries of the log',
    description:
      'Those of the node that responds, of the last hour, in at most 1 MiB of its memory. They have the message and ' +
      'the fields of the log, but of an error only its name and code, because its message may contain data.',
    query: LOG_FILTER,
    responses: { 200: json(RecentLog, 'The entries.') },
  },
  getActivity: {
    group: 'administration',
    summary: 'Get the activity of a day',
    description:
      'The values of each complete minute of the last 24 hours, of the node that responds, since its start. They are ' +
      'in its memory, and computed from the counters of its metrics.',
    responses: { 200: json(Activity, 'The activity. The lists are of equal length, the oldest minute first.') },
  },
  testMail: {
    group: 'administration',
    summary: 'Send a test message',
    description: 'Sends it now, and returns the response of the SMTP server.',
    body: jsonBody(SentMailTest),
    responses: { 200: json(MailTest, 'The outcome.') },
    failures: { 409: NO_MAIL },
  },
  retryWaitingMail: {
    group: 'administration',
    summary: 'Try the messages that wait now',
    description: 'Without waiting for the times of their next attempts.',
    responses: { 200: json(ApiResponse, 'Success. The message is `ok`.') },
    failures: { 409: NO_MAIL },
  },
  listDeadMail: {
    group: 'administration',
    summary: 'List the messages that could not be sent',
    description: `Those of the last 14 days, at most ${MAX_DEAD_MAIL}, the newest first.`,
    responses: { 200: json(Type.Array(DeadMail), 'The messages.') },
  },
  retryDeadMail: {
    group: 'administration',
    summary: 'Try a message again',
    description: 'As often as a new one. Its links are new.',
    path: MAIL_ID,
    responses: { 200: json(ApiResponse, 'The message waits to be sent.') },
    failures: { 404: NO_MESSAGE, 409: NO_MAIL },
  },
  deleteDeadMail: {
    group: 'administration',
    summary: 'Delete a message that could not be sent',
    description: 'It is not sent.',
    path: MAIL_ID,
    responses: { 200: json(ApiResponse, 'The message is deleted.') },
    failures: { 404: NO_MESSAGE },
  },
  getSystem: {
    group: 'administration',
    summary: 'Get the state of the system',
    description:
      'Returns versions, settings with their sources, background jobs and recent errors of this node. Secrets ' +
      'are masked.',
    responses: { 200: json(System, 'The state.') },
  },
  listAuditEntries: {
    group: 'administration',
    summary: 'List audit log entries',
    description:
      'Returns matching entries, newest first, in pages. With `Accept: application/x-ndjson` and without `limit` ' +
      'and `cursor`, all matching entries are streamed.',
    query: { ...AUDIT_FILTER, ...PAGE },
    responses: {
      200: response(
        { 'application/json': Type.Array(AuditEntry), 'application/x-ndjson': AuditEntry },
        'The entries.',
        'Link',
        'Cache-Control',
      ),
    },
  },
} as const satisfies Record<string, OperationDescription>;
