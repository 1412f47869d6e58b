import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Failure, unusable } from '../../domain/failure.ts';
import type { Restore, RestoreOrder, RestoreService, BackupCheck } from '../../domain/restores.ts';
import { announceReplaced, deleteReplaced, findReplaced } from '../../storage/sqlite/engine/files/replaced-database.ts';
import type { Config } from '../configuration/config.ts';
import { labelOfFiles, placesOf, type FilesPlace } from '../configuration/places.ts';
import { explainNotStarted, startProcess } from '../system/child-process.ts';
import type { Logger } from '../log/log.ts';
import type { RestoreEnd, RestoreMessage } from './restore-process.ts';
import type { CheckEnd, CheckJob, RestoreJob } from './staged-restore.ts';

const ENTRY = fileURLToPath(new URL('restore-entry.js', import.meta.url));

/** The replaced data is kept for a day at least, even if a backup is made right after the restore. */
const KEPT_MS = 86_400_000;

/** A process that does not stop in time is killed. Its restore changed nothing. */
const MAX_STOP_MS = 5000;

interface RestoresDeps {
  config: Pick<Config, 'dataDir' | 'database' | 'bucket' | 'isEphemeral' | 'backgroundNiceness'> & {
    http: Pick<Config['http'], 'access'>;
  };
  place: FilesPlace;
  log: Logger;
  /** Ends the service, and starts it again. */
  restart: () => void;
}

/** Checks and restores backups in a process of its own, one at a time. */
export class Restores implements RestoreService {
  readonly #deps: RestoresDeps;
  #current: Restore | undefined;
  #child: ChildProcess | undefined;
  #running: Promise<unknown> | undefined;

  constructor(deps: RestoresDeps) {
    this.#deps = deps;
  }

  /** Whether backups have to wait, because they may delete the one that is restored. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  read(): Restore {
    if (this.#current !== undefined) return this.#current;
    const note = findReplaced(this.#deps.config.dataDir);
    return note === undefined
      ? { state: 'none' }
      : { state: 'finished', ...(note.backup !== null && { backup: note.backup }), restoredAtMs: note.atMs };
  }

  async check(backup: string, identity: string | undefined): Promise<BackupCheck> {
    const { config, place } = this.#deps;
    const job = { kind: 'check', place, backup, identity, installation: placesOf(config) } satisfies CheckJob;
    return (await this.#alone(() => this.#runProcess(job))) as CheckEnd;
  }

  start({ backup, identity, stamp, sessionId }: RestoreOrder): Restore {
    const { config, place, log, restart } = this.#deps;
    this.requirePossible(backup);
    const job: RestoreJob = {
      kind: 'restore',
      place,
      backup,
      identity,
      installation: placesOf(config),
      dataDir: config.dataDir,
      stamp,
      sessionId,
      needsAdministrator: config.http.access === 'secured',
    };
    this.#current = { state: 'running', backup };
    log.info({ backup }, 'restore started');
    void this.#alone(() => this.#runProcess(job)).then(
      () => {
        this.#current = { state: 'restarting', backup };
        log.info({ backup }, 'restored; the service starts again on the restored data');
        restart();
      },
      (error: unknown) => {
        const reason = error instanceof Failure ? error.message : String(error);
        log.error({ backup, reason }, 'restore failed; nothing was changed');
        this.#current = { state: 'failed', backup, error: reason };
      },
    );
    return this.#current;
  }

  undo(atMs: number): Restore {
    const { config, log, restart } = this.#deps;
    this.#requireIdle();
    if (findReplaced(config.dataDir) === undefined)
      throw new Failure('conflict', 'There is no restore that can be undone.');
    announceReplaced(config.dataDir, { backup: null, atMs });
    this.#current = { state: 'restarting' };
    log.info('restore undone; the service starts again on the data from before it');
    restart();
    return this.#current;
  }

  /** @throws Failure `conflict` with the command that restores, or while another restore is running */
  requirePossible(backup: string): void {
    const { config, place } = this.#deps;
    if (config.database !== undefined)
      throw new Failure(
        'conflict',
        `A database on PostgreSQL is not restored from here, because all its nodes would have to stop. Restore into an empty one: menagerie restore ${labelOfFiles(place)} --backup ${backup}`,
      );
    this.#requireIdle();
  }

  /** After a finished backup. */
  deleteReplaced(startedAtMs: number): void {
    const { dataDir } = this.#deps.config;
    const note = findReplaced(dataDir);
    if (note !== undefined && startedAtMs - note.atMs > KEPT_MS) deleteReplaced(dataDir);
  }

  async stop(): Promise<void> {
    this.#child?.kill('SIGTERM');
    const timeout = setTimeout(() => this.#child?.kill('SIGKILL'), MAX_STOP_MS);
    await this.#running?.catch(() => {});
    clearTimeout(timeout);
  }

  #requireIdle(): void {
    if (this.#running !== undefined || this.#current?.state === 'restarting')
      throw new Failure('conflict', 'A backup is being checked or restored. Wait until that is finished.');
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    this.#requireIdle();
    const running = work();
    this.#running = running;
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }

  async #runProcess(job: CheckJob | RestoreJob): Promise<unknown> {
    const child = startProcess(ENTRY, this.#deps.config.backgroundNiceness, job);
    this.#child = child;
    const end = await new Promise<RestoreEnd>((resolve) => {
      child.on('message', (message: RestoreMessage) => {
        if (!('progress' in message)) resolve(message);
        else if (this.#current?.state === 'running') this.#current = { ...this.#current, progress: message.progress };
      });
      child.on('error', (error) => resolve({ failure: unusable(explainNotStarted(error)).toPlain() }));
      child.on('close', () => resolve({ failure: unusable('Stopped.').toPlain() }));
    });
    this.#child = undefined;
    if ('failure' in end) throw Failure.fromPlain(end.failure);
    return end.report;
  }
}
