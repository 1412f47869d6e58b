import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Backup, BackupHealth, BackupSchedule, BackupService } from '../../domain/backups.ts';
import { Failure } from '../../domain/failure.ts';
import type { Clock } from '../../domain/ports.ts';
import { explainFailure } from '../log/explain-failure.ts';
import { labelOfFiles, type InstallationPlace } from '../configuration/places.ts';
import type { BackupSettings } from '../configuration/config.ts';
import { explainNotStarted, startProcess } from '../system/child-process.ts';
import type { Logger } from '../log/log.ts';
import { openBackupFiles, probeBackupFiles, type BackupFiles } from './backup-files.ts';
import type { BackupEnd, BackupJob } from './backup-process.ts';
import { describeBackups, writeStatus } from './backup-status.ts';
import { tarOfBackup } from './backup-tar.ts';
import type { Restores } from './restores.ts';
import { newBackupName, startOfBackup } from './manifest.ts';

const ENTRY = fileURLToPath(new URL('backup-entry.js', import.meta.url));

/** Timers of Node hold at most 2^31 ms; the clock may be set meanwhile. */
const MAX_TIMER_MS = 3_600_000;

/** Several nodes start at random times after the scheduled one. The first one makes the backup. */
const MAX_DELAY_MS = 60_000;

/** How long a node waits until it looks again at a daily backup of another one, which may have been killed. */
const LOOK_AGAIN_MS = 120_000;

/** A process that does not stop in time is killed. Its backup is unfinished then. */
const MAX_STOP_MS = 5000;

const STOPPED = { error: 'Stopped.' } satisfies BackupEnd;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A little less than a week: a daily backup starts at a random time. */
const VERIFY_EVERY_MS = 6.5 * DAY_MS;

interface BackupsDeps {
  from: InstallationPlace;
  settings: BackupSettings;
  /** Of age; without them, backups are not encrypted. */
  recipients?: readonly string[] | undefined;
  /** While one is running, no backup is made, because old ones are deleted then. */
  restores?: Pick<Restores, 'isRunning' | 'deleteReplaced'> | undefined;
  /** The niceness of the processes that make backups, as for nice(1). */
  niceness: number;
  log: Logger;
  clock: Clock;
  /** Between 0 and 1. */
  random?: () => number;
  lookAgainMs?: number;
}

/** A backup of this process. */
interface RunningBackup {
  name: string;
  /** Resolves when the place has its status, so that every node sees it. */
  announced: Promise<void>;
  end: Promise<BackupEnd>;
}

/** Makes backups every day, and on demand, each in a process of its own with a lower priority. */
export class Backups implements BackupService {
  readonly #deps: BackupsDeps;
  #timer: NodeJS.Timeout | undefined;
  #running: RunningBackup | undefined;
  #child: ChildProcess | undefined;
  #isStopping = false;
  /** The finished backups of the last list: their manifests can be long, and do not change. */
  #finished: ReadonlyMap<string, Backup> = new Map();
  #health: BackupHealth = { state: 'unknown' };
  #failures = 0;
  #healthAtMs = -Infinity;

  constructor(deps: BackupsDeps) {
    this.#deps = deps;
  }

  get schedule(): BackupSchedule {
    const { settings, recipients = [], clock } = this.#deps;
    const { to, atMinute, keep } = settings;
    return { place: labelOfFiles(to), atMinute, keep, nextStartMs: nextStart(clock(), atMinute), recipients };
  }

