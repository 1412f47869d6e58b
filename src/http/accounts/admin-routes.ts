import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  accountText,
  invitationText,
  keyText,
  resetLinkText,
  SentInvitation,
  SentRole,
  sessionText,
} from '../../api/records/account.ts';
import { readInvitation } from '../../api/read-bodies.ts';
import { activityText, recentLogText } from '../../api/records/activity.ts';
import { healthText } from '../../api/records/health.ts';
import { factorsText } from '../../api/records/factors.ts';
import { linkedProvidersText } from '../../api/records/provider.ts';
import { systemText } from '../../api/records/system.ts';
import { auditEntryText } from '../../api/records/audit-entry.ts';
import type { Administration } from '../../domain/accounts/administration.ts';
import type { AccountView } from '../../domain/accounts/own-account.ts';
import type { PasswordReset } from '../../domain/accounts/password-reset.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import type { AuditLog } from '../../domain/accounts/audit-log.ts';
import type { HealthAdministration } from '../../domain/health/health-administration.ts';
import type { ProviderAdministration } from '../../domain/providers/provider-administration.ts';
import type { FactorAdministration } from '../../domain/sign-in/factor-administration.ts';
import type { SystemAdministration } from '../../domain/system.ts';
import type { MailAdministration } from '../../domain/mail/mail-administration.ts';
import { Failure } from '../../domain/failure.ts';
import { parseInt64 } from '../../domain/int64.ts';
import { isLoopbackHost } from '../pipeline/admission.ts';
import { acceptsOf, NDJSON_TYPE, readerLanguageOf } from '../pipeline/negotiation.ts';
import { sendApiResponse, sendJson, sendRecords } from '../pipeline/response.ts';
import { turnClientOf } from '../pipeline/network-turns.ts';
import { readPage, readPageOrFirst, takePage } from '../pipeline/paging.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import { NAMED_BY, readAuditCriteria, readLogFilter, readUserFilter } from '../../api/queries/admin-queries.ts';
import { choiceOf, type Query } from '../../api/queries/query-values.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { usernameOf } from './user-routes.ts';

interface AdminRoutesDeps {
  administration: Administration;
  passwordReset: PasswordReset;
  factorAdministration: FactorAdministration;
  providerAdministration: ProviderAdministration;
  auditLog: AuditLog;
  health: HealthAdministration;
  system: SystemAdministration;
  mailAdministration: MailAdministration;
  baseOf: (request: FastifyRequest) => string;
  /**
   * Whether reset links are issued only to clients that use a loopback host name: in secured access without a public
   * URL.
   */
  onlyLoopbackLinks: boolean;
}

const CHUNK_ENTRIES = 500;

export class AdminRoutes {
  readonly #deps: AdminRoutesDeps;
  readonly #administration: Administration;

  constructor(deps: AdminRoutesDeps) {
    this.#deps = deps;
    this.#administration = deps.administration;
  }

