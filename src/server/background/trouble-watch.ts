import type { Logger } from 'pino';

/** Readiness fails after this time. */
const GRACE_MS = 10_000;

const PROBE_EVERY_MS = 1000;

/** A failure has ended after this time without another one, so an intermittent failure counts as one. */
const QUIET_MS = 10_000;

/** Minimum interval between log entries for other reasons of the same failure. */
const NEXT_REASON_MS = 60_000;

interface TroubleWatchDeps {
  /** Undefined to log nothing. */
  log: Logger | undefined;
  /** Log message; the reason follows it. */
  began: string;
  ended: string;
  /** `warn` if nothing is lost or refused meanwhile. */
  level?: 'error' | 'warn';
  /** Rejects while the failure lasts. */
  probe: () => Promise<unknown>;
  probeEveryMs?: number;
  /** Monotonic time. */
  now?: () => number;
}

interface Trouble {
  sinceMs: number;
  /** The number of failures so far. */
  count: number;
  lastFailureMs: number;
  /** Readiness fails from this time on. Undefined after a successful probe. */
  seriousFromMs: number | undefined;
  loggedAtMs: number | undefined;
  reason: string;
}

interface FailureNote {
  /** Only an operator can fix it: readiness fails immediately. */
  isLasting?: boolean;
  /** It was logged elsewhere. */
  isLogged?: boolean;
}

/**
 * Logs the start and the end of a failure once each, and decides on readiness. Probes during a failure, so that a
 * service that gets no requests because it is not ready becomes ready again.
 */
export class TroubleWatch {
  readonly #deps: TroubleWatchDeps;
  readonly #now: () => number;
  #trouble: Trouble | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: TroubleWatchDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  failed(reason: string, { isLasting = false, isLogged = false }: FailureNote = {}): void {
    if (this.#isClosed) return;
    const nowMs = this.#now();
    const seriousFromMs = nowMs + (isLasting ? 0 : GRACE_MS);
    const trouble = (this.#trouble ??= {
      sinceMs: nowMs,
      count: 0,
      lastFailureMs: nowMs,
      seriousFromMs,
      loggedAtMs: undefined,
      reason,
    });
    trouble.lastFailureMs = nowMs;
    trouble.count++;
    trouble.seriousFromMs = Math.min(trouble.seriousFromMs ?? Infinity, seriousFromMs);
    if (!isLogged) this.#logReason(trouble, reason, nowMs);
    if (this.#timer === undefined) this.#probeLater();
  }

  isFailing(): boolean {
    return this.#trouble !== undefined;
  }

  isSerious(): boolean {
    const { seriousFromMs = Infinity } = this.#trouble ?? {};
    return this.#now() >= seriousFromMs;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #logReason(trouble: Trouble, reason: string, nowMs: number): void {
    const isNew = trouble.loggedAtMs === undefined;
    const isOther = reason !== trouble.reason && nowMs - (trouble.loggedAtMs ?? 0) >= NEXT_REASON_MS;
    if (!isNew && !isOther) return;
    trouble.reason = reason;
    trouble.loggedAtMs = nowMs;
    this.#deps.log?.[this.#deps.level ?? 'error'](`${this.#deps.began}: ${reason}`);
  }

  #probeLater(): void {
    this.#timer = setTimeout(() => void this.#probe(), this.#deps.probeEveryMs ?? PROBE_EVERY_MS).unref();
  }

  async #probe(): Promise<void> {
    const trouble = this.#trouble;
    const beganMs = this.#now();
    try {
      await this.#deps.probe();
      if (trouble !== undefined && trouble.lastFailureMs < beganMs) trouble.seriousFromMs = undefined;
    } catch (error) {
      this.failed(error instanceof Error ? error.message : String(error), { isLogged: true });
    }
    if (this.#isClosed || trouble === undefined) return;
    if (this.#now() - trouble.lastFailureMs < QUIET_MS) return this.#probeLater();
    this.#timer = undefined;
    this.#trouble = undefined;
    const seconds = Math.round((this.#now() - trouble.sinceMs) / 1000);
    if (trouble.loggedAtMs !== undefined) this.#deps.log?.info({ seconds, failures: trouble.count }, this.#deps.ended);
  }
}
