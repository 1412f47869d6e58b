import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accountText, auditEntryText, keyText, resetLinkText, sessionText } from '../../api/account-views.ts';
import { SentRole } from '../../api/account-schemas.ts';
import type { Administration } from '../../domain/accounts/administration.ts';
import type { AccountView } from '../../domain/accounts/own-account.ts';
import type { PasswordReset } from '../../domain/accounts/password-reset.ts';
import type { Actor } from '../../domain/access.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import type { AuditTrail } from '../../domain/audit-trail.ts';
import { Failure } from '../../domain/failure.ts';
import { parseInt64 } from '../../domain/int64.ts';
import { nothing, sendApiResponse, sendChunks, sendJson } from '../answer.ts';
import { isLoopbackHost } from '../guards.ts';
import { acceptsOf, NDJSON_TYPE } from '../negotiation.ts';
import { demandPage, readPage, takePage } from '../paging.ts';
import type { AddRoute, Handler } from '../routes.ts';
import { NAMED_BY, readAuditQuestion, readUserFilter } from '../../api/admin-queries.ts';
import { choiceOf, type Query } from '../../api/query-values.ts';
import { actorOf } from './identify-actor.ts';
import { usernameOf } from './user-routes.ts';

export interface AdminRoutesNeeds {
  administration: Administration;
  passwordReset: PasswordReset;
  auditTrail: AuditTrail;
  /** Where the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
  /** In secured access without a public URL. */
  onlyLoopbackLinks: boolean;
}

const CHUNK_ENTRIES = 500;

/** What administrators do with the accounts of others, and where they look when something went wrong. */
export function addAdminRoutes(add: AddRoute, needs: AdminRoutesNeeds): void {
  const { administration, passwordReset, auditTrail, baseOf, onlyLoopbackLinks } = needs;

  /** The name of the account that the path names; with `by=accountId`, by its `accountId`. @throws Failure `not-found` */
  async function namedIn(request: FastifyRequest): Promise<string> {
    const username = usernameOf(request);
    if (choiceOf(request.query as Query, 'by', NAMED_BY) !== 'accountId') return username;
    return administration.getUsername(actorOf(request), readAccountId(username));
  }

  /** Does something with the account that the path names, and answers its name. */
  function withUser(change: (actor: Actor, username: string) => Promise<void>): Handler {
    return async (request, reply) => {
      const username = await namedIn(request);
      await change(actorOf(request), username);
      return sendApiResponse(reply, username);
    };
  }

  add('searchUsers', async (request, reply) => {
    const { limit, lastId = 0n } = demandPage(request.query);
    const filter = readUserFilter(request.query as Query);
    const users = await takePage<AccountView>(request, reply, {
      limit,
      idOf: ({ id }) => id,
      list: (most) => administration.searchUsers(actorOf(request), filter, { afterId: lastId, limit: most }),
      origin: baseOf(request),
    });
    return sendJson(reply, `[${users.map(accountText).join()}]`);
  });

  add('getUserAsAdmin', async (request, reply) =>
    sendJson(reply, accountText(await administration.getUser(actorOf(request), await namedIn(request)))),
  );

  add(
    'setUserRole',
    async (request, reply) => {
      await administration.setRole(actorOf(request), await namedIn(request), request.body.role);
      return sendApiResponse(reply, request.body.role);
    },
    SentRole,
  );

  add(
    'closeUser',
    withUser((actor, username) => administration.closeUser(actor, username)),
  );
  add(
    'reopenUser',
    withUser((actor, username) => administration.reopenUser(actor, username)),
  );
  add(
    'endUserSessions',
    withUser((actor, username) => administration.endSessions(actor, username)),
  );

  add('issueResetLink', async (request, reply) => {
    // A proxy or a cache may pass on a Host header of a stranger's choice: the link would hand the token to that host.
    if (onlyLoopbackLinks && !isLoopbackHost(request)) throw publicUrlNeeded();
    const link = await passwordReset.issueLink(actorOf(request), await namedIn(request));
    return sendJson(reply, resetLinkText(link, baseOf(request)));
  });

  add('listUserSessions', async (request, reply) => {
    const sessions = await administration.listSessions(actorOf(request), await namedIn(request));
    return sendJson(reply, `[${sessions.map(sessionText).join()}]`);
  });

  add('listUserKeys', async (request, reply) => {
    const keys = await administration.listKeys(actorOf(request), await namedIn(request));
    return sendJson(reply, `[${keys.map(keyText).join()}]`);
  });

  add('revokeAnyKey', async (request, reply) => {
    const { keyId } = request.params as { keyId: string };
    await administration.revokeKey(actorOf(request), keyId);
    return sendApiResponse(reply, keyId);
  });

  add('listAuditEntries', async (request, reply) => {
    const question = readAuditQuestion(request.query as Query);
    const list = (beforeId: bigint | undefined, limit: number) =>
      auditTrail.listEntries(actorOf(request), question, { beforeId, limit });
    const isStream = acceptsOf(request.headers).ndjson;
    if (isStream && readPage(request.query) === undefined) return sendAllLines(request, reply, list);
    const { limit, lastId } = demandPage(request.query);
    const entries = await takePage<AuditEntry>(request, reply, {
      limit,
      idOf: ({ id }) => id,
      list: (most) => list(lastId, most),
      origin: baseOf(request),
    });
    const texts = entries.map(auditEntryText);
    return isStream
      ? sendJson(reply, texts.map((text) => `${text}\n`).join(''), NDJSON_TYPE)
      : sendJson(reply, `[${texts.join()}]`);
  });
}

function readAccountId(text: string): bigint {
  const id = parseInt64(text);
  if (id === undefined) throw new Failure('invalid-input', 'Invalid ID supplied');
  return id;
}

function publicUrlNeeded(): Failure {
  return new Failure(
    'invalid-input',
    'A reset link needs the public address of the service: start it with --public-url https://pets.example.org (your own address).',
  );
}

type ListEntries = (beforeId: bigint | undefined, limit: number) => ReturnType<AuditTrail['listEntries']>;

/** Everything that matches, one entry per line, in chunks. */
async function sendAllLines(request: FastifyRequest, reply: FastifyReply, list: ListEntries): Promise<FastifyReply> {
  const first = await list(undefined, CHUNK_ENTRIES);
  reply.header('content-type', NDJSON_TYPE);
  return request.method === 'HEAD' ? reply.send(nothing()) : sendChunks(reply, linesOf(first, list));
}

async function* linesOf(first: readonly AuditEntry[], list: ListEntries): AsyncGenerator<string> {
  for (let chunk = first; chunk.length > 0;) {
    yield chunk.map((entry) => `${auditEntryText(entry)}\n`).join('');
    const last = chunk.at(-1);
    // A client that reads fast would otherwise keep the event loop for itself.
    await nextTurn();
    chunk = last === undefined || chunk.length < CHUNK_ENTRIES ? [] : await list(last.id, CHUNK_ENTRIES);
  }
}
