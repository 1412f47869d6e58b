import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../../domain/failure.ts';
import type { CheckName } from '../../domain/health/checks.ts';
import { findingsOf, PROBLEMS, type Finding, type FoundProblem } from '../../domain/health/finding.ts';
import type { HealthProgress, HealthReport } from '../../domain/health/report.ts';
import type { Clock } from '../../domain/ports.ts';
import { isDamage } from '../../storage/sqlite/engine/files/troubles.ts';
import type { StorePlaces } from '../config.ts';
import { accountCheck } from './account-check.ts';
import { backupCheck } from './backup-check.ts';
import type { DatabaseContext, HealthCheck, HealthContext } from './check.ts';
import {
  auditCheck,
  clockCheck,
  countersCheck,
  countsCheck,
  damage,
  damageCheck,
  historyCheck,
  moveCheck,
  referencesCheck,
  schemaCheck,
} from './database-checks.ts';
import { diskCheck, filesCheck, logCheck } from './file-checks.ts';
import { openDatabaseHealth, openPhotos } from './open-health.ts';
import { petsCheck, photoReferencesCheck, tagsCheck } from './pet-list-checks.ts';
import { deletionsCheck, installationCheck, photosCheck, photosMissing, storedPhotosCheck } from './photo-checks.ts';
import { searchIndexCheck } from './search-index-check.ts';

const PLACE_CHECKS = [filesCheck, diskCheck, backupCheck];

/** After a problem of one of these, the rows cannot be checked. */
const FIRST_DATABASE_CHECKS = [damageCheck, schemaCheck, moveCheck];

const ROW_CHECKS = [
  logCheck,
  clockCheck,
  historyCheck,
  referencesCheck,
  auditCheck,
  accountCheck,
  petsCheck,
  tagsCheck,
  photoReferencesCheck,
  countersCheck,
  countsCheck,
  searchIndexCheck,
];

const PHOTO_CHECKS = [photosCheck, storedPhotosCheck, deletionsCheck];

export interface DoctorOptions {
  /** Leaves out what reads every photo. */
  isQuick?: boolean;
  isRepair?: boolean;
  clock?: Clock;
  onProgress?: (progress: HealthProgress) => void;
}

/** Examines an installation, and repairs it if that was asked for. Servers may be running on it. */
export class Doctor {
  readonly #places: StorePlaces;
  readonly #options: DoctorOptions;
  readonly #clock: Clock;
  readonly #findings: Finding[] = [];
  readonly #repaired: FoundProblem[] = [];

  constructor(places: StorePlaces, options: DoctorOptions = {}) {
    this.#places = places;
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
  }

  /** @throws Failure `not-found` if no database exists; `unavailable` if this user may not repair it */
  async run(): Promise<HealthReport> {
    const { isQuick = false, isRepair = false } = this.#options;
    if (isRepair) await requireOwner(this.#places.dataDir);
    const startedAtMs = this.#clock();
    const asideFolder = new Date(startedAtMs).toISOString().replaceAll(':', '-');
    const context = { places: this.#places, isQuick, clock: this.#clock, asideFolder };
    await this.#runAll(PLACE_CHECKS, context);
    await this.#examineDatabase(context);
    return {
      startedAtMs,
      endedAtMs: this.#clock(),
      isQuick,
      findings: this.#findings,
      repaired: this.#repaired.map(({ problem, count }) => ({ problem, count })),
      aside: this.#repaired.some(({ problem }) => MOVES_PHOTOS.has(problem)) ? this.#asideOf(asideFolder) : null,
    };
  }

  async #examineDatabase(context: Progressless<HealthContext>): Promise<void> {
    const database = await this.#open();
    if (database === undefined) return;
    try {
      const isReadable = await this.#runAll(FIRST_DATABASE_CHECKS, { ...context, database });
      if (!isReadable) return;
      await this.#runAll(ROW_CHECKS, { ...context, database });
      await this.#examinePhotos({ ...context, database });
    } finally {
      await database.close();
    }
  }

  /** A database that cannot be opened is a finding. */
  async #open() {
    try {
      return await openDatabaseHealth(this.#places);
    } catch (error) {
      if (error instanceof Failure && error.code === 'not-found') throw error;
      const detail = reasonOf(error);
      const isEmbedded = this.#places.database === undefined;
      const isDamaged = isEmbedded && (error instanceof Failure || isDamage(error));
      const found = isDamaged ? damage(detail) : notCompleted(detail);
      this.#findings.push(...findingsOf('database', [found]));
      return undefined;
    }
  }

  async #examinePhotos(context: Progressless<DatabaseContext>): Promise<void> {
    const opened = await this.#openPhotos();
    if (opened === undefined) return;
    try {
      const isOwn = await this.#runAll([installationCheck], { ...context, photoStore: opened.photoStore });
      // For a foreign database, all photos would be unknown.
      if (isOwn) await this.#runAll(PHOTO_CHECKS, { ...context, photoStore: opened.photoStore });
    } finally {
      opened.close();
    }
  }

