import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { dropDatabaseOf, startNodes } from './nodes.ts';
import type { Lifetime } from './lifetime.ts';
import { removeFolder, testConfigOn, withSettings, type OtherSettings, type TestService } from './service.ts';

/* Deadlines of tests that have no state to poll. */

const DEADLINE_MS = 30_000;

/** The result of a promise. @throws Error if it does not settle before the deadline */
export async function inTime<T>(event: string, promise: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${event}: not within ${deadlineMs} ms`)), deadlineMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A service whose stop timeout is far beyond the deadline: a stop in time has not waited for it. */
export async function startSlowlyStopping(
  t: Lifetime,
  flags: readonly string[] = [],
  newFolder = () => mkdtemp(join(tmpdir(), 'menagerie-test-')),
  others: OtherSettings = {},
): Promise<TestService> {
  const dataDir = await newFolder();
  const stopTimeoutMs = 20 * DEADLINE_MS;
  const config = withSettings(await testConfigOn(dataDir, ['--empty', ...flags]), { ...others, stopTimeoutMs });
  const service = await startNodes(config, pino({ level: 'silent' }));
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  t.after(async () => {
    await stop();
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  return { ...service, stop, base: `${service.origin}/v2`, dataDir };
}
