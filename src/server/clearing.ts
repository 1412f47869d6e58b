import type { Logger } from 'pino';
import { deleteExpiredLimits } from '../domain/accounts/attempt-throttle.ts';
import type { Authentication } from '../domain/accounts/authentication.ts';
import type { AuditTrail } from '../domain/audit-trail.ts';
import { inBatches } from '../domain/batches.ts';
import type { ChangeFeedStore } from '../domain/events/ports.ts';
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

interface ClearingDeps {
  gallery: PhotoGallery;
  authentication: Authentication;
  auditTrail: AuditTrail;
  idempotency: Idempotency;
  limits: LimitStore;
  changeFeed: ChangeFeedStore;
  /** They contain the names of accounts, so they are kept as long as the audit trail. */
  accountChangesKeptMs: number;
  audit: Pick<AuditStore, 'list'>;
  clock: Clock;
  /** As in `ClockWatchDeps`. */
  uptimeMs?: () => number;
  log: Logger;
}

/** Clears expired data from time to time, while the clock can be trusted. Returns a function that stops it after the current step. */
export function clearFromTimeToTime({
  gallery,
  authentication,
  auditTrail,
  changeFeed,
  accountChangesKeptMs,
  idempotency,
  limits,
  audit,
  clock,
  uptimeMs = machineUptimeMs,
  log,
}: ClearingDeps): () => Promise<void> {
  let isStopping = false;
  let running = Promise.resolve();
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  const startedAtMs = uptimeMs();
  const isToStop = () => isStopping;
  const clockWatch = new ClockWatch({ clock, uptimeMs, audit, log });

  /** Each runs even if others fail. */
  const steps: Readonly<Record<string, () => Promise<void>>> = {
    sessions: () => authentication.deleteEndedSessions(isToStop),
    keys: () => authentication.deleteExpiredKeys(isToStop),
    counts: () => deleteExpiredLimits(limits, clock, isToStop),
    'audit trail': () => auditTrail.deleteExpired(isToStop),
    'changes of accounts': () => {
      const beforeMs = clock() - accountChangesKeptMs;
      return inBatches((limit) => changeFeed.apply({ kind: 'forget', beforeMs, limit }), isToStop);
    },
    'idempotency keys': () => idempotency.deleteExpired(isToStop),
    photos: async () => {
      if (uptimeMs() - startedAtMs < PHOTOS_SAFE_MS) return;
      const trashed = await gallery.clearUnused(isToStop);
      if (trashed > 0) log.info({ trashed }, 'unused photos moved to the trash');
    },
  };

  async function clear(): Promise<void> {
    let isFailing = false;
    for (const [what, step] of Object.entries(steps)) {
      if (isStopping) return;
      try {
        // Before each step: each reads the clock again.
        if (await clockWatch.isTrusted()) await step();
      } catch (error) {
        isFailing = true;
        log.error({ err: error, what }, 'clearing away failed; it is tried again soon');
      }
    }
    failures = isFailing ? failures + 1 : 0;
  }

  function begin(): void {
    running = clear().then(() => {
      if (isStopping) return;
      const retryMs = FIRST_RETRY_MS * 2 ** (failures - 1);
      timer = setTimeout(begin, failures > 0 ? Math.min(retryMs, CLEARING_INTERVAL_MS) : CLEARING_INTERVAL_MS);
      timer.unref();
    });
  }

  begin();
  return async () => {
    isStopping = true;
    clearTimeout(timer);
    await running;
  };
}
