import type { FastifyReply, FastifyRequest } from 'fastify';
import { readNewUser, readUserUpdate } from '../../api/read-bodies.ts';
import { SentCredentials, SentUser, SentUsers, SentUserUpdate, userText } from '../../api/records/user.ts';
import { Failure } from '../../domain/failure.ts';
import { wrongCredentials, type Authentication, type Credentials } from '../../domain/accounts/authentication.ts';
import { isUsernameLength, USER_LIMITS } from '../../domain/accounts/user.ts';
import type { ProviderSignIn } from '../../domain/providers/provider-sign-in.ts';
import type { UserAccounts } from '../../domain/accounts/user-accounts.ts';
import { acceptsOf, readerLanguageOf } from '../pipeline/negotiation.ts';
import { sendApiResponse, sendJson } from '../pipeline/response.ts';
import {
  actorOf,
  anonymousOf,
  clearSessionCookie,
  clientOf,
  cookieSession,
  SESSION_PREFIX,
  startSession,
  type ReadCredentials,
  type SessionCookie,
} from '../pipeline/identify-actor.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';

interface UserRoutesDeps {
  accounts: UserAccounts;
  authentication: Authentication;
  providerSignIn: ProviderSignIn;
  cookie: SessionCookie;
  digestsOf: ReadCredentials;
}

/** Petstore's operations on users, and a login with the password in the body. */
export class UserRoutes {
  readonly #accounts: UserAccounts;
  readonly #authentication: Authentication;
  readonly #providerSignIn: ProviderSignIn;
  readonly #cookie: SessionCookie;
  readonly #digestsOf: ReadCredentials;

  constructor({ accounts, authentication, providerSignIn, cookie, digestsOf }: UserRoutesDeps) {
    this.#accounts = accounts;
    this.#authentication = authentication;
    this.#providerSignIn = providerSignIn;
    this.#cookie = cookie;
    this.#digestsOf = digestsOf;
  }

  addTo(add: AddRoute): void {
    add('createUser', this.#createUser, SentUser);
    add('createUsersWithArrayInput', this.#createUsers, SentUsers);
    add('createUsersWithListInput', this.#createUsers, SentUsers);
    add('loginUser', this.#loginUser);
    add('loginUserWithBody', this.#loginUserWithBody, SentCredentials);
    add('logoutUser', this.#logoutUser);
    add('getUserByName', this.#getUserByName);
    add('updateUser', this.#updateUser, SentUserUpdate);
    add('deleteUser', this.#deleteUser);
  }

  readonly #createUser: Handler<SentUser> = async (request, reply) => {
    const id = await this.#accounts.createUser(actorOf(request), readNewUser(request.body));
    return sendApiResponse(reply, String(id));
  };

  readonly #createUsers: Handler<SentUsers> = async (request, reply) => {
    const users = request.body.map((user, index) => readNewUser(user, `/${index}`));
    await this.#accounts.createUsers(actorOf(request), users);
    return sendApiResponse(reply, 'ok');
  };

  readonly #loginUser: Handler = async (request, reply) => {
    const { username, password } = request.query as Record<string, unknown>;
    if (!isCredential(username) || !isCredential(password)) throw wrongCredentials();
    return this.#logIn(request, reply, { username, password });
  };

  readonly #loginUserWithBody: Handler<SentCredentials> = (request, reply) => this.#logIn(request, reply, request.body);

  readonly #logoutUser: Handler = async (request, reply) => {
    const [issuer] = await this.#authentication.logOut(this.#digestsOf(request), anonymousOf(request));
    const page = issuer === undefined ? undefined : await this.#providerSignIn.logoutUrl(issuer);
    if (page !== undefined) reply.header('menagerie-provider-logout', page);
    return sendApiResponse(reply.header('set-cookie', clearSessionCookie(this.#cookie)), 'ok');
  };

  readonly #getUserByName: Handler = async (request, reply) => {
    const user = await this.#accounts.getUser(actorOf(request), usernameOf(request));
    return sendJson(reply, userText(user));
  };

  readonly #updateUser: Handler<SentUserUpdate> = async (request, reply) => {
    const username = usernameOf(request);
    const update = readUserUpdate(request.body);
    const language = readerLanguageOf(request.headers);
    const id = await this.#accounts.replaceUser(actorOf(request), username, update, language);
    return sendApiResponse(reply, String(id));
  };

  readonly #deleteUser: Handler = async (request, reply) => {
    const username = usernameOf(request);
    await this.#accounts.deleteUser(actorOf(request), username);
    return sendApiResponse(reply, username);
  };

  async #logIn(request: FastifyRequest, reply: FastifyReply, credentials: Credentials): Promise<FastifyReply> {
    const replaced = cookieSession(request.headers, this.#cookie);
    const session = await this.#authentication.logIn(credentials, clientOf(request), replaced);
    startSession(reply, session, this.#cookie);
    const response = SESSION_PREFIX + session.token;
    if (acceptsOf(request.headers).plainText) return reply.header('content-type', 'text/plain').send(response);
    return sendJson(reply, JSON.stringify(response));
  }
}

export function usernameOf({ params }: FastifyRequest): string {
  const { username } = params as { username: string };
  if (!isUsernameLength(username) || !username.isWellFormed()) {
    throw new Failure('invalid-input', 'Invalid username supplied');
  }
  return username;
}

function isCredential(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= USER_LIMITS.passwordLength;
}
