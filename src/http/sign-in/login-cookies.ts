import { parseCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { SIGN_IN_MS } from '../../domain/providers/begun-sign-ins.ts';
import type { BegunSignIn } from '../../domain/providers/provider-sign-in.ts';
import { clearSessionCookie, sessionCookie, setSessionCookie, type SessionCookie } from '../pipeline/identify-actor.ts';

/** A browser with more tabs at login pages has to begin the oldest logins again. */
const MAX_LOGINS = 8;

/** Enough to tell the logins of a browser apart. */
const STATE_LENGTH = 12;

/**
 * The cookies that bind logins to the browser that began them, one for each: a browser may have several tabs at
 * providers. `Lax` lets them pass when the provider redirects.
 */
export class LoginCookies {
  readonly #cookie: SessionCookie;

  constructor(publicUrl: string | undefined) {
    this.#cookie = sessionCookie(publicUrl, 'menagerie_sign_in_');
  }

  /**
   * The values of `Set-Cookie` for a login that begins. Browsers send the oldest cookie first (RFC 6265, section 5.4).
   */
  begin({ headers }: FastifyRequest, { state, browserToken }: BegunSignIn): string[] {
    const names = Object.keys(parseCookie(headers.cookie ?? '')).filter((name) => name.startsWith(this.#cookie.name));
    const surplus = names.slice(0, Math.max(0, names.length - MAX_LOGINS + 1));
    return [
      ...surplus.map((name) => clearSessionCookie({ ...this.#cookie, name })),
      setSessionCookie(this.#of(state), { token: browserToken, lifetimeMs: SIGN_IN_MS }),
    ];
  }

  tokenOf({ headers }: FastifyRequest, state: string): string | undefined {
    return parseCookie(headers.cookie ?? '')[this.#of(state).name];
  }

  /** Nothing for a login that this browser did not begin. */
  end(request: FastifyRequest, state: string): string[] {
    return this.tokenOf(request, state) === undefined ? [] : [clearSessionCookie(this.#of(state))];
  }

  #of(state: string): SessionCookie {
    return { ...this.#cookie, name: `${this.#cookie.name}${state.slice(0, STATE_LENGTH)}` };
  }
}
