import { setTimeout as delay } from 'node:timers/promises';

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
const state = { isEnding: false };

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
    if (durationsMs.length === 0 && backup.progress?.what !== '') console.log('STARTED');
    await delay(POLL_MS);
  }
}

// The backup in progress is completed: otherwise it would disturb the next measurement.
process.once('SIGTERM', () => {
  state.isEnding = true;
});
while (!state.isEnding) {
  const startedMs = performance.now();
  const { name } = await ask<BackupView>('POST');
  await follow(name);
  durationsMs.push(performance.now() - startedMs);
}
console.log(`RESULT ${JSON.stringify({ count: durationsMs.length, durationsMs })}`);
