import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../domain/ports.ts';
import type { InstallationPlace } from '../moving/places.ts';
import type { BackupSettings } from '../config.ts';
import type { Logger } from '../log.ts';
import { openBackupFiles } from './backup-files.ts';
import type { BackupEnd, BackupJob } from './backup-process.ts';
import { describeBackups, type BackupEntry } from './backup-status.ts';

const ENTRY = fileURLToPath(new URL('backup-entry.js', import.meta.url));

/** Timers of Node hold at most 2^31 ms; the clock may be set meanwhile. */
const MAX_TIMER_MS = 3_600_000;

/** Several nodes start at random times after the scheduled one. The first one makes the backup. */
const MAX_DELAY_MS = 60_000;

/** A process that does not stop in time is killed. Its backup is unfinished then. */
const MAX_STOP_MS = 5000;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface BackupsDeps {
  from: InstallationPlace;
  settings: BackupSettings;
  log: Logger;
  clock: Clock;
  /** Between 0 and 1. */
  random?: () => number;
}

/** Makes backups every day, and on demand, each in a process of its own with a lower priority. */
export class Backups {
  readonly #deps: BackupsDeps;
  #timer: NodeJS.Timeout | undefined;
  #running: { child: ChildProcess; end: Promise<BackupEnd> } | undefined;

  constructor(deps: BackupsDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { settings, clock } = this.#deps;
    const dueMs = nextStart(clock(), settings.atMinute);
    const delayMs = (this.#deps.random ?? Math.random)() * MAX_DELAY_MS;
    this.#wait(dueMs, dueMs + delayMs);
  }

  /** All backups of the place, newest first. @throws Failure `unavailable` */
  async list(): Promise<readonly BackupEntry[]> {
    const files = await openBackupFiles(this.#deps.settings.to, false);
    if (files === undefined) return [];
    try {
      return await describeBackups(files);
    } finally {
      files.close();
    }
  }

  /** Starts a backup, or joins the one in progress. */
  run(): Promise<BackupEnd> {
    this.#running ??= this.#fork();
    return this.#running.end;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    const running = this.#running;
    if (running === undefined) return;
    running.child.kill('SIGTERM');
    const timeout = setTimeout(() => running.child.kill('SIGKILL'), MAX_STOP_MS);
    await running.end;
    clearTimeout(timeout);
  }

  #wait(dueMs: number, startMs: number): void {
    const { clock } = this.#deps;
    const waitMs = Math.min(Math.max(0, startMs - clock()), MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      if (clock() < startMs) return this.#wait(dueMs, startMs);
      void this.#runIfDue(dueMs).finally(() => this.start());
    }, waitMs).unref();
  }

  /** Unless another node has started one already. */
  async #runIfDue(dueMs: number): Promise<void> {
    const { log } = this.#deps;
    try {
      const [newest] = await this.list();
      const isDone = newest !== undefined && newest.startedAtMs >= dueMs && /running|finished/.test(newest.state);
      if (!isDone) await this.run();
    } catch (error) {
      log.error({ err: error }, 'backup failed');
    }
  }

  #fork(): { child: ChildProcess; end: Promise<BackupEnd> } {
    const { from, settings, log } = this.#deps;
    const { to, keep } = settings;
    const child = fork(ENTRY, {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [],
    });
    log.info('backup started');
    child.send({ from, to, keep } satisfies BackupJob);
    const end = endOf(child).then((result) => {
      this.#running = undefined;
      if ('error' in result) log.error({ reason: result.error }, 'backup failed');
      else log.info(result.report, 'backup finished');
      return result;
    });
    return { child, end };
  }
}

async function endOf(child: ChildProcess): Promise<BackupEnd> {
  let end: BackupEnd | undefined;
  child.on('message', (message: BackupEnd) => (end = message));
  // Without a listener, a failed start would end this process.
  child.on('error', (error) => (end ??= { error: error.message }));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return end ?? { error: `The process of the backup ended with ${signal ?? code}.` };
}

/** The next time at this minute of the day, in UTC, after now. */
export function nextStart(nowMs: number, atMinute: number): number {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS + atMinute * MINUTE_MS;
  return today > nowMs ? today : today + DAY_MS;
}
