import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import type { Argon2Parameters } from '../../src/services/crypto/password-hasher.ts';
import { readConfig, type Config } from '../../src/server/config.ts';
import { databaseFlags, dropDatabaseOf, startNodes, type Nodes } from './nodes.ts';
import { ensureWebBuilt } from './web-build.ts';

/** What has an end: a test (its `t`), or with the `after` of node:test a whole file. */
export interface Lifetime {
  after(end: () => Promise<void>): void;
}

export interface TestService extends Nodes {
  /** Where the interface begins: `http://127.0.0.1:43210/v2`. */
  base: string;
  dataDir: string;
}

/** A hash takes 0.1 ms with these parameters, and 50 ms with the default ones. */
export const LIGHT_HASHING: Argon2Parameters = { memoryKib: 64, passes: 1 };

/** The configuration that these flags make, with a folder of its own, any free port and light hashes. */
export function testConfig(dataDir: string, flags: readonly string[] = []): Config {
  const place = flags.includes('--ephemeral') ? [] : ['--data-dir', dataDir];
  const result = readConfig(['--port', '0', ...place, '--log-level', 'silent', ...flags], {});
  if ('problems' in result) throw new Error(result.problems.join(' '));
  // A test does not depend on a web application that is already built: a test that wants one says so.
  return { ...result.config, webFolder: undefined, passwordHashing: LIGHT_HASHING };
}

/** A folder that is gone when the test is over. */
export async function temporaryFolder(t: Lifetime): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  t.after(() => removeFolder(folder));
  return folder;
}

/** Retries while something is written into it: a size of a photo that nobody waits for any more may be finished after its service has stopped. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** The same, with a database of its own where that is not in the folder. */
export async function testConfigOn(dataDir: string, flags: readonly string[] = []): Promise<Config> {
  return testConfig(dataDir, [...(await databaseFlags(dataDir)), ...flags]);
}

export interface TestServiceOptions {
  flags?: readonly string[];
  clock?: () => number;
  log?: Logger;
  /** With the web application, built if need be. */
  web?: boolean;
}

/** A real service on a real socket, an empty database and a clock that may be the test's; stopped when the test is over. */
export async function startTestService(
  t: Lifetime,
  { flags = ['--empty'], clock, log = pino({ level: 'silent' }), web = false }: TestServiceOptions = {},
): Promise<TestService> {
  const webFolder = web ? await ensureWebBuilt() : undefined;
  const dataDir = await mkdtemp(join(tmpdir(), 'menagerie-test-'));
  const config = { ...(await testConfigOn(dataDir, ['--stop-timeout-seconds', '2', ...flags])), webFolder };
  const service = await startNodes(config, log, clock);
  // A test may stop it before its end.
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  t.after(async () => {
    await stop();
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  return { ...service, stop, base: `${service.origin}/v2`, dataDir };
}
