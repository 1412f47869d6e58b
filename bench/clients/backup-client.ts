import { setTimeout as delay } from 'node:timers/promises';
import { countResponse, inLanes, printResult } from './lanes.ts';

/*
 * Starts one backup after another, until SIGTERM.
 * Usage: node backup-client.ts ORIGIN COOKIE
 */

interface BackupView {
  name: string;
  state: string;
  error?: string;
  progress?: { what: string };
}

const POLL_MS = 200;

const [origin = '', cookie = ''] = process.argv.slice(2);
const durationsMs: number[] = [];

async function ask<T>(method: string): Promise<T> {
  const response = await fetch(`${origin}/v2/admin/backups`, { method, headers: { cookie } });
  if (!response.ok) throw new Error(`${method} of backups got status ${response.status}.`);
  return (await response.json()) as T;
}

/** Until the backup has ended. */
async function follow(name: string): Promise<void> {
  for (;;) {
    const { backups } = await ask<{ backups: readonly BackupView[] }>('GET');
    const backup = backups.find((each) => each.name === name);
    if (backup?.state === 'finished') return;
    if (backup?.state !== 'running') throw new Error(`The backup is ${backup?.state}: ${backup?.error}`);
    // Its process has started, and reads rows.
    if (backup.progress?.what !== '') countResponse();
    await delay(POLL_MS);
  }
}

// SIGTERM completes the backup in progress: otherwise it would disturb the next measurement.
await inLanes('1', async () => {
  const startedMs = performance.now();
  const { name } = await ask<BackupView>('POST');
  await follow(name);
  durationsMs.push(performance.now() - startedMs);
});
printResult({ count: durationsMs.length, durationsMs });
