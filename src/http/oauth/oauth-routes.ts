import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  clientText,
  consentText,
  createdClientText,
  SentConsent,
  SentOAuthClient,
  tokenText,
} from '../../api/records/oauth.ts';
import { oauthErrorText } from '../../api/records/response-texts.ts';
import type { AuthorizationServer } from '../../domain/oauth/authorization-server.ts';
import type { OAuthClients } from '../../domain/oauth/oauth-clients.ts';
import type { OAuthParameters, OAuthResponse, TokenRequest } from '../../domain/oauth/protocol.ts';
import { Failure } from '../../domain/failure.ts';
import { actorOf, anonymousOf } from '../pipeline/identify-actor.ts';
import { sendApiResponse, sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';

interface OAuthRoutesDeps {
  authorizationServer: AuthorizationServer;
  oauthClients: OAuthClients;
  /** The URL at which the client of a request reaches the service: the issuer. */
  baseOf: (request: FastifyRequest) => string;
}

/** OAuth 2.0: tokens for programs, the consent of users, and registered programs. */
export class OAuthRoutes {
  readonly #deps: OAuthRoutesDeps;

  constructor(deps: OAuthRoutesDeps) {
    this.#deps = deps;
  }

  addTo(add: AddRoute): void {
    add('requestToken', this.#requestToken);
    add('revokeToken', this.#revokeToken);
    add('getConsent', this.#getConsent);
    add('giveConsent', this.#giveConsent, SentConsent);
    add('listOAuthClients', this.#listClients);
    add('createOAuthClient', this.#createClient, SentOAuthClient);
    add('deleteOAuthClient', this.#deleteClient);
    add('listAccessTokens', this.#listTokens);
    add('listAllOAuthClients', this.#listAllClients);
    add('deleteAnyOAuthClient', this.#deleteAnyClient);
  }

  readonly #requestToken: Handler = async (request, reply) => {
    const { authorizationServer, baseOf } = this.#deps;
    const actor = anonymousOf(request);
    return sendOAuth(reply, await authorizationServer.requestToken(tokenRequestOf(request), actor, baseOf(request)));
  };

  readonly #revokeToken: Handler = async (request, reply) => {
    const { authorizationServer, baseOf } = this.#deps;
    const actor = anonymousOf(request);
    return sendOAuth(reply, await authorizationServer.revokeToken(tokenRequestOf(request), actor, baseOf(request)));
  };

  readonly #getConsent: Handler = async (request, reply) => {
    const { authorizationServer, baseOf } = this.#deps;
    const parameters = parametersOf(request.query);
    return sendJson(reply, consentText(await authorizationServer.ask(actorOf(request), parameters, baseOf(request))));
  };

  readonly #giveConsent: Handler<SentConsent> = async (request, reply) => {
    const { authorizationServer, baseOf } = this.#deps;
    const { isAllowed, parameters } = request.body;
    const issuer = baseOf(request);
    const given = parametersOf(parameters);
    const redirectTo = await authorizationServer.decide(actorOf(request), given, isAllowed, issuer);
    return sendJson(reply, consentText({ redirectTo }));
  };

  readonly #listClients: Handler = async (request, reply) => {
    const clients = await this.#deps.oauthClients.list(actorOf(request));
    return sendJson(reply, `[${clients.map(clientText).join()}]`);
  };

  readonly #createClient: Handler<SentOAuthClient> = async (request, reply) => {
    const { name, redirectUris, scopes, isPublic } = request.body;
    const client = { name, redirectUris, scopes, isPublic };
    return sendJson(reply, createdClientText(await this.#deps.oauthClients.register(actorOf(request), client)));
  };

  readonly #deleteClient: Handler = async (request, reply) => {
    const { clientId } = request.params as { clientId: string };
    await this.#deps.oauthClients.delete(actorOf(request), clientId);
    return sendApiResponse(reply, clientId);
  };

  readonly #listTokens: Handler = async (request, reply) => {
    const tokens = await this.#deps.oauthClients.listTokens(actorOf(request));
    return sendJson(reply, `[${tokens.map(tokenText).join()}]`);
  };

  readonly #listAllClients: Handler = async (request, reply) => {
    const clients = await this.#deps.oauthClients.listAll(actorOf(request));
    return sendJson(reply, `[${clients.map(clientText).join()}]`);
  };

  readonly #deleteAnyClient: Handler = async (request, reply) => {
    const { clientId } = request.params as { clientId: string };
    await this.#deps.oauthClients.deleteAny(actorOf(request), clientId);
    return sendApiResponse(reply, clientId);
  };
}

function tokenRequestOf({ headers, body }: FastifyRequest): TokenRequest {
  return { authorization: headers.authorization, form: parametersOf(body) };
}

/** RFC 6749, sections 3.1 and 3.2: a parameter is not repeated, and one without a value counts as left out. */
function parametersOf(sent: unknown): OAuthParameters {
  const parameters = Object.entries(sent as Readonly<Record<string, unknown>>).filter(([, value]) => value !== '');
  return Object.fromEntries(
    parameters.map(([name, value]) => {
      if (typeof value !== 'string') throw new Failure('invalid-input', `Repeated parameter: \`${name}\``);
      return [name, value];
    }),
  );
}

/** An error has the fields of RFC 6749, section 5.2, beside those of every error of this service. */
function sendOAuth(reply: FastifyReply, { status, headers, body }: OAuthResponse): FastifyReply {
  const { error, error_description: description } = body;
  const isError = typeof error === 'string' && typeof description === 'string';
  const text = isError ? oauthErrorText(error, description) : JSON.stringify(body);
  return sendJson(reply.code(status).headers({ ...headers, 'cache-control': 'no-store' }), text);
}
