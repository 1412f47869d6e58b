import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  passkeyStepText,
  secondFactorText,
  SentSignInCode,
  SentSignInPasskey,
  sessionText,
} from '../../api/records/factors.ts';
import { SentCredentials } from '../../api/records/user.ts';
import type { StartedSession } from '../../domain/accounts/session-start.ts';
import type { Browser, SignIn } from '../../domain/sign-in/sign-in.ts';
import { clientOf, cookieSession, startSession, type SessionCookie } from '../pipeline/identify-actor.ts';
import { sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import type { SiteOf } from './passkey-site.ts';

interface SignInRoutesDeps {
  signIn: SignIn;
  cookie: SessionCookie;
  siteOf: SiteOf;
}

export class SignInRoutes {
  readonly #deps: SignInRoutesDeps;

  constructor(deps: SignInRoutesDeps) {
    this.#deps = deps;
  }

  addTo(add: AddRoute): void {
    add('signInWithPassword', this.#withPassword, SentCredentials);
    add('signInWithCode', this.#withCode, SentSignInCode);
    add('startPasskeySignIn', this.#startPasskey);
    add('signInWithPasskey', this.#withPasskey, SentSignInPasskey);
  }

  readonly #withPassword: Handler<SentCredentials> = async (request, reply) => {
    const outcome = await this.#deps.signIn.withPassword(request.body, this.#browserOf(request));
    return 'step' in outcome ? sendJson(reply, secondFactorText(outcome)) : this.#sendSession(reply, outcome.session);
  };

  readonly #withCode: Handler<SentSignInCode> = async (request, reply) => {
    const { step, factor, code } = request.body;
    return this.#sendSession(reply, await this.#deps.signIn.withCode(step, factor, code, this.#browserOf(request)));
  };

  readonly #startPasskey: Handler = async (request, reply) =>
    sendJson(reply, passkeyStepText(await this.#deps.signIn.startPasskey(this.#browserOf(request))));

  readonly #withPasskey: Handler<SentSignInPasskey> = async (request, reply) => {
    const { step, credential } = request.body;
    return this.#sendSession(reply, await this.#deps.signIn.withPasskey(step, credential, this.#browserOf(request)));
  };

  #sendSession(reply: FastifyReply, session: StartedSession): FastifyReply {
    return sendJson(startSession(reply, session, this.#deps.cookie), sessionText(session.token, session));
  }

  #browserOf(request: FastifyRequest): Browser {
    const { cookie, siteOf } = this.#deps;
    const replaced = cookieSession(request.headers, cookie);
    return { client: clientOf(request), replaced, site: siteOf(request) };
  }
}
