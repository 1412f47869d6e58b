import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import type { Argon2Parameters } from '../../src/services/crypto/passwords.ts';
import type { Role } from '../../src/domain/access.ts';
import { openOperatorDesk } from '../../src/server/operator.ts';
import { clientOf, type HttpResponse, type Call } from './client.ts';
import { dropDatabaseOf, newDatabase, startNodes } from './nodes.ts';
import type { Lifetime } from './lifetime.ts';
import {
  LIGHT_HASHING,
  removeFolder,
  testConfigOn,
  withSettings,
  type OtherSettings,
  type TestService,
} from './service.ts';
import { ensureWebBuilt } from './web-build.ts';

/* Secured access: accounts with roles, created like an operator's, and a service that requires authentication. */

/** Long enough for the password rules of secured access. */
export const PASSWORDS: Readonly<Record<string, string>> = {
  root: 'seven purple gibbons sing at noon',
  edna: 'quiet otters juggle yellow lemons',
  vera: 'slow viewers love window shopping',
  otto: 'another viewer with a wooden boat',
  '.': 'one dot is hardly a name at all',
  '..': 'two dots are no better than one',
  'odd\u200B': 'this name ends in an invisible character',
};

/** The accounts of a secured service, at least one for each role. */
export const STAFF: Readonly<Record<string, Role>> = { root: 'admin', edna: 'editor', vera: 'viewer', otto: 'viewer' };

export interface SecuredOptions {
  flags?: readonly string[];
  clock?: () => number;
  log?: Logger;
  /** A data folder that already exists, and is kept. */
  dataDir?: string;
  /** With the web application, built if necessary. */
  web?: boolean;
  /** The number of nodes, independent of the environment. */
  nodes?: number;
  config?: OtherSettings;
  /** Light hashes unless the test is about hashing or its duration. */
  hashing?: Argon2Parameters;
}

export interface SecuredService extends TestService {
  call: Call;
}

/**
 * A folder whose database contains STAFF; the caller deletes it.
 *
 * @param onPostgres uses PostgreSQL, whatever the environment says
 */
export async function newSecuredFolder({ onPostgres = false, staff = STAFF } = {}): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  if (onPostgres) await newDatabase(dataDir);
  const desk = await openOperatorDesk(await testConfigOn(dataDir), true);
  for (const [username, role] of Object.entries(staff)) {
    const password = PASSWORDS[username] ?? assert.fail();
    await desk.administration.createUser(desk.operator, { username, role, password });
  }
  await desk.close();
  return dataDir;
}

/** A real service in secured access, on a real socket; stopped after the test. */
export async function startSecuredService(t: Lifetime, options: SecuredOptions = {}): Promise<SecuredService> {
  const { flags = [], clock, log = pino({ level: 'silent' }) } = options;
  const dataDir = options.dataDir ?? (await newSecuredFolder());
  const fixed = ['--empty', '--access', 'secured'];
  const webFolder = options.web === true ? await ensureWebBuilt() : undefined;
  const given = await testConfigOn(dataDir, [...fixed, ...flags]);
  const passwordHashing = options.hashing ?? LIGHT_HASHING;
  const config = withSettings({ ...given, webFolder, passwordHashing }, options.config ?? {});
  const service = await startNodes(config, log, clock, options.nodes);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  t.after(async () => {
    await stop();
    if (options.dataDir !== undefined) return;
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  const base = `${service.origin}/v2`;
  return { ...service, stop, base, dataDir, call: clientOf(base) };
}

/**
 * Logs in over HTTP.
 * @returns the session token
 */
export async function logIn(call: Call, username: string, password = PASSWORDS[username] ?? ''): Promise<string> {
  return tokenOf(await call('POST', 'user/login', { json: { username, password } }));
}

export function tokenOf({ status, text }: HttpResponse): string {
  assert.equal(status, 200, text);
  return /^"logged in user session:([\w-]{43})"$/.exec(text)?.[1] ?? assert.fail(text);
}

/** The header for a session token or an API key. */
export function bearer(secret: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${secret}` };
}

/** Creates an API key over HTTP. */
export async function createKey(
  call: Call,
  token: string,
  scopes: readonly string[],
  other: { name?: string; expiresInDays?: number } = {},
): Promise<{ key: string; id: string }> {
  const response = await call('POST', 'account/keys', {
    headers: bearer(token),
    json: { name: 'test', scopes, ...other },
  });
  assert.equal(response.status, 200, response.text);
  return JSON.parse(response.text) as { key: string; id: string };
}
