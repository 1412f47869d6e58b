import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { NOBODY, type Caller, type SignIn, type StartedSession } from '../../domain/accounts/sign-in.ts';
import type { Guard } from '../guards.ts';

/** What Petstore writes before the token in the answer to a login; clients that send the whole answer back are understood. */
export const SESSION_PREFIX = 'logged in user session:';

const TOKEN = /^[\w-]{43}$/;

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

/** Finds out who is asking, and leaves it in `request.caller`. Clients' stray credentials harm nobody: what is no token of ours is none. */
export function identifyCaller(signIn: SignIn, cookie: SessionCookie): Guard {
  return (request, _reply, done) => {
    if (request.routeOptions.config.asksWho !== true) return done();
    const tokens = presentedTokens(request.headers, cookie);
    if (tokens.length === 0) return done();
    signIn.identify(tokens).then((caller) => {
      request.caller = caller;
      done();
    }, done);
  };
}

/** The session tokens of a request, wherever clients put them. */
export function presentedTokens(headers: IncomingHttpHeaders, { name }: SessionCookie): readonly string[] {
  const { authorization, api_key: apiKey, cookie } = headers;
  if (authorization === undefined && apiKey === undefined && cookie === undefined) return [];
  const bearer = authorization === undefined ? undefined : /^bearer +(.+)$/i.exec(authorization)?.[1];
  const key = Array.isArray(apiKey) ? apiKey[0] : apiKey;
  const fromCookie = cookie === undefined ? undefined : parseCookie(cookie)[name];
  return [bearer, key, fromCookie]
    .filter((value) => value !== undefined)
    .map((value) => (value.startsWith(SESSION_PREFIX) ? value.slice(SESSION_PREFIX.length) : value).trim())
    .filter((value) => TOKEN.test(value));
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

export function callerOf(request: FastifyRequest): Caller {
  return request.caller ?? NOBODY;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}
