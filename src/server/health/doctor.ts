import { join } from 'node:path';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { Failure } from '../../domain/failure.ts';
import type { CheckName } from '../../domain/health/checks.ts';
import { findingsOf, PROBLEMS, type Finding, type FoundProblem, type Problem } from '../../domain/health/finding.ts';
import type { HealthProgress, HealthReport } from '../../domain/health/report.ts';
import type { Clock } from '../../domain/ports.ts';
import type { StorePlaces } from '../configuration/config.ts';
import {
  accountCheck,
  mailCheck,
  certificateCheck,
  auditCheck,
  clockCheck,
  countersCheck,
  countsCheck,
  damageCheck,
  featureChecks,
  historyCheck,
  copiesCheck,
  referencesCheck,
  schemaCheck,
  settingsCheck,
} from './database-checks.ts';
import { backupCheck } from './backup-check.ts';
import { damage, findAll, interruption, type DatabaseContext, type HealthCheck, type HealthContext } from './check.ts';
import { diskCheck, filesCheck, logCheck, searchIndexCheck } from './file-checks.ts';
import { openDatabaseHealth, openPhotos } from './open-health.ts';
import { externalIdsCheck, petsCheck, photoReferencesCheck, tagsCheck } from './pet-list-checks.ts';
import {
  deletionsCheck,
  installationCheck,
  photosCheck,
  photosMissing,
  photosUnreachable,
  storedPhotosCheck,
} from './photo-checks.ts';
import { readServers, serversCheck } from './servers-check.ts';
import { requireServiceUser } from './service-user.ts';

const PLACE_CHECKS = [filesCheck, diskCheck, backupCheck, serversCheck];

const FIRST_DATABASE_CHECKS = [damageCheck, schemaCheck, copiesCheck];

/** With one of these, the rows have another form, or are not complete yet. */
const NOT_READABLE: readonly Problem[] = ['schema-newer', 'schema-older', 'restore-unfinished'];

const ROW_CHECKS = [
  logCheck,
  clockCheck,
  historyCheck,
  referencesCheck,
  auditCheck,
  accountCheck,
  mailCheck,
  ...featureChecks,
  certificateCheck,
  settingsCheck,
  petsCheck,
  tagsCheck,
  externalIdsCheck,
  photoReferencesCheck,
  countersCheck,
  countsCheck,
  searchIndexCheck,
];

const PHOTO_CHECKS = [photosCheck, storedPhotosCheck, deletionsCheck];

/** With one of these, all stored photos are unknown to the database. */
const NOT_PAIRED: readonly Problem[] = ['photos-foreign', 'photos-unreachable'];

export interface DoctorOptions {
  /** Leaves out what reads every photo. */
  isQuick?: boolean;
  isRepair?: boolean;
  clock?: Clock;
  /** See `HealthContext`. */
  sendsMail?: boolean;
  onProgress?: (progress: HealthProgress) => void;
}

/** Examines an installation, and repairs it if that was asked for. Servers may be running on it. */
export class Doctor {
  readonly #places: StorePlaces;
  readonly #options: DoctorOptions;
  readonly #clock: Clock;
  readonly #findings: Finding[] = [];
  readonly #repaired: FoundProblem[] = [];
  #mayRepair: boolean;

  constructor(places: StorePlaces, options: DoctorOptions = {}) {
    this.#places = places;
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
    this.#mayRepair = options.isRepair ?? false;
  }

  /** @throws Failure `not-found` if no database exists; `unavailable` if this user may not repair it */
  async run(): Promise<HealthReport> {
    const { isQuick = false, isRepair = false, sendsMail } = this.#options;
    if (isRepair) await requireServiceUser(this.#places.dataDir);
    const startedAtMs = this.#clock();
    const asideFolder = new Date(startedAtMs).toISOString().replaceAll(':', '-');
    const servers = await readServers(this.#places);
    const context = { places: this.#places, isQuick, clock: this.#clock, sendsMail, servers, asideFolder };
    await this.#runAll(PLACE_CHECKS, context);
    await this.#examineDatabase(context);
    return {
      startedAtMs,
      endedAtMs: this.#clock(),
      isQuick,
      findings: this.#findings,
      servers,
      repaired: this.#repaired.map(({ problem, count }) => ({ problem, count })),
      aside: this.#repaired.some(({ problem }) => MOVES_PHOTOS.has(problem)) ? this.#asideOf(asideFolder) : null,
    };
  }

  async #examineDatabase(context: Progressless<HealthContext>): Promise<void> {
    const database = await this.#open();
    if (database === undefined) return;
    try {
      const found = await this.#runAll(FIRST_DATABASE_CHECKS, { ...context, database });
      if (found.some((problem) => NOT_READABLE.includes(problem))) return;
      this.#requireCompleted(found);
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
      const isNoDatabase = this.#places.database === undefined && error instanceof Failure;
      this.#findings.push(...findingsOf('database', [isNoDatabase ? damage(error.message) : interruption(error)]));
      return undefined;
    }
  }

  async #examinePhotos(context: Progressless<DatabaseContext>): Promise<void> {
    const opened = await this.#openPhotos();
    if (opened === undefined) return;
    try {
      const found = await this.#runAll([installationCheck], { ...context, photoStore: opened.photoStore });
      if (found.some((problem) => NOT_PAIRED.includes(problem))) return;
      this.#requireCompleted(found);
      await this.#runAll(PHOTO_CHECKS, { ...context, photoStore: opened.photoStore });
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
      this.#findings.push(...findingsOf('installation', [photosUnreachable(error)]));
      return undefined;
    }
  }

  /** After a first check without a result, a repair might rest on a wrong assumption. */
  #requireCompleted(found: readonly Problem[]): void {
    if (found.includes('not-completed')) this.#mayRepair = false;
  }

  /** @returns the problems that remain */
  async #runAll<Context extends HealthContext>(
    checks: readonly HealthCheck<Context>[],
    context: Progressless<Context>,
  ): Promise<readonly Problem[]> {
    const problems: Problem[] = [];
    for (const check of checks) {
      this.#options.onProgress?.({ check: check.name, done: 0, total: 0 });
      const onProgress = (done: number, total: number) => this.#report(check.name, done, total);
      const found = await this.#runOne(check, { ...context, onProgress } as Context);
      this.#findings.push(...findingsOf(check.name, found));
      problems.push(...found.map(({ problem }) => problem));
    }
    return problems;
  }

  async #runOne<Context>(check: HealthCheck<Context>, context: Context): Promise<readonly FoundProblem[]> {
    const found = await findAll([() => check.find(context)]);
    // A repair would write into damaged pages, and what it reads may be wrong.
    if (found.some(({ problem }) => problem === 'database-damaged')) this.#mayRepair = false;
    const repairable = found.filter(({ problem }) => PROBLEMS[problem].canRepair);
    if (!this.#mayRepair || check.repair === undefined || repairable.length === 0) return found;
    try {
      const remaining = (await check.repair(context, found)) ?? (await check.find(context));
      const isLeft = ({ problem }: FoundProblem) => remaining.some((each) => each.problem === problem);
      this.#repaired.push(...repairable.filter((each) => !isLeft(each)));
      return remaining;
    } catch (error) {
      return [...found, interruption(error)];
    }
  }

  async #report(check: CheckName, done: number, total: number): Promise<void> {
    this.#options.onProgress?.({ check, done, total });
    await nextIteration();
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