  get health(): BackupHealth {
    if (performance.now() - this.#healthAtMs >= MINUTE_MS) void this.#readHealth();
    return this.#health;
  }

  get failures(): number {
    return this.#failures;
  }

  startDaily(): void {
    const { settings, clock } = this.#deps;
    const dueMs = nextStart(clock(), settings.atMinute);
    const delayMs = (this.#deps.random ?? Math.random)() * MAX_DELAY_MS;
    this.#wait(dueMs, dueMs + delayMs);
  }

  /** Logs an error if backups cannot be written, before the first one is due. */
  async probe(): Promise<void> {
    const { settings, log } = this.#deps;
    await probeBackupFiles(settings.to).catch((error: unknown) =>
      log.error({ reason: explainFailure(error) }, 'daily backups cannot be written'),
    );
  }

  async list(): Promise<readonly Backup[]> {
    const backups = (await this.#withFiles(false, (files) => describeBackups(files, this.#finished))) ?? [];
    this.#finished = new Map(backups.filter(({ state }) => state === 'finished').map((each) => [each.name, each]));
    return backups;
  }

  async start(): Promise<{ backup: Backup; isNew: boolean }> {
    if (this.#deps.restores?.isRunning === true)
      throw new Failure('conflict', 'A backup is being checked or restored. Wait until that is finished.');
    const newest = this.#running === undefined ? (await this.list())[0] : undefined;
    if (newest?.state === 'running') return { backup: newest, isNew: false };
    const isNew = this.#running === undefined;
    const { name, announced } = (this.#running ??= this.#begin());
    await announced;
    return { backup: { name, state: 'running', startedAtMs: startOfBackup(name) }, isNew };
  }

  async findArchive(name: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const backup = (await this.list()).find((each) => each.name === name);
    return backup?.state === 'finished' ? tarOfBackup(this.#deps.settings.to, name) : undefined;
  }

  /** Starts a backup, or joins the one in progress in this process. */
  run(): Promise<BackupEnd> {
    this.#running ??= this.#begin();
    return this.#running.end;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    this.#child?.kill('SIGTERM');
    const timeout = setTimeout(() => this.#child?.kill('SIGKILL'), MAX_STOP_MS);
    await this.#running?.end;
    clearTimeout(timeout);
  }

  #wait(dueMs: number, startMs: number): void {
    const { clock } = this.#deps;
    const waitMs = Math.min(Math.max(0, startMs - clock()), MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      if (clock() < startMs) return this.#wait(dueMs, startMs);
      void this.#runIfDue(dueMs).then((isDone) =>
        isDone ? this.startDaily() : this.#wait(dueMs, clock() + (this.#deps.lookAgainMs ?? LOOK_AGAIN_MS)),
      );
    }, waitMs).unref();
  }

  /** Starts a backup unless another node has started one already. @returns false while that one is running */
  async #runIfDue(dueMs: number): Promise<boolean> {
    const { log } = this.#deps;
    try {
      if (this.#deps.restores?.isRunning === true) return false;
      const [newest] = await this.list();
      const state = newest !== undefined && newest.startedAtMs >= dueMs ? newest.state : 'failed';
      if (this.#running === undefined && state === 'running') return false;
      if (state !== 'finished') await this.run();
    } catch (error) {
      log.error({ err: error }, 'backup failed');
    }
    return true;
  }

  #begin(): RunningBackup {
    const name = newBackupName(Date.now());
    const announced = this.#report(name);
    const end = announced.then(
      () => this.#runProcess(name),
      (error: unknown) => ({ error: explainFailure(error) }),
    );
    return { name, announced, end: end.then((result) => this.#finish(name, result)) };
  }

  async #finish(name: string, result: BackupEnd): Promise<BackupEnd> {
    const { log } = this.#deps;
    if ('error' in result) {
      log.error({ reason: result.error }, 'backup failed');
      this.#failures++;
      // The process may have been killed. The place may be the reason.
      await this.#report(name, result.error).catch(() => {});
    } else if (result.report.missingPhotos.length === 0) log.info(result.report, 'backup finished');
    else log.warn(result.report, 'backup finished, but photos are missing');
    this.#running = undefined;
    if ('report' in result) this.#deps.restores?.deleteReplaced(startOfBackup(name));
    if (!this.#isStopping) await this.#readHealth();
    return result;
  }

  async #readHealth(): Promise<void> {
    this.#healthAtMs = performance.now();
    try {
      const backups = await this.list();
      const { startedAtMs = 0, finishedAtMs, bytes } = backups.find(({ state }) => state === 'finished') ?? {};
      const durationMs = finishedAtMs === undefined ? undefined : finishedAtMs - startedAtMs;
      this.#health = { state: backups[0]?.state ?? 'none', finishedAtMs, durationMs, bytes };
    } catch {
      this.#health = { state: 'unknown' };
    }
  }

  async #report(name: string, error?: string): Promise<void> {
    const status = { atMs: Date.now(), what: '', done: 0, total: 0, ...(error !== undefined && { error }) };
    await this.#withFiles(true, (files) => writeStatus(files, name, status));
  }

  async #withFiles<T>(isNew: boolean, work: (files: BackupFiles) => Promise<T>): Promise<T | undefined> {
    const files = await openBackupFiles(this.#deps.settings.to, isNew);
    try {
      return files && (await work(files));
    } finally {
      files?.close();
    }
  }

  /** Stored photos can become damaged, so the content of all photos in the place is compared once a week. */
  async #isVerificationDue(): Promise<boolean> {
    const since = Date.now() - VERIFY_EVERY_MS;
    const backups = await this.list().catch(() => []);
    return !backups.some(({ isVerified = false, startedAtMs }) => isVerified && startedAtMs > since);
  }

  async #runProcess(name: string): Promise<BackupEnd> {
    const isVerifying = await this.#isVerificationDue();
    if (this.#isStopping) return STOPPED;
    const { from, settings, recipients = [], log, niceness } = this.#deps;
    const { to, keep } = settings;
    const job = { from, to, keep, recipients, name, isVerifying } satisfies BackupJob;
    const child = startProcess(ENTRY, niceness, job);
    this.#child = child;
    log.info('backup started');
    const end = await endOf(child);
    this.#child = undefined;
    // A new process does not handle the signal yet.
    return this.#isStopping && 'error' in end ? STOPPED : end;
  }
}

async function endOf(child: ChildProcess): Promise<BackupEnd> {
  let end: BackupEnd | undefined;
  child.on('message', (message: BackupEnd) => (end = message));
  child.on('error', (error) => (end ??= { error: explainNotStarted(error) }));
  // `once` of node:events would throw the error of a process that could not be started.
  const cause = await new Promise<string | number | null>((resolve) =>
    child.on('close', (code, signal) => resolve(signal ?? code)),
  );
  return end ?? { error: `The process of the backup ended with ${cause}.` };
}

/** The next time at this minute of the day, in UTC, after now. */
export function nextStart(nowMs: number, atMinute: number): number {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS + atMinute * MINUTE_MS;
  return today > nowMs ? today : today + DAY_MS;
}
