import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Access, Actor, Anonymous } from '../../domain/access.ts';
import { KEY_PREFIX } from '../../domain/accounts/api-key.ts';
import { hourlyLimit } from '../../domain/accounts/rate-limit.ts';
import type { Client } from '../../domain/accounts/session.ts';
import type { Authentication, Digests, Presented } from '../../domain/accounts/authentication.ts';
import type { StartedSession } from '../../domain/accounts/session-start.ts';
import { isOwnName } from '../../domain/accounts/user.ts';
import type { Failure } from '../../domain/failure.ts';
import type { RequestClaim } from '../../domain/request-claim.ts';
import type { Guard, Identify } from './admission.ts';
import { basePathOf } from './base-path.ts';
import { addressOf } from './connections.ts';
import type { Mount } from './mount.ts';
import { policyField } from './rate-limit-fields.ts';

/** Petstore's prefix of the token in a login response. Clients may send the token with or without it. */
export const SESSION_PREFIX = 'logged in user session:';

const TOKEN = /^[\w-]{43}$/;
const KEY = new RegExp(`^${KEY_PREFIX}[\\w-]{43}$`);

export interface SessionCookie {
  name: string;
  path: string;
  secure: boolean;
}

/**
 * Over https, the `__Host-` prefix binds the cookie to this host, and requires the path `/` (RFC 6265bis, section
 * 4.1.3.2). Below another path, the host may have other services, which need not get the cookie.
 */
export function sessionCookie(publicUrl: string | undefined, name = 'menagerie_session'): Readonly<SessionCookie> {
  const secure = publicUrl?.startsWith('https:') ?? false;
  const path = basePathOf(publicUrl) || '/';
  const prefix = secure ? (path === '/' ? '__Host-' : '__Secure-') : '';
  return { name: `${prefix}${name}`, path, secure };
}

/**
 * The cookie of an application below a prefix of the path. Its name differs from that of the application at the root,
 * whose cookie the browser sends as well.
 */
export function mountedSessionCookie(
  publicUrl: string | undefined,
  { path }: Pick<Mount, 'path'>,
): Readonly<SessionCookie> {
  const secure = publicUrl?.startsWith('https:') ?? false;
  return {
    name: `${secure ? '__Secure-' : ''}menagerie_playground_session`,
    secure,
    get path() {
      return basePathOf(publicUrl) + path();
    },
  };
}

/** Sets `request.actor` to the owner of the session or API key. Ignores credentials in other formats. */
export function identifyActor(authentication: Authentication, digestsOf: ReadCredentials): Identify {
  return (request, { identifiesActor }, done) => {
    if (identifiesActor !== true) return done();
    const presented = digestsOf(request);
    if (presented.length === 0) return done();
    const address = addressOf(request);
    const identified = authentication.identify(presented, address);
    if (!(identified instanceof Promise)) {
      request.actor = identified;
      return done();
    }
    identified.then((actor) => {
      request.actor = actor;
      done();
    }, done);
  };
}

export type ReadCredentials = (request: FastifyRequest) => Digests;

interface LastRead {
  authorization: string | undefined;
  apiKey: string | string[] | undefined;
  cookie: string | undefined;
  digests: Digests;
}

const NONE: Digests = [];

/**
 * Reads the credentials of requests. Most requests of a connection have the same ones, so the last digests are cached
 * per connection.
 */
export function readCredentials(authentication: Authentication, sessionCookie: SessionCookie): ReadCredentials {
  const lastReadOf = new WeakMap<Socket, LastRead>();
  return ({ headers, socket }) => {
    const { authorization, api_key: apiKey, cookie } = headers;
    if (authorization === undefined && apiKey === undefined && cookie === undefined) return NONE;
    const last = lastReadOf.get(socket);
    if (last !== undefined && last.authorization === authorization && last.apiKey === apiKey && last.cookie === cookie)
      return last.digests;
    const digests = authentication.digestsOf(presentedBy(headers, sessionCookie));
    lastReadOf.set(socket, { authorization, apiKey, cookie, digests });
    return digests;
  };
}

