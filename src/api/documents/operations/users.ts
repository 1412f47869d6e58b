import { Type } from 'typebox';
import { SentCredentials, SentUser, SentUsers, SentUserUpdate } from '../../records/user.ts';
import { answer, json, jsonBody, type OperationDescription } from '../format.ts';
import { CREDENTIALS, USERNAME } from '../parameters.ts';
import { ApiResponse } from '../../records/api-response.ts';
import { User } from '../../records/user.ts';

export const NO_USER = 'User not found';
export const INVALID_USERNAME = 'Invalid username supplied';
const NAME_TAKEN = 'The user name is taken, or the account was changed in this very moment. Nothing was stored.';
export const LAST_ADMIN =
  'Nobody would be left who can administer the service, or the account was changed in this very moment. Nothing was stored.';

const CREATED = 'All of them are stored, or none. The message is `ok`.';

const LOGGED_IN = answer(
  {
    'application/json': Type.String({
      pattern: '^logged in user session:.+$',
      xml: { name: 'string' },
      description: '`logged in user session:` and the token. Present either as a bearer token or as `api_key`.',
    }),
    'text/plain': Type.String(),
  },
  'Logged in. Browsers get the session as a cookie.',
  'X-Expires-After',
  'X-Rate-Limit',
  'Set-Cookie',
  'Cache-Control',
);

const LOGIN_FAILURES = {
  400: 'Invalid username/password supplied',
  409: 'The account was changed in this very moment',
  429: 'Too many attempts',
};

const createUsers = (what: string, description: string) =>
  ({
    group: 'user',
    summary: `Create several accounts from ${what}`,
    description,
    body: jsonBody(SentUsers),
    answers: { 200: json(ApiResponse, CREATED, 'Cache-Control') },
    failures: {
      409: 'A user name is taken or repeated: the answer names the entries. Nothing was stored.',
    },
  }) as const satisfies OperationDescription;

/** Operations 9 to 16, and logging in without a password in the address. */
export const USER_OPERATIONS = {
  createUser: {
    group: 'user',
    summary: 'Create an account',
    description: 'An account that exists is never overwritten.',
    body: jsonBody(SentUser),
    answers: { 200: json(ApiResponse, 'It is stored; the message is the id of the user.', 'Cache-Control') },
    failures: { 409: NAME_TAKEN },
  },
  createUsersWithArrayInput: createUsers(
    'an array',
    'Creates all accounts or none. The response names each account that is rejected.',
  ),
  createUsersWithListInput: createUsers(
    'a list',
    'The same as `createUsersWithArrayInput`, under the other address of Petstore.',
  ),
  loginUser: {
    group: 'user',
    summary: 'Log in',
    description: 'The password stands in the address here; `POST /v2/user/login` takes it in the body.',
    query: CREDENTIALS,
    answers: { 200: LOGGED_IN },
    failures: LOGIN_FAILURES,
  },
  logoutUser: {
    group: 'user',
    summary: 'Log out',
    description: 'The session that is presented is dead at once. Without one, nothing happens.',
    answers: { 200: json(ApiResponse, 'Logged out. The message is `ok`.', 'Set-Cookie', 'Cache-Control') },
  },
  getUserByName: {
    group: 'user',
    summary: 'Find an account by its user name',
    description: 'Returns one account. In secured access only for the account itself and for administrators.',
    path: USERNAME,
    answers: { 200: json(User, 'The account, without its password.', 'Cache-Control') },
    failures: { 400: INVALID_USERNAME, 404: NO_USER },
  },
  updateUser: {
    group: 'user',
    summary: 'Replace the profile of an account',
    description:
      'Without a password, the old one is kept. With one, the other sessions of the account end, and its API keys are revoked. Another user name renames the account. An `id` above 0 replaces the id of the user.',
    path: USERNAME,
    body: jsonBody(SentUserUpdate),
    answers: { 200: json(ApiResponse, 'It is stored; the message is the id of the user.', 'Cache-Control') },
    failures: { 404: NO_USER, 409: NAME_TAKEN },
  },
  deleteUser: {
    group: 'user',
    summary: 'Remove an account',
    description: 'Its sessions and keys end.',
    path: USERNAME,
    answers: { 200: json(ApiResponse, 'It is done; the message is the user name.', 'Cache-Control') },
    failures: { 400: INVALID_USERNAME, 404: NO_USER, 409: LAST_ADMIN },
  },
  loginUserWithBody: {
    group: 'user',
    summary: 'Log in, without a password in the address',
    description: 'The same as `loginUser`, with the credentials in the body: addresses end up in logs.',
    body: jsonBody(SentCredentials),
    answers: { 200: LOGGED_IN },
    failures: LOGIN_FAILURES,
  },
} as const satisfies Record<string, OperationDescription>;
