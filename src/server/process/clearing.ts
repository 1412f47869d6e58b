import type { Logger } from 'pino';
import { deleteExpiredLimits } from '../../domain/accounts/attempt-throttle.ts';
import type { Authentication } from '../../domain/accounts/authentication.ts';
import type { AuditLog } from '../../domain/accounts/audit-log.ts';
import type { SignInSteps } from '../../domain/sign-in/sign-in-steps.ts';
import { inBatches } from '../../domain/batches.ts';
import type { ChangeFeedStore } from '../../domain/events/ports.ts';
import type { Idempotency } from '../../domain/idempotency/idempotency.ts';
import type { MailStore } from '../../domain/mail/ports.ts';
import type { PhotoFiles } from '../../domain/photos/photo-files.ts';
import type { Clock } from '../../domain/ports.ts';
import type { AuditStore } from '../../domain/audit.ts';
import type { LimitStore } from '../../domain/accounts/throttle.ts';
import type { ProcessRecords } from '../system/process-records.ts';
import { ClockWatch, machineUptimeMs } from '../background/clock-watch.ts';

const CLEARING_INTERVAL_MS = 3_600_000;

/** Photos are not cleared for this time after a start, so that an operator can notice a wrong database or folder. */
const PHOTOS_SAFE_MS = 3_600_000;

/** Messages that could not be sent are kept for this time, so that an operator notices them. */
const DEAD_MAIL_KEPT_MS = 14 * 24 * 3_600_000;

/** Doubles after each further failure. */
const FIRST_RETRY_MS = 60_000;

export interface ClearingDeps {
  photoFiles: Pick<PhotoFiles, 'clearUnused'>;
  authentication: Pick<Authentication, 'deleteEndedSessions' | 'deleteExpiredKeys'>;
  steps: Pick<SignInSteps, 'deleteExpired'>;
  auditLog: Pick<AuditLog, 'deleteExpired'>;
  idempotency: Pick<Idempotency, 'deleteExpired'>;
  limits: Pick<LimitStore, 'apply'>;
  changeFeed: Pick<ChangeFeedStore, 'apply'>;
  mail: Pick<MailStore, 'apply'>;
  /** Deletes expired data of features, at most as much as the limit says. @returns how much */
  ofFeatures: Readonly<Record<string, (limit: number) => Promise<number>>>;
  /** Changes of accounts contain usernames, so they are kept as long as the audit log. */
  accountChangesKeptMs: number;
  audit: Pick<AuditStore, 'list'>;
  clock: Clock;
  /** See `ClockWatchDeps`. */
  uptimeMs?: () => number;
  records: Pick<ProcessRecords, 'beginJob'>;
  log: Logger;
}

/** Deletes expired data once an hour, while the clock can be trusted. */
export class Clearing {
  readonly #deps: ClearingDeps;
  readonly #clockWatch: ClockWatch;
  readonly #uptimeMs: () => number;
  readonly #startedAtMs: number;
  #isStopping = false;
  #running = Promise.resolve();
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Starts immediately. */
  constructor(deps: ClearingDeps) {
    const { clock, audit, log, uptimeMs = machineUptimeMs } = deps;
    this.#deps = deps;
    this.#uptimeMs = uptimeMs;
    this.#startedAtMs = uptimeMs();
    this.#clockWatch = new ClockWatch({ clock, uptimeMs, audit, log });
    this.#start();
  }

  /** Resolves after the current step. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #start(): void {
    const end = this.#deps.records.beginJob('clearing');
    this.#running = this.#clearAll().then(() => {
      if (this.#isStopping) return;
      const retryMs = FIRST_RETRY_MS * 2 ** (this.#failures - 1);
      const delayMs = this.#failures > 0 ? Math.min(retryMs, CLEARING_INTERVAL_MS) : CLEARING_INTERVAL_MS;
      end({ isFailed: this.#failures > 0, delayMs });
      this.#timer = setTimeout(() => this.#start(), delayMs);
      this.#timer.unref();
    });
  }

  /** Runs every step, even if another one fails. */
  async #clearAll(): Promise<void> {
    let isFailing = false;
    for (const [what, step] of Object.entries(this.#steps())) {
      if (this.#isStopping) return;
      try {
        // Before each step, because each reads the clock again.
        if (await this.#clockWatch.isTrusted()) await step();
      } catch (error) {
        isFailing = true;
        this.#deps.log.error({ err: error, what }, 'deleting expired data failed; retrying later');
      }
    }
    this.#failures = isFailing ? this.#failures + 1 : 0;
  }

  #steps(): Readonly<Record<string, () => Promise<void>>> {
    const { authentication, steps, auditLog, idempotency, limits, clock } = this.#deps;
    const isStopping = () => this.#isStopping;
    return {
      sessions: () => authentication.deleteEndedSessions(isStopping),
      'sign-in steps': () => steps.deleteExpired(isStopping),
      keys: () => authentication.deleteExpiredKeys(isStopping),
      counts: () => deleteExpiredLimits(limits, clock, isStopping),
      'audit log': () => auditLog.deleteExpired(isStopping),
      'changes of accounts': () => this.#clearAccountChanges(isStopping),
      'idempotency keys': () => idempotency.deleteExpired(isStopping),
      mail: () => this.#clearMail(isStopping),
      ...this.#stepsOfFeatures(isStopping),
      photos: () => this.#clearPhotos(isStopping),
    };
  }

  #clearAccountChanges(isStopping: () => boolean): Promise<void> {
    const { changeFeed, accountChangesKeptMs, clock } = this.#deps;
    const beforeMs = clock() - accountChangesKeptMs;
    return inBatches((limit) => changeFeed.apply({ kind: 'forget', beforeMs, limit }), isStopping);
  }

  #clearMail(isStopping: () => boolean): Promise<void> {
    const { mail, clock } = this.#deps;
    const beforeMs = clock() - DEAD_MAIL_KEPT_MS;
    return inBatches(async (limit) => (await mail.apply({ kind: 'forget', beforeMs, limit })).length, isStopping);
  }

  #stepsOfFeatures(isStopping: () => boolean) {
    const steps = Object.entries(this.#deps.ofFeatures);
    return Object.fromEntries(steps.map(([what, clear]) => [what, () => inBatches(clear, isStopping)]));
  }

  async #clearPhotos(isStopping: () => boolean): Promise<void> {
    if (this.#uptimeMs() - this.#startedAtMs < PHOTOS_SAFE_MS) return;
    const trashed = await this.#deps.photoFiles.clearUnused(isStopping);
    if (trashed > 0) this.#deps.log.info({ trashed }, 'unused photos moved to the trash');
  }
}
