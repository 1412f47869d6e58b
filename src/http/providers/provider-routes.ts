import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { secondFactorText } from '../../api/records/factors.ts';
import {
  linkedProvidersText,
  loginProviderText,
  providerPageText,
  SentProviderLink,
} from '../../api/records/provider.ts';
import { readReturnAddress } from '../../api/web/page-addresses.ts';
import { PROBLEM_FRAGMENT, SECOND_FACTOR_FRAGMENT } from '../../api/web/sign-in-problems.ts';
import type { OwnProviders } from '../../domain/providers/own-providers.ts';
import type { ProviderSignIn } from '../../domain/providers/provider-sign-in.ts';
import { SignInFailure } from '../../domain/providers/sign-in-failure.ts';
import type { SecondFactorStep } from '../../domain/sign-in/sign-in.ts';
import { basePathOf, isServicePath, searchParamsIn } from '../pipeline/base-path.ts';
import {
  actorOf,
  anonymousOf,
  clientOf,
  cookieSession,
  setSessionCookie,
  type SessionCookie,
} from '../pipeline/identify-actor.ts';
import { requestsPage } from '../pipeline/negotiation.ts';
import { sendApiResponse, sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import type { HttpSettings } from '../pipeline/settings.ts';
import { LoginCookies } from '../sign-in/login-cookies.ts';
import type { SiteOf } from '../sign-in/passkey-site.ts';

interface ProviderRoutesDeps {
  providerSignIn: ProviderSignIn;
  ownProviders: OwnProviders;
  cookie: SessionCookie;
  siteOf: SiteOf;
  settings: Pick<HttpSettings, 'publicUrl'>;
  /** Undefined without pages. */
  web: unknown;
  log: Logger;
}

const HOME = '/';
const ACCOUNT = '/account';

/**
 * Login at OpenID Connect providers. A browser opens the two addresses below /sign-in; they are not operations of the
 * API, because the parameters of the second one belong to the provider.
 */
export class ProviderRoutes {
  readonly #deps: ProviderRoutesDeps;
  readonly #basePath: string;
  readonly #loginCookies: LoginCookies;

  constructor(deps: ProviderRoutesDeps) {
    const { publicUrl } = deps.settings;
    this.#deps = deps;
    this.#basePath = basePathOf(publicUrl);
    this.#loginCookies = new LoginCookies(publicUrl);
  }

  addTo(add: AddRoute, app: FastifyInstance): void {
    add('listProviders', this.#list);
    add('listLinkedProviders', this.#listLinked);
    add('linkProvider', this.#link, SentProviderLink);
    add('unlinkProvider', this.#unlink);
    // HEAD must be safe, but these begin and complete a login.
    const options = { exposeHeadRoute: false, errorHandler: this.#sendFailure };
    app.get('/sign-in/:provider', { ...options, config: { isPrivate: true } }, this.#begin);
    const config = { isPrivate: true, identifiesActor: true };
    app.get('/sign-in/:provider/callback', { ...options, config }, this.#finish);
  }

  readonly #list: Handler = (_request, reply) => {
    const { providerSignIn } = this.#deps;
    const texts = providerSignIn.providers.map((each) => loginProviderText(each, providerSignIn.urlOf(each)));
    return sendJson(reply, `[${texts.join()}]`);
  };

  readonly #listLinked: Handler = async (request, reply) => {
    return sendJson(reply, linkedProvidersText(await this.#deps.ownProviders.list(actorOf(request))));
  };

  readonly #link: Handler<SentProviderLink> = async (request, reply) => {
    const { provider, returnTo } = request.body;
    const target = pageIn(returnTo) ?? ACCOUNT;
    const begun = await this.#deps.ownProviders.beginLink(actorOf(request), provider, target);
    reply.header('set-cookie', this.#loginCookies.begin(request, begun));
    return sendJson(reply, providerPageText(begun.url));
  };

  readonly #unlink: Handler = async (request, reply) => {
    const { loginId } = request.params as { loginId: string };
    await this.#deps.ownProviders.unlink(actorOf(request), loginId);
    return sendApiResponse(reply, loginId);
  };

  readonly #begin = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const returnTo = pageIn(searchParamsIn(request.url).get('to')) ?? HOME;
    const begun = await this.#deps.providerSignIn.begin(providerIn(request), { returnTo }, anonymousOf(request));
    return reply.header('set-cookie', this.#loginCookies.begin(request, begun)).redirect(begun.url, 302);
  };

  readonly #finish = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { providerSignIn, cookie, siteOf, log } = this.#deps;
    const [provider, query] = [providerIn(request), searchParamsIn(request.url)];
    const state = query.get('state') ?? '';
    // Also if the login fails.
    reply.header('set-cookie', this.#loginCookies.end(request, state));
    const { returnTo, outcome, username, warnings } = await providerSignIn.finish(provider, {
      query: query.toString(),
      browserToken: this.#loginCookies.tokenOf(request, state),
      actor: actorOf(request),
      browser: {
        client: clientOf(request),
        replaced: cookieSession(request.headers, cookie),
        site: siteOf(request),
      },
    });
    for (const reason of warnings) log.warn({ provider, username, reason }, 'login at a provider lacks claims');
    if (outcome !== undefined && 'step' in outcome) return this.#askSecondFactor(request, reply, outcome, returnTo);
    if (outcome !== undefined) reply.header('set-cookie', setSessionCookie(cookie, outcome.session));
    return reply.redirect(`${this.#basePath}${returnTo}`, 303);
  };

  /** The login page continues as after a right password, with the same record in its fragment. */
  #askSecondFactor(
    request: FastifyRequest,
    reply: FastifyReply,
    outcome: { step: SecondFactorStep },
    returnTo: string,
  ): FastifyReply {
    const text = secondFactorText(outcome);
    if (!this.#hasPages(request)) return sendJson(reply, text);
    const fragment = `${SECOND_FACTOR_FRAGMENT}${Buffer.from(text).toString('base64url')}`;
    return reply.redirect(`${this.#basePath}/login?to=${encodeURIComponent(returnTo)}#${fragment}`, 303);
  }

  /** A browser gets the page on which the user tries again. */
  readonly #sendFailure = (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!(error instanceof SignInFailure)) throw error;
    const { problem, reason, isLinking } = error;
    // Without a reason, anyone can cause it.
    if (reason !== undefined)
      this.#deps.log.warn({ provider: providerIn(request), problem, reason }, 'login at a provider failed');
    if (!this.#hasPages(request)) throw error;
    const page = isLinking ? ACCOUNT : '/login';
    return reply.redirect(`${this.#basePath}${page}#${PROBLEM_FRAGMENT}${problem}`, 303);
  };

  #hasPages({ headers }: FastifyRequest): boolean {
    return this.#deps.web !== undefined && requestsPage(headers);
  }
}

/** The address of a page of the web application; undefined for any other address. */
function pageIn(address: unknown): string | undefined {
  const path = readReturnAddress(address);
  return path === undefined || isServicePath(path) ? undefined : path;
}

function providerIn({ params }: FastifyRequest): string {
  return (params as { provider: string }).provider;
}
