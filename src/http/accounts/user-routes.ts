import type { FastifyReply, FastifyRequest } from 'fastify';
import { userText } from '../../contract/answers.ts';
import { readNewUser, readUserUpdate } from '../../contract/read-bodies.ts';
import { SentCredentials, SentUser, SentUsers, SentUserUpdate } from '../../contract/user-schemas.ts';
import { Failure } from '../../domain/failure.ts';
import { wrongCredentials, type SignIn } from '../../domain/accounts/sign-in.ts';
import { isUsernameLength, USER_LIMITS } from '../../domain/accounts/user.ts';
import type { UserAccounts } from '../../domain/accounts/user-accounts.ts';
import { sendApiResponse, sendJson } from '../answer.ts';
import {
  callerOf,
  clearSessionCookie,
  presentedTokens,
  SESSION_PREFIX,
  setSessionCookie,
  type SessionCookie,
} from './identify-caller.ts';
import { acceptsOf } from '../negotiation.ts';
import type { AddRoute, Handler } from '../routes.ts';

export interface UserRoutesNeeds {
  accounts: UserAccounts;
  signIn: SignIn;
  cookie: SessionCookie;
}

/** Operations 9 to 16, and logging in without a password in the address. */
export function addUserRoutes(add: AddRoute, { accounts, signIn, cookie }: UserRoutesNeeds): void {
  add(
    'createUser',
    async (request, reply) => sendApiResponse(reply, String(await accounts.createUser(readNewUser(request.body)))),
    SentUser,
  );

  const createUsers: Handler<SentUsers> = async (request, reply) => {
    const users = request.body.map((user, index) => readNewUser(user, `/${index}`));
    await accounts.createUsers(callerOf(request).actor, users);
    return sendApiResponse(reply, 'ok');
  };
  add('createUsersWithArrayInput', createUsers, SentUsers);
  add('createUsersWithListInput', createUsers, SentUsers);

  add('loginUser', async (request, reply) => {
    const { username, password } = request.query as Record<string, unknown>;
    if (!isCredential(username) || !isCredential(password)) throw wrongCredentials();
    return logIn(request, reply, username, password);
  });

  add(
    'loginUserWithBody',
    (request, reply) => logIn(request, reply, request.body.username, request.body.password),
    SentCredentials,
  );

  add('logoutUser', async (request, reply) => {
    await signIn.signOut(presentedTokens(request.headers, cookie));
    return sendApiResponse(
      reply.header('set-cookie', clearSessionCookie(cookie)).header('cache-control', 'no-store'),
      'ok',
    );
  });

  add('getUserByName', async (request, reply) => {
    const user = await accounts.getUser(callerOf(request).actor, usernameOf(request));
    return sendJson(reply, userText(user));
  });

  add(
    'updateUser',
    async (request, reply) => {
      const username = usernameOf(request);
      const { actor, sessionDigest } = callerOf(request);
      const id = await accounts.replaceUser(actor, username, readUserUpdate(request.body), sessionDigest);
      return sendApiResponse(reply, String(id));
    },
    SentUserUpdate,
  );

  add('deleteUser', async (request, reply) => {
    const username = usernameOf(request);
    await accounts.removeUser(callerOf(request).actor, username);
    return sendApiResponse(reply, username);
  });

  async function logIn(request: FastifyRequest, reply: FastifyReply, username: string, password: string) {
    const session = await signIn.signIn(username, password);
    reply
      .header('set-cookie', setSessionCookie(cookie, session))
      .header('x-expires-after', new Date(session.endsAtMs).toISOString())
      .header('x-rate-limit', session.requestsPerHour)
      .header('cache-control', 'no-store');
    const answer = SESSION_PREFIX + session.token;
    if (acceptsOf(request.headers).plainText) return reply.header('content-type', 'text/plain').send(answer);
    return sendJson(reply, JSON.stringify(answer));
  }
}

function usernameOf({ params }: FastifyRequest): string {
  const { username } = params as { username: string };
  if (!isUsernameLength(username) || !username.isWellFormed()) {
    throw new Failure('invalid-input', 'Invalid username supplied');
  }
  return username;
}

function isCredential(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= USER_LIMITS.passwordLength;
}
