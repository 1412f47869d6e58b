import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Access, Actor, Anonymous } from '../../domain/access.ts';
import { KEY_PREFIX } from '../../domain/accounts/api-key.ts';
import type { Client } from '../../domain/accounts/session.ts';
import type { Digests, Presented, Authentication, StartedSession } from '../../domain/accounts/authentication.ts';
import { isOwnName } from '../../domain/accounts/user.ts';
import type { Failure } from '../../domain/failure.ts';
import type { RequestClaim } from '../../domain/idempotency/request-claim.ts';
import type { Guard, Identify } from '../admission.ts';
import { addressOf } from '../client-address.ts';

/** What Petstore writes before the token in the answer to a login; clients that send the whole answer back are understood. */
export const SESSION_PREFIX = 'logged in user session:';

const TOKEN = /^[\w-]{43}$/;
const KEY = new RegExp(`^${KEY_PREFIX}[\\w-]{43}$`);

/** The name and the attributes of the session cookie. */
export interface SessionCookie {
  name: string;
  secure: boolean;
}

/** Over https the cookie is bound to this very host: the `__Host-` prefix (RFC 6265bis, section 4.1.3.2). */
export function sessionCookie(publicUrl: string | undefined): SessionCookie {
  const secure = publicUrl?.startsWith('https:') ?? false;
  return { name: secure ? '__Host-menagerie_session' : 'menagerie_session', secure };
}

/** Finds out who is asking, and leaves it in `request.actor`. Clients' stray credentials harm nobody: what is no token of ours is none. */
export function identifyActor(authentication: Authentication, digestsOf: ReadCredentials): Identify {
  return (request, { asksWho }, done) => {
    if (asksWho !== true) return done();
    const presented = digestsOf(request);
    if (presented.length === 0) return done();
    const address = addressOf(request);
    const known = authentication.identifyAtOnce(presented, address);
    if (known !== undefined) {
      request.actor = known;
      return done();
    }
    authentication.identify(presented, address).then((actor) => {
      request.actor = actor;
      done();
    }, done);
  };
}

/** What a request shows of who sends it. */
export type ReadCredentials = (request: FastifyRequest) => Digests;

interface LastRead {
  authorization: string | undefined;
  apiKey: string | string[] | undefined;
  cookie: string | undefined;
  digests: Digests;
}

const NOTHING: Digests = [];

/**
 * Reads the credentials of requests. A connection sends the same ones again and again: what they came to is kept as long as the connection is,
 * and no longer.
 */
export function readCredentials(authentication: Authentication, sessionCookie: SessionCookie): ReadCredentials {
  const lastReadOf = new WeakMap<Socket, LastRead>();
  return ({ headers, socket }) => {
    const { authorization, api_key: apiKey, cookie } = headers;
    if (authorization === undefined && apiKey === undefined && cookie === undefined) return NOTHING;
    const last = lastReadOf.get(socket);
    if (last !== undefined && last.authorization === authorization && last.apiKey === apiKey && last.cookie === cookie)
      return last.digests;
    const digests = authentication.digestsOf(presentedBy(headers, sessionCookie));
    lastReadOf.set(socket, { authorization, apiKey, cookie, digests });
    return digests;
  };
}

/** Who may not do what the operation is for is told so before the body is taken in. */
export function refuseUnentitled(access: Access): Guard {
  return (request, _reply, { needs }) => {
    if (needs === undefined) return undefined;
    const actor = actorOf(request);
    const { username } = request.params as { username?: string };
    const isOwn = username !== undefined && 'username' in actor && isOwnName(actor.username, username);
    try {
      access(actor, needs, isOwn);
    } catch (error) {
      return error as Failure;
    }
    return undefined;
  };
}

/** The session tokens and keys of a request, wherever clients put them. */
function presentedBy(headers: IncomingHttpHeaders, cookie: SessionCookie): Presented {
  const { authorization, api_key: apiKey } = headers;
  const bearer = authorization === undefined ? undefined : /^bearer +(.+)$/is.exec(authorization)?.[1];
  const key = Array.isArray(apiKey) ? apiKey[0] : apiKey;
  const fromCookie = headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[cookie.name];
  return [bearer, key, fromCookie].flatMap(secretIn);
}

function secretIn(value: string | undefined): Presented {
  if (value === undefined) return [];
  // Some generated clients (Go's) hand on a JSON string as they got it, with its quote marks.
  const text = /^"(.*)"$/.exec(value)?.[1] ?? value;
  const secret = (text.startsWith(SESSION_PREFIX) ? text.slice(SESSION_PREFIX.length) : text).trim();
  if (TOKEN.test(secret)) return [{ kind: 'session', secret }];
  return KEY.test(secret) ? [{ kind: 'key', secret }] : [];
}

/** The token of the session that the browser has. */
export function cookieSession({ cookie = '' }: IncomingHttpHeaders, { name }: SessionCookie): string | undefined {
  const [found] = secretIn(parseCookie(cookie)[name]);
  return found?.kind === 'session' ? found.secret : undefined;
}

export function setSessionCookie({ name, secure }: SessionCookie, { token, lifetimeMs }: StartedSession): string {
  return stringifySetCookie({
    name,
    value: token,
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure,
    maxAge: Math.floor(lifetimeMs / 1000),
  });
}

export function clearSessionCookie({ name, secure }: SessionCookie): string {
  return stringifySetCookie({ name, value: '', httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge: 0 });
}

export function actorOf(request: FastifyRequest): Actor {
  const { actor, inHand } = request;
  if (actor === null) return anonymousOf(request);
  return inHand === null || actor.kind === 'operator' ? actor : { ...actor, claim: inHand.claim };
}

/** Somebody of whom nothing matters but where they are. */
export function anonymousOf(request: FastifyRequest): Anonymous {
  return { kind: 'anonymous', address: addressOf(request), ...claimIn(request) };
}

/** What the changes of a request with an idempotency key carry. */
function claimIn({ inHand }: FastifyRequest): { claim?: RequestClaim } {
  return inHand === null ? {} : { claim: inHand.claim };
}

const MAX_USER_AGENT_LENGTH = 200;

/** Where somebody logs in from, as it is shown to them later: what a terminal or a page might take for a command is left out. */
export function clientOf(request: FastifyRequest): Client {
  const userAgent = request.headers['user-agent']?.replaceAll(/[^\u0020-\u007E]/g, '').slice(0, MAX_USER_AGENT_LENGTH);
  return { address: addressOf(request), userAgent, ...claimIn(request) };
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
  }
}
