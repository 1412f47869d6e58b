import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { Call, HttpResponse } from './client.ts';
import { bearer } from './secured.ts';

/* A program that gets access with OAuth 2.0, one message at a time, so that tests can change each. */

export const REDIRECT_URI = 'https://program.example/back?from=menagerie';

export interface Program {
  id: string;
  secret?: string;
}

export interface ProgramOptions {
  name?: string;
  redirectUris?: readonly string[];
  scopes?: readonly string[];
  isPublic?: boolean;
}

/** Registers a program for the owner of the session: by default one with a secret, for both scopes. */
export async function registerProgram(call: Call, token: string, options: ProgramOptions = {}): Promise<Program> {
  const { name = 'Program', redirectUris = [REDIRECT_URI], scopes = ['read:pets', 'write:pets'] } = options;
  const json = { name, redirectUris, scopes, isPublic: options.isPublic ?? false };
  const { status, text } = await call('POST', 'account/oauth-clients', { headers: bearer(token), json });
  assert.equal(status, 200, text);
  return JSON.parse(text) as Program;
}

export interface Pkce {
  verifier: string;
  challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

type Parameters = Readonly<Record<string, string>>;

/** The parameters of a valid authorization request. */
export function requestOf({ id }: Program, { challenge }: Pkce, others: Parameters = {}): Parameters {
  return {
    response_type: 'code',
    client_id: id,
    redirect_uri: REDIRECT_URI,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'state of the program',
    ...others,
  };
}

/** Answers the question of the consent page. */
export function decide(call: Call, token: string, parameters: Parameters, isAllowed = true): Promise<HttpResponse> {
  return call('POST', 'oauth/consent', { headers: bearer(token), json: { isAllowed, parameters } });
}

/** Where the browser is sent after an answer. */
export function redirectIn({ status, text }: HttpResponse): URL {
  assert.equal(status, 200, text);
  const { redirectTo } = JSON.parse(text) as { redirectTo?: string };
  return new URL(redirectTo ?? assert.fail(text));
}

export async function codeFor(call: Call, token: string, parameters: Parameters): Promise<string> {
  const url = redirectIn(await decide(call, token, parameters));
  return url.searchParams.get('code') ?? assert.fail(url.href);
}

/** Exchanges a code. Fields that are undefined are left out. */
export function exchange(
  call: Call,
  { id, secret }: Program,
  code: string,
  others: Readonly<Record<string, string | undefined>> = {},
): Promise<HttpResponse> {
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id: id, ...others };
  return askForToken(call, { ...(secret !== undefined && { client_secret: secret }), ...form });
}

export function askForToken(call: Call, fields: Readonly<Record<string, string | undefined>>): Promise<HttpResponse> {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return call('POST', 'oauth/token', { form: Object.fromEntries(given) });
}

export interface TokenResponse {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
}

export function tokenIn({ status, text }: HttpResponse): TokenResponse {
  assert.equal(status, 200, text);
  return JSON.parse(text) as TokenResponse;
}

/** The error of RFC 6749, section 5.2, beside the fields of every error of this service. */
export function assertOAuthError({ status, text, headers }: HttpResponse, error: string, expectedStatus = 400): void {
  const body = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual([status, body['error'], body['type']], [expectedStatus, error, 'error'], text);
  assert.equal(typeof body['error_description'], 'string', text);
  assert.equal(headers.get('cache-control'), 'no-store');
}