  async #openPhotos() {
    try {
      const opened = await openPhotos(this.#places);
      if (opened !== undefined) return opened;
      this.#findings.push(...findingsOf('installation', [photosMissing(this.#places)]));
      return undefined;
    } catch (error) {
      const found = { problem: 'photos-unreachable', count: 1, subjects: [], detail: reasonOf(error) } as const;
      this.#findings.push(...findingsOf('installation', [found]));
      return undefined;
    }
  }

  /** @returns whether nothing was found */
  async #runAll<Context extends HealthContext>(
    checks: readonly HealthCheck<Context>[],
    context: Progressless<Context>,
  ): Promise<boolean> {
    let isClean = true;
    for (const check of checks) {
      this.#options.onProgress?.({ check: check.name, done: 0, total: 0 });
      const onProgress = (done: number, total: number) => this.#report(check.name, done, total);
      const found = await this.#runOne(check, { ...context, onProgress } as Context);
      this.#findings.push(...findingsOf(check.name, found));
      isClean &&= found.length === 0;
    }
    return isClean;
  }

  async #runOne<Context>(check: HealthCheck<Context>, context: Context): Promise<readonly FoundProblem[]> {
    try {
      const found = await check.find(context);
      const repairable = found.filter(({ problem }) => PROBLEMS[problem].canRepair);
      if (this.#options.isRepair !== true || check.repair === undefined || repairable.length === 0) return found;
      const remaining = (await check.repair(context, found)) ?? (await check.find(context));
      const isLeft = ({ problem }: FoundProblem) => remaining.some((each) => each.problem === problem);
      this.#repaired.push(...repairable.filter((each) => !isLeft(each)));
      return remaining;
    } catch (error) {
      return [notCompleted(reasonOf(error))];
    }
  }

  async #report(check: CheckName, done: number, total: number): Promise<void> {
    this.#options.onProgress?.({ check, done, total });
    await nextTurn();
  }

  #asideOf(subfolder: string): string {
    const { bucket, dataDir } = this.#places;
    if (bucket === undefined) return join(dataDir, 'photos', 'aside', subfolder);
    return `s3://${[bucket.bucket, bucket.prefix, 'aside', subfolder].filter((part) => part !== '').join('/')}`;
  }
}

type Progressless<Context> = Omit<Context, 'onProgress'>;

const MOVES_PHOTOS: ReadonlySet<FoundProblem['problem']> = new Set([
  'photo-damaged',
  'photo-unknown',
  'deletion-unfinished',
]);

/** Files that another user creates could not be read by the service. */
async function requireOwner(dataDir: string): Promise<void> {
  const owner = (await lstat(dataDir).catch(() => undefined))?.uid;
  const user = process.getuid?.();
  if (owner === undefined || user === undefined || owner === user) return;
  throw new Failure(
    'unavailable',
    `Only the owner of the data folder ${dataDir} can repair it (user ID ${owner}; this is ${user}). Run the command as that user, such as with sudo -u.`,
  );
}

function notCompleted(detail: string): FoundProblem {
  return { problem: 'not-completed', count: 1, subjects: [], detail };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