  addTo(add: AddRoute): void {
    add('searchUsers', this.#searchUsers);
    add('inviteUser', this.#inviteUser, SentInvitation);
    add('getUserAsAdmin', this.#getUserAsAdmin);
    add('setUserRole', this.#setUserRole, SentRole);
    add('closeUser', this.#closeUser);
    add('reopenUser', this.#reopenUser);
    add('endUserSessions', this.#endUserSessions);
    add('issueResetLink', this.#issueResetLink);
    add('resendInvitation', this.#resendInvitation);
    add('listUserSessions', this.#listUserSessions);
    add('listUserKeys', this.#listUserKeys);
    add('revokeAnyKey', this.#revokeAnyKey);
    add('getUserFactors', this.#getUserFactors);
    add('resetUserFactors', this.#resetUserFactors);
    add('listUserProviders', this.#listUserProviders);
    add('unlinkUserProvider', this.#unlinkUserProvider);
    add('getSystem', this.#getSystem);
    add('getHealth', this.#getHealth);
    add('checkHealth', this.#checkHealth);
    add('listLogEntries', this.#listLogEntries);
    add('getActivity', this.#getActivity);
    add('listAuditEntries', this.#listAuditEntries);
  }

  readonly #searchUsers: Handler = async (request, reply) => {
    const { limit, lastId = 0n } = readPageOrFirst(request.query);
    const filter = readUserFilter(request.query as Query);
    const users = await takePage<AccountView>(request, reply, {
      limit,
      idOf: ({ id }) => id,
      list: (max) => this.#administration.searchUsers(actorOf(request), filter, { afterId: lastId, limit: max }),
      origin: this.#deps.baseOf(request),
    });
    return sendJson(reply, `[${users.map(accountText).join()}]`);
  };

  readonly #inviteUser: Handler<SentInvitation> = async (request, reply) => {
    this.#requireSafeLinks(request);
    const language = readerLanguageOf(request.headers);
    const link = await this.#deps.passwordReset.invite(actorOf(request), readInvitation(request.body), language);
    return sendJson(reply, invitationText(link, this.#deps.baseOf(request)));
  };

  readonly #getUserAsAdmin: Handler = async (request, reply) => {
    const user = await this.#administration.getUser(actorOf(request), await this.#usernameIn(request));
    return sendJson(reply, accountText(user));
  };

  readonly #setUserRole: Handler<SentRole> = async (request, reply) => {
    await this.#administration.setRole(actorOf(request), await this.#usernameIn(request), request.body.role);
    return sendApiResponse(reply, request.body.role);
  };

  readonly #closeUser: Handler = async (request, reply) => {
    const username = await this.#usernameIn(request);
    await this.#administration.closeUser(actorOf(request), username);
    return sendApiResponse(reply, username);
  };

  readonly #reopenUser: Handler = async (request, reply) => {
    const username = await this.#usernameIn(request);
    await this.#administration.reopenUser(actorOf(request), username);
    return sendApiResponse(reply, username);
  };

  readonly #endUserSessions: Handler = async (request, reply) => {
    const username = await this.#usernameIn(request);
    await this.#administration.endSessions(actorOf(request), username);
    return sendApiResponse(reply, username);
  };

  readonly #issueResetLink: Handler = async (request, reply) => {
    const { passwordReset, baseOf } = this.#deps;
    this.#requireSafeLinks(request);
    const link = await passwordReset.issueLink(actorOf(request), await this.#usernameIn(request));
    return sendJson(reply, resetLinkText(link, baseOf(request)));
  };

  readonly #resendInvitation: Handler = async (request, reply) => {
    const username = await this.#usernameIn(request);
    const language = readerLanguageOf(request.headers);
    await this.#deps.passwordReset.resendInvitation(actorOf(request), username, language);
    return sendApiResponse(reply, username);
  };

  readonly #listUserSessions: Handler = async (request, reply) => {
    const sessions = await this.#administration.listSessions(actorOf(request), await this.#usernameIn(request));
    return sendJson(reply, `[${sessions.map(sessionText).join()}]`);
  };

  readonly #listUserKeys: Handler = async (request, reply) => {
    const keys = await this.#administration.listKeys(actorOf(request), await this.#usernameIn(request));
    return sendJson(reply, `[${keys.map(keyText).join()}]`);
  };

  readonly #revokeAnyKey: Handler = async (request, reply) => {
    const { keyId } = request.params as { keyId: string };
    await this.#administration.revokeKey(actorOf(request), keyId);
    return sendApiResponse(reply, keyId);
  };

  readonly #getUserFactors: Handler = async (request, reply) => {
    const username = await this.#usernameIn(request);
    return sendJson(reply, factorsText(await this.#deps.factorAdministration.get(actorOf(request), username)));
  };

  readonly #resetUserFactors: Handler = async (request, reply) => {
    const username = await this.#usernameIn(request);
    await this.#deps.factorAdministration.reset(actorOf(request), username);
    return sendApiResponse(reply, username);
  };

  readonly #listUserProviders: Handler = async (request, reply) => {
    const logins = await this.#deps.providerAdministration.list(actorOf(request), await this.#usernameIn(request));
    return sendJson(reply, linkedProvidersText(logins));
  };

  readonly #unlinkUserProvider: Handler = async (request, reply) => {
    const { loginId } = request.params as { loginId: string };
    const username = await this.#usernameIn(request);
    await this.#deps.providerAdministration.unlink(actorOf(request), username, loginId);
    return sendApiResponse(reply, username);
  };

  readonly #getSystem: Handler = async (request, reply) => {
    const actor = actorOf(request);
    const { system, mailAdministration } = this.#deps;
    return sendJson(reply, systemText(await system.get(actor), await mailAdministration.readState(actor)));
  };

  readonly #getHealth: Handler = async (request, reply) =>
    sendJson(reply, healthText(await this.#deps.health.get(actorOf(request))));

  readonly #checkHealth: Handler = async (request, reply) =>
    sendJson(reply, healthText(await this.#deps.health.start(actorOf(request))));

  readonly #listLogEntries: Handler = async (request, reply) => {
    const filter = readLogFilter(request.query as Query);
    const list = async () => this.#deps.system.listLogEntries(actorOf(request), filter);
    return sendJson(reply, recentLogText(await reply.server.recordTurns.take(turnClientOf(request, reply), list)));
  };

  readonly #getActivity: Handler = async (request, reply) =>
    sendJson(reply, activityText(this.#deps.system.getActivity(actorOf(request))));

  readonly #listAuditEntries: Handler = async (request, reply) => {
    const criteria = readAuditCriteria(request.query as Query);
    const list = (beforeId: bigint | undefined, limit: number) =>
      this.#deps.auditLog.listEntries(actorOf(request), criteria, { beforeId, limit });
    const isStream = acceptsOf(request.headers).ndjson;
    if (isStream && readPage(request.query) === undefined) return sendAllLines(request, reply, list);
    const { limit, lastId } = readPageOrFirst(request.query);
    const entries = await takePage<AuditEntry>(request, reply, {
      limit,
      idOf: ({ id }) => id,
      list: (max) => list(lastId, max),
      origin: this.#deps.baseOf(request),
    });
    const texts = entries.map(auditEntryText);
    return isStream
      ? sendJson(reply, texts.map((text) => `${text}\n`).join(''), NDJSON_TYPE)
      : sendJson(reply, `[${texts.join()}]`);
  };

  /** A proxy or a cache may forward a Host header chosen by an attacker. A link would send the token to that host. */
  #requireSafeLinks(request: FastifyRequest): void {
    if (this.#deps.onlyLoopbackLinks && !isLoopbackHost(request)) throw publicUrlNeeded();
  }

  /**
   * The user name of the account in the path, which may also be given by its `accountId`.
   * @throws Failure `not-found`, `invalid-input`
   */
  async #usernameIn(request: FastifyRequest): Promise<string> {
    const username = usernameOf(request);
    if (choiceOf(request.query as Query, 'by', NAMED_BY) !== 'accountId') return username;
    return this.#administration.getUsername(actorOf(request), readAccountId(username));
  }
}

function readAccountId(text: string): bigint {
  const id = parseInt64(text);
  if (id === undefined) throw new Failure('invalid-input', 'Invalid ID supplied');
  return id;
}

function publicUrlNeeded(): Failure {
  return new Failure(
    'invalid-input',
    'A reset link requires the public URL of the service. Start it with --public-url, such as --public-url ' +
      'https://pets.example.org.',
  );
}

type ListEntries = (beforeId: bigint | undefined, limit: number) => ReturnType<AuditLog['listEntries']>;

/** Sends all matching entries, one per line, in chunks. */
async function sendAllLines(request: FastifyRequest, reply: FastifyReply, list: ListEntries): Promise<FastifyReply> {
  // Failures, such as a missing permission, come before the beginning of the stream.
  const first = await reply.server.recordTurns.take(turnClientOf(request, reply), () => list(undefined, CHUNK_ENTRIES));
  reply.header('content-type', NDJSON_TYPE);
  return sendRecords(request, reply, linesOf(first, list));
}

async function* linesOf(first: readonly AuditEntry[], list: ListEntries): AsyncGenerator<string> {
  for (let chunk = first; chunk.length > 0;) {
    yield chunk.map((entry) => `${auditEntryText(entry)}\n`).join('');
    const last = chunk.at(-1);
    chunk = last === undefined || chunk.length < CHUNK_ENTRIES ? [] : await list(last.id, CHUNK_ENTRIES);
  }
}