/**
 * Checks the permission of the operation before the body is read. The use cases check it as well, for other callers and
 * for conditions that only they know. test/http/access-matrix.test.ts compares both checks.
 */
export function requirePermission(access: Access): Guard {
  return (request, _reply, { permission }) => {
    if (permission === undefined) return undefined;
    const actor = actorOf(request);
    const { username } = request.params as { username?: string };
    const isOwn = username !== undefined && 'username' in actor && isOwnName(actor.username, username);
    try {
      access(actor, permission, isOwn);
    } catch (error) {
      return error as Failure;
    }
    return undefined;
  };
}

/** The session tokens and API keys of a request, from all headers in which clients send them. */
function presentedBy(headers: IncomingHttpHeaders, cookie: Pick<SessionCookie, 'name'>): Presented {
  const { authorization, api_key: apiKey } = headers;
  const bearer = authorization === undefined ? undefined : /^bearer +(.+)$/is.exec(authorization)?.[1];
  const key = Array.isArray(apiKey) ? apiKey[0] : apiKey;
  const fromCookie = headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[cookie.name];
  return [bearer, key, fromCookie].flatMap(secretIn);
}

function secretIn(value: string | undefined): Presented {
  if (value === undefined) return [];
  // Some generated clients (Go's) send the JSON string of the login response with its quotation marks.
  const text = /^"(.*)"$/.exec(value)?.[1] ?? value;
  const secret = (text.startsWith(SESSION_PREFIX) ? text.slice(SESSION_PREFIX.length) : text).trim();
  if (TOKEN.test(secret)) return [{ kind: 'session', secret }];
  return KEY.test(secret) ? [{ kind: 'key', secret }] : [];
}

export function cookieSession({ cookie = '' }: IncomingHttpHeaders, { name }: SessionCookie): string | undefined {
  const [found] = secretIn(parseCookie(cookie)[name]);
  return found?.kind === 'session' ? found.secret : undefined;
}

export function setSessionCookie(
  { name, path, secure }: SessionCookie,
  { token, lifetimeMs }: Pick<StartedSession, 'token' | 'lifetimeMs'>,
): string {
  return stringifySetCookie({
    name,
    value: token,
    httpOnly: true,
    sameSite: 'lax',
    path,
    secure,
    maxAge: Math.floor(lifetimeMs / 1000),
  });
}

/** Gives the client of a login its session. */
export function startSession(reply: FastifyReply, session: StartedSession, cookie: SessionCookie): FastifyReply {
  return reply
    .header('set-cookie', setSessionCookie(cookie, session))
    .header('x-expires-after', new Date(session.endsAtMs).toISOString())
    .header('x-rate-limit', session.requestsPerHour)
    .header('ratelimit-policy', policyField(hourlyLimit('requests', session.requestsPerHour)));
}

export function clearSessionCookie({ name, path, secure }: SessionCookie): string {
  return stringifySetCookie({ name, value: '', httpOnly: true, sameSite: 'lax', path, secure, maxAge: 0 });
}

export function actorOf(request: FastifyRequest): Actor {
  const { actor, claimed } = request;
  if (actor === null) return anonymousOf(request);
  return claimed === null || actor.kind === 'operator' ? actor : { ...actor, claim: claimed.begun.claim };
}

/** An anonymous actor, ignoring the credentials of the request. */
export function anonymousOf(request: FastifyRequest): Anonymous {
  return { kind: 'anonymous', address: addressOf(request), ...claimIn(request) };
}

/** The claim for the changes of a request with an idempotency key. */
function claimIn({ claimed }: FastifyRequest): { claim?: RequestClaim } {
  return claimed === null ? {} : { claim: claimed.begun.claim };
}

const MAX_USER_AGENT_LENGTH = 200;

/**
 * The client of a login, for the list of sessions. Control characters are stripped, because a terminal may interpret
 * them.
 */
export function clientOf(request: FastifyRequest): Client {
  const userAgent = request.headers['user-agent']?.replaceAll(/[^\u0020-\u007E]/g, '').slice(0, MAX_USER_AGENT_LENGTH);
  return { address: addressOf(request), userAgent, ...claimIn(request) };
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
  }
}
