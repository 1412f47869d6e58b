import type { FastifyReply, FastifyRequest } from 'fastify';
import { userText } from '../../api/answers.ts';
import { readNewUser, readUserUpdate } from '../../api/read-bodies.ts';
import { SentCredentials, SentUser, SentUsers, SentUserUpdate } from '../../api/user-schemas.ts';
import { Failure } from '../../domain/failure.ts';
import { wrongCredentials, type Credentials, type Authentication } from '../../domain/accounts/authentication.ts';
import { isUsernameLength, USER_LIMITS } from '../../domain/accounts/user.ts';
import type { UserAccounts } from '../../domain/accounts/user-accounts.ts';
import { sendApiResponse, sendJson } from '../answer.ts';
import {
  actorOf,
  anonymousOf,
  clearSessionCookie,
  clientOf,
  cookieSession,
  SESSION_PREFIX,
  setSessionCookie,
  type ReadCredentials,
  type SessionCookie,
} from './identify-actor.ts';
import { acceptsOf } from '../negotiation.ts';
import type { AddRoute, Handler } from '../routes.ts';

export interface UserRoutesNeeds {
  accounts: UserAccounts;
  authentication: Authentication;
  cookie: SessionCookie;
  digestsOf: ReadCredentials;
}

/** Operations 9 to 16, and logging in without a password in the address. */
export function addUserRoutes(add: AddRoute, { accounts, authentication, cookie, digestsOf }: UserRoutesNeeds): void {
  add(
    'createUser',
    async (request, reply) => {
      const id = await accounts.createUser(actorOf(request), readNewUser(request.body));
      return sendApiResponse(reply, String(id));
    },
    SentUser,
  );

  const createUsers: Handler<SentUsers> = async (request, reply) => {
    const users = request.body.map((user, index) => readNewUser(user, `/${index}`));
    await accounts.createUsers(actorOf(request), users);
    return sendApiResponse(reply, 'ok');
  };
  add('createUsersWithArrayInput', createUsers, SentUsers);
  add('createUsersWithListInput', createUsers, SentUsers);

  add('loginUser', async (request, reply) => {
    const { username, password } = request.query as Record<string, unknown>;
    if (!isCredential(username) || !isCredential(password)) throw wrongCredentials();
    return logIn(request, reply, { username, password });
  });

  add('loginUserWithBody', (request, reply) => logIn(request, reply, request.body), SentCredentials);

  add('logoutUser', async (request, reply) => {
    await authentication.logOut(digestsOf(request), anonymousOf(request));
    return sendApiResponse(reply.header('set-cookie', clearSessionCookie(cookie)), 'ok');
  });

  add('getUserByName', async (request, reply) => {
    const user = await accounts.getUser(actorOf(request), usernameOf(request));
    return sendJson(reply, userText(user));
  });

  add(
    'updateUser',
    async (request, reply) => {
      const id = await accounts.replaceUser(actorOf(request), usernameOf(request), readUserUpdate(request.body));
      return sendApiResponse(reply, String(id));
    },
    SentUserUpdate,
  );

  add('deleteUser', async (request, reply) => {
    const username = usernameOf(request);
    await accounts.deleteUser(actorOf(request), username);
    return sendApiResponse(reply, username);
  });

  async function logIn(request: FastifyRequest, reply: FastifyReply, credentials: Credentials) {
    const replaced = cookieSession(request.headers, cookie);
    const session = await authentication.logIn(credentials, clientOf(request), replaced);
    reply
      .header('set-cookie', setSessionCookie(cookie, session))
      .header('x-expires-after', new Date(session.endsAtMs).toISOString())
      .header('x-rate-limit', session.requestsPerHour);
    const answer = SESSION_PREFIX + session.token;
    if (acceptsOf(request.headers).plainText) return reply.header('content-type', 'text/plain').send(answer);
    return sendJson(reply, JSON.stringify(answer));
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
