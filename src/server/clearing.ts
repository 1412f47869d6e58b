import type { Logger } from 'pino';
import { forgetCounts } from '../domain/accounts/guessing.ts';
import type { SignIn } from '../domain/accounts/sign-in.ts';
import type { AuditTrail } from '../domain/audit-trail.ts';
import type { AccountChanges } from '../domain/events/account-changes.ts';
import type { Idempotency } from '../domain/idempotency/idempotency.ts';
import type { PhotoGallery } from '../domain/photos/photo-gallery.ts';
import type { Clock } from '../domain/ports.ts';
import type { AuditStore } from '../domain/audit.ts';
import type { LimitStore } from '../domain/accounts/throttle.ts';
import { ClockWatch, machineUptimeMs } from './background/clock-watch.ts';

const CLEARING_INTERVAL_MS = 3_600_000;

/** After a start, photos are left alone for this time: an operator may notice meanwhile that a wrong database or folder is in use. */
const PHOTOS_SAFE_MS = 3_600_000;

/** After a failure; twice as long after each further one. */
const FIRST_RETRY_MS = 60_000;

export interface ClearingDeps {
  gallery: PhotoGallery;
  signIn: SignIn;
  auditTrail: AuditTrail;
  accountChanges: AccountChanges;
  idempotency: Idempotency;
  limits: LimitStore;
  audit: Pick<AuditStore, 'list'>;
  clock: Clock;
  /** As in `ClockWatchDeps`. */
  uptimeMs?: () => number;
  log: Logger;
}

/** Clears expired data once an hour, while the clock can be trusted. */
export class Clearing {
  readonly #deps: ClearingDeps;
  readonly #clockWatch: ClockWatch;
  readonly #uptimeMs: () => number;
  readonly #startedAtMs: number;
  #isStopping = false;
  #running = Promise.resolve();
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Starts at once. */
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
    this.#running = this.#clearAll().then(() => {
      if (this.#isStopping) return;
      const retryMs = FIRST_RETRY_MS * 2 ** (this.#failures - 1);
      const delayMs = this.#failures > 0 ? Math.min(retryMs, CLEARING_INTERVAL_MS) : CLEARING_INTERVAL_MS;
      this.#timer = setTimeout(() => this.#start(), delayMs);
      this.#timer.unref();
    });
  }

  /** Runs every step, also after another has failed. */
  async #clearAll(): Promise<void> {
    let isFailing = false;
    for (const [what, step] of Object.entries(this.#steps())) {
      if (this.#isStopping) return;
      try {
        // Before each step, because each reads the clock again.
        if (await this.#clockWatch.isTrusted()) await step();
      } catch (error) {
        isFailing = true;
        this.#deps.log.error({ err: error, what }, 'clearing away failed; it is tried again soon');
      }
    }
    this.#failures = isFailing ? this.#failures + 1 : 0;
  }

  #steps(): Readonly<Record<string, () => Promise<void>>> {
    const { signIn, auditTrail, accountChanges, idempotency, limits, clock } = this.#deps;
    const isStopping = () => this.#isStopping;
    return {
      sessions: () => signIn.forgetSessions(isStopping),
      keys: () => signIn.forgetKeys(isStopping),
      counts: () => forgetCounts(limits, clock, isStopping),
      'audit trail': () => auditTrail.forgetOld(isStopping),
      'changes of accounts': () => accountChanges.forgetOld(isStopping),
      'idempotency keys': () => idempotency.forgetOld(isStopping),
      photos: () => this.#clearPhotos(isStopping),
    };
  }

  async #clearPhotos(isStopping: () => boolean): Promise<void> {
    if (this.#uptimeMs() - this.#startedAtMs < PHOTOS_SAFE_MS) return;
    const trashed = await this.#deps.gallery.clearUnused(isStopping);
    if (trashed > 0) this.#deps.log.info({ trashed }, 'unused photos moved to the trash');
  }
}
