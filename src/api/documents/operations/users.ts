import { SentCredentials, SentUser, SentUsers, SentUserUpdate } from '../../records/user.ts';
import * as Type from '../../records/type.ts';
import { response, json, jsonBody, type OperationDescription } from '../parts/format.ts';
import { CREDENTIALS, USERNAME } from '../parts/parameters.ts';
import { ApiResponse } from '../../records/api-response.ts';
import { User } from '../../records/user.ts';
import { NOT_PROVED } from './sign-in.ts';

export const NO_USER = 'User not found';
export const INVALID_USERNAME = 'Invalid username supplied';
export const NAME_TAKEN =
  'The user name is taken, or the user was changed by a concurrent request. Nothing was stored.';
export const LAST_ADMIN =
  'This is the only administrator who can log in, or the user was changed by a concurrent request. Nothing was stored.';

const CREATED = 'All users are stored. The message is `ok`.';

const LOGGED_IN = response(
  {
    'application/json': Type.String({
      pattern: '^logged in user session:.+$',
      xml: { name: 'string' },
      description: '`logged in user session:` and the token. Send the token as a bearer token or as `api_key`.',
    }),
    'text/plain': Type.String(),
  },
  'Logged in. Browsers get the session as a cookie.',
  'X-Expires-After',
  'X-Rate-Limit',
  'RateLimit-Policy',
  'Set-Cookie',
);

const LOGIN_FAILURES = {
  400: 'Invalid username/password supplied',
  401: 'The password is right, but the account has a second factor: log in with `signInWithPassword`',
  409: 'The user was changed by a concurrent request',
  429: 'Too many attempts',
};

const createUsers = (what: string, description: string) =>
  ({
    group: 'user',
    summary: `Create users from ${what}`,
    description,
    body: jsonBody(SentUsers),
    responses: { 200: json(ApiResponse, CREATED) },
    failures: {
      409: 'A user name is taken or repeated. The response lists these entries. Nothing was stored.',
    },
  }) as const satisfies OperationDescription;

/** The operations of Petstore for users, and login with a request body. */
export const USER_OPERATIONS = {
  createUser: {
    group: 'user',
    summary: 'Create a user',
    description:
      'An existing user is never overwritten: a user name that is taken returns 409. In secured access without ' +
      'sign-up, only administrators can create users.',
    body: jsonBody(SentUser),
    responses: { 200: json(ApiResponse, 'Success. The message is the ID of the user.') },
    failures: { 409: NAME_TAKEN },
  },
  createUsersWithArrayInput: createUsers(
    'an array',
    'Creates all users or none. An error lists each user that was rejected.',
  ),
  createUsersWithListInput: createUsers(
    'a list',
    'The same as `createUsersWithArrayInput`, at the other path of Petstore.',
  ),
  loginUser: {
    group: 'user',
    summary: 'Log in',
    description:
      'Starts a session. The password is part of the URL, which may be logged; prefer `POST /v2/user/login`.',
    query: CREDENTIALS,
    responses: { 200: LOGGED_IN },
    failures: LOGIN_FAILURES,
  },
  logoutUser: {
    group: 'user',
    summary: 'Log out',
    description: 'Ends the session of the request immediately. Without a session, nothing happens.',
    responses: {
      200: json(ApiResponse, 'Logged out. The message is `ok`.', 'Set-Cookie', 'Menagerie-Provider-Logout'),
    },
  },
  getUserByName: {
    group: 'user',
    summary: 'Get a user by user name',
    description: 'Returns one user. In secured access, only for the user and for administrators.',
    path: USERNAME,
    responses: { 200: json(User, 'The user, without the password.') },
    failures: { 400: INVALID_USERNAME, 404: NO_USER },
  },
  updateUser: {
    group: 'user',
    summary: 'Update a user',
    description:
      'Replaces the profile of the user. A different user name renames the user, and a positive `id` replaces ' +
      'their ID. A password is changed only if it is given; this ends the other sessions of the user and revokes ' +
      'their API keys.',
    path: USERNAME,
    body: jsonBody(SentUserUpdate),
    responses: { 200: json(ApiResponse, 'Success. The message is the ID of the user.') },
    failures: { 403: NOT_PROVED, 404: NO_USER, 409: NAME_TAKEN },
  },
  deleteUser: {
    group: 'user',
    summary: 'Delete a user',
    description:
      'Ends the sessions of the user and revokes their API keys. The last administrator who can log in cannot be ' +
      'deleted: 409.',
    path: USERNAME,
    responses: { 200: json(ApiResponse, 'Success. The message is the user name.') },
    failures: { 400: INVALID_USERNAME, 403: NOT_PROVED, 404: NO_USER, 409: LAST_ADMIN },
  },
  loginUserWithBody: {
    group: 'user',
    summary: 'Log in with a request body',
    description: 'The same as `loginUser`, with the credentials in the body instead of the URL, which may be logged.',
    body: jsonBody(SentCredentials),
    responses: { 200: LOGGED_IN },
    failures: LOGIN_FAILURES,
  },
} as const satisfies Record<string, OperationDescription>;
