import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import type { Authenticator, CreationOptions, RequestOptions } from './authenticator.ts';
import type { Call, HttpResponse } from './client.ts';
import { bearer, PASSWORDS } from './secured.ts';

/* Second factors over HTTP, as an app and a browser use them. */

export const STEP_MS = 30_000;

export interface SignInView {
  token?: string;
  expiresAt: string;
  step?: string;
  factors?: string[];
  passkeyOptions?: RequestOptions;
}

export interface FactorsView {
  totp?: { createdAt: string };
  recoveryCodes: { total: number; left: number };
  passkeys: { id: string; name: string; synced: boolean; createdAt: string; lastUsedAt?: string }[];
  required: boolean;
}

export async function read<T>(response: Promise<HttpResponse>): Promise<T> {
  const { status, text } = await response;
  assert.equal(status, 200, text);
  return JSON.parse(text) as T;
}

export function codeAt(secret: string, atMs: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMs });
}

/** Sets up one-time codes, with the code of this time. */
export async function setUpTotp(
  call: Call,
  token: string,
  atMs: number,
): Promise<{ secret: string; recoveryCodes: string[] }> {
  const headers = bearer(token);
  const { step, secret } = await read<{ step: string; secret: string }>(
    call('POST', 'account/factors/totp', { headers }),
  );
  const json = { step, code: codeAt(secret, atMs) };
  const { recoveryCodes = [] } = await read<{ recoveryCodes?: string[] }>(
    call('POST', 'account/factors/totp/confirm', { headers, json }),
  );
  return { secret, recoveryCodes };
}

export async function addPasskey(
  call: Call,
  token: string,
  authenticator: Authenticator,
  name = 'Phone',
): Promise<{ id: string; recoveryCodes: string[] }> {
  const headers = bearer(token);
  const { step, options } = await read<{ step: string; options: CreationOptions }>(
    call('POST', 'account/passkeys/options', { headers }),
  );
  const json = { step, name, credential: authenticator.create(options) };
  const { passkey, recoveryCodes = [] } = await read<{ passkey: { id: string }; recoveryCodes?: string[] }>(
    call('POST', 'account/passkeys', { headers, json }),
  );
  return { id: passkey.id, recoveryCodes };
}

/** The first step of a login. */
export async function passPassword(
  call: Call,
  username: string,
  password = PASSWORDS[username] ?? '',
): Promise<SignInView & { step: string }> {
  const view = await read<SignInView>(call('POST', 'sign-in/password', { json: { username, password } }));
  const { step } = view;
  assert.ok(step !== undefined && view.token === undefined);
  return { ...view, step };
}

export function sendCode(call: Call, step: string, code: string, factor = 'totp'): Promise<HttpResponse> {
  return call('POST', 'sign-in/code', { json: { step, factor, code } });
}

/** The session token of a completed login. */
export async function sessionOf(response: Promise<HttpResponse>): Promise<string> {
  const { status, text } = await response;
  assert.equal(status, 200, text);
  const { token } = JSON.parse(text) as SignInView;
  assert.ok(token !== undefined && /^[\w-]{43}$/.test(token));
  return token;
}
