import { uptime } from 'node:os';
import type { Logger } from 'pino';
import type { Clock } from '../../domain/ports.ts';
import type { AuditStore } from '../../domain/audit.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Maximum difference between clock and uptime from one check to the next: NTP corrects small differences all the time.
 */
const MAX_DRIFT_MS = 5 * MINUTE_MS;

/** At the start, a longer time without an entry in the audit log may be a jump of the clock. */
const MAX_GAP_MS = 7 * DAY_MS;

/** A clock that may have jumped is trusted again after it has run for this time without a jump. */
const TRIAL_MS = DAY_MS;

interface ClockWatchDeps {
  clock: Clock;
  /**
   * Time since the machine was started. Setting the clock does not change it, and it includes sleep, unlike
   * `performance.now()`.
   */
  uptimeMs: () => number;
  audit: Pick<AuditStore, 'list'>;
  log: Logger;
}

export function machineUptimeMs(): number {
  return uptime() * 1000;
}

/**
 * Guards permanent deletions: to a clock that is a year ahead, everything looks expired. Between two checks, the clock
 * must advance as the uptime does. The first check has no earlier one, so it requires an entry in the audit log that is
 * between one day and eight days old. Entries of the last day do not count because they may come from the wrong clock.
 */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #uptimeMs: () => number;
  readonly #audit: Pick<AuditStore, 'list'>;
  readonly #log: Logger;
  #last: { nowMs: number; uptimeMs: number } | undefined;
  /** In terms of the uptime. */
  #trustedFromMs = -Infinity;

  constructor({ clock, uptimeMs, audit, log }: ClockWatchDeps) {
    this.#clock = clock;
    this.#uptimeMs = uptimeMs;
    this.#audit = audit;
    this.#log = log;
  }

  /** @throws Failure `unavailable` if the audit log cannot be read */
  async isTrusted(): Promise<boolean> {
    const nowMs = this.#clock();
    const uptimeMs = this.#uptimeMs();
    if (this.#last === undefined) {
      const gapMs = await this.#gapMs(nowMs);
      if (gapMs > MAX_GAP_MS) this.#distrust({ gapDays: Math.round(gapMs / DAY_MS) }, uptimeMs);
    } else {
      const jumpMs = nowMs - this.#last.nowMs - (uptimeMs - this.#last.uptimeMs);
      if (Math.abs(jumpMs) > MAX_DRIFT_MS) this.#distrust({ jumpSeconds: Math.round(jumpMs / 1000) }, uptimeMs);
    }
    this.#last = { nowMs, uptimeMs };
    return uptimeMs >= this.#trustedFromMs;
  }

  /**
   * Age of the newest audit entry that is older than a day; 0 if there is none, because nothing is then old enough to
   * be deleted.
   */
  async #gapMs(nowMs: number): Promise<number> {
    const [newest] = await this.#audit.list({ untilMs: nowMs - DAY_MS }, { beforeId: undefined, limit: 1 });
    return newest === undefined ? 0 : nowMs - newest.stamp.atMs;
  }

  #distrust(found: object, uptimeMs: number): void {
    this.#trustedFromMs = uptimeMs + TRIAL_MS;
    this.#log.error(
      { ...found, now: new Date(this.#clock()).toISOString() },
      'the clock may be wrong; expired data is kept until it has run for a day without a jump',
    );
  }
}
