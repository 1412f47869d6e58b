import { stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { TroubleWatch } from './trouble-watch.ts';

const LOOK_EVERY_MS = 2000;

/** A longer transaction waits for a disk that hangs. */
const MAX_WAIT_MS = 10_000;

/** Not more often, because a checkpoint occupies a thread. */
const CHECKPOINT_EVERY_MS = 30_000;

export interface DatabaseFiles {
  /** Describes the problem if a file was deleted or replaced. */
  findProblem(): string | undefined;
  logBytes(): number;
  maxLogBytes: number;
  /** Duration of the current transaction; 0 without one. */
  waitingMs(): number;
  /** @throws with the reason why the log was not shortened */
  checkpoint(): Promise<void>;
}

interface WatchedStorage {
  /** Writes to the database, and fails if changes fail. */
  probeChange: () => Promise<unknown>;
  files: DatabaseFiles | undefined;
  /** Must exist as long as the service runs. */
  folders: readonly string[];
  /** Writes some bytes where photos are stored. */
  probePhotos: () => Promise<unknown>;
}

/**
 * Watches the database, the folders and the disk: logs the start and the end of each failure, and decides on readiness.
 */
export class StorageHealth {
  readonly #log: Logger | undefined;
  readonly #changes: TroubleWatch;
  readonly #places: TroubleWatch;
  readonly #photos: TroubleWatch;
  readonly #checkpoints: TroubleWatch;
  #storage: WatchedStorage | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isDamaged = false;

  constructor(log: Logger | undefined) {
    this.#log = log;
    this.#changes = new TroubleWatch({
      log,
      began: 'changes cannot be stored and get 503',
      ended: 'changes are stored again',
      probe: async () => this.#storage?.probeChange(),
    });
    this.#places = new TroubleWatch({
      log,
      began: 'a photo folder is missing',
      ended: 'the photo folders exist again',
      probe: () => this.#requireFolders(),
    });
    this.#photos = new TroubleWatch({
      log,
      began: 'photos cannot be stored or read',
      ended: 'photos are stored again',
      probe: async () => this.#storage?.probePhotos(),
    });
    this.#checkpoints = new TroubleWatch({
      log,
      began: 'the write-ahead log of the database cannot be shortened',
      ended: 'the write-ahead log of the database was shortened',
      // Usually, a backup is reading.
      level: 'warn',
      probe: async () => this.#storage?.files?.checkpoint(),
      probeEveryMs: CHECKPOINT_EVERY_MS,
    });
  }

  watch(storage: WatchedStorage): void {
    this.#storage = storage;
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  /** @param isLogged whether the failure was logged elsewhere */
  changesFail(reason: string, isLogged = false): void {
    this.#changes.failed(reason, { isLogged });
  }

  /** Does not affect readiness: other changes may still succeed. */
  photosFail(reason: string): void {
    // A missing folder has been logged already.
    this.#photos.failed(reason, { isLogged: this.#places.isFailing() });
  }

  isDamaged(found: string): void {
    this.#isDamaged = true;
    this.#log?.error(found);
  }

  isGood(): boolean {
    return !this.#isDamaged && !this.#changes.isSerious() && !this.#places.isSerious();
  }

  close(): void {
    clearInterval(this.#timer);
    for (const watch of [this.#changes, this.#places, this.#photos, this.#checkpoints]) watch.close();
  }

  async #look(): Promise<void> {
    // A file system that hangs gets one call at a time.
    if (this.#isLooking) return;
    this.#isLooking = true;
    await this.#requireFolders().catch((error: Error) => this.#places.failed(error.message, { isLasting: true }));
    const { files } = this.#storage ?? {};
    if (files !== undefined) await this.#lookAtFiles(files);
    this.#isLooking = false;
  }

  async #lookAtFiles(files: DatabaseFiles): Promise<void> {
    const problem = files.findProblem();
    if (problem !== undefined) this.#changes.failed(problem, { isLasting: true });
    if (files.waitingMs() > MAX_WAIT_MS)
      this.#changes.failed('the disk has not confirmed a change for 10 seconds', { isLasting: true });
    if (files.logBytes() > files.maxLogBytes && !this.#checkpoints.isFailing())
      await files.checkpoint().catch((error: Error) => this.#checkpoints.failed(error.message));
  }

  async #requireFolders(): Promise<void> {
    for (const folder of this.#storage?.folders ?? []) {
      const found = await stat(folder).catch(() => undefined);
      if (found?.isDirectory() !== true)
        throw new Error(`${folder}. Stop the service, restore the folder, and start it again.`);
    }
  }
}
