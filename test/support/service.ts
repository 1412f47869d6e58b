import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import type { Argon2Parameters } from '../../src/services/crypto/passwords.ts';
import { readConfig, type Config } from '../../src/server/configuration/config.ts';
import { databaseFlags, dropDatabaseOf, startNodes, type Nodes } from './nodes.ts';
import type { Lifetime } from './lifetime.ts';
import { ensureWebBuilt } from './web-build.ts';

export interface TestService extends Nodes {
  /** The base URL of the API: `http://127.0.0.1:43210/v2`. */
  base: string;
  dataDir: string;
}

/** A hash takes 0.1 ms with these parameters, and 50 ms with the default ones. */
export const LIGHT_HASHING: Argon2Parameters = { memoryKib: 64, passes: 1 };

/** The time for pending requests when a service stops: a test that leaves some is not about them. */
const STOP_TIMEOUT_MS = 2000;

/** As long as a statement on PostgreSQL may take on a busy machine. */
const DATABASE_TIMEOUT_MS = 60_000;

/** Settings without a flag. Those of a part replace only their own. */
export interface OtherSettings extends Partial<Omit<Config, 'features' | 'http' | 'sessions'>> {
  http?: Partial<Config['http']>;
  sessions?: Partial<Config['sessions']>;
  features?: Partial<Config['features']>;
}

export function withSettings(config: Config, { features, http, sessions, ...others }: OtherSettings): Config {
  return {
    ...config,
    ...others,
    http: { ...config.http, ...http },
    sessions: { ...config.sessions, ...sessions },
    features: { ...config.features, ...features },
  };
}

/** The configuration for these flags, with a temporary folder, any free port and light hashes. */
export function testConfig(dataDir: string, flags: readonly string[] = []): Config {
  const place = flags.includes('--ephemeral') ? [] : ['--data-dir', dataDir];
  const result = readConfig(['--port', '0', ...place, '--log-level', 'silent', ...flags], {});
  if ('problems' in result) throw new Error(result.problems.join(' '));
  // Tests must not depend on an existing build of the web application; a test that needs it sets `web`.
  return {
    ...result.config,
    webFolder: undefined,
    passwordHashing: LIGHT_HASHING,
    backgroundNiceness: 0,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  };
}

/** A folder that is deleted after the test. */
export async function temporaryFolder(t: Lifetime): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  t.after(() => removeFolder(folder));
  return folder;
}

/**
 * Retries, because a service may still write: hooks run in the order of their declaration, and a photo size may be in
 * progress.
 */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** The same, with a new database if that is not in the folder. */
export async function testConfigOn(dataDir: string, flags: readonly string[] = []): Promise<Config> {
  const config = testConfig(dataDir, [...(await databaseFlags(dataDir)), ...flags]);
  return { ...config, databaseTimeoutMs: DATABASE_TIMEOUT_MS };
}

export interface TestServiceOptions {
  flags?: readonly string[];
  clock?: () => number;
  log?: Logger;
  /** With the web application, built if necessary. */
  web?: boolean;
  config?: OtherSettings;
}

/** A real service on a real socket with an empty database and an optional clock; stopped after the test. */
export async function startTestService(
  t: Lifetime,
  {
    flags = ['--empty'],
    clock,
    log = pino({ level: 'silent' }),
    web = false,
    config: others = {},
  }: TestServiceOptions = {},
): Promise<TestService> {
  const webFolder = web ? await ensureWebBuilt() : undefined;
  const dataDir = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  const config = withSettings({ ...(await testConfigOn(dataDir, flags)), webFolder }, others);
  const service = await startNodes(config, log, clock);
  // A test may stop it earlier.
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  t.after(async () => {
    await stop();
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  return { ...service, stop, base: `${service.origin}/v2`, dataDir };
}
