import type { Logger } from 'pino';
import { forgetCounts } from '../domain/accounts/guessing.ts';
import type { SignIn } from '../domain/accounts/sign-in.ts';
import type { AuditTrail } from '../domain/audit-trail.ts';
import type { PhotoGallery } from '../domain/pets/photo-gallery.ts';
import type { Clock, Limits } from '../domain/ports.ts';

const CLEARING_INTERVAL_MS = 3_600_000;

interface ClearingNeeds {
  gallery: PhotoGallery;
  signIn: SignIn;
  auditTrail: AuditTrail;
  limits: Limits;
  clock: Clock;
  log: Logger;
}

/** Clears away what has had its time, now and then. Returns a function that stops it, when the run at work is through. */
export function clearFromTimeToTime({
  gallery,
  signIn,
  auditTrail,
  limits,
  clock,
  log,
}: ClearingNeeds): () => Promise<void> {
  let isStopping = false;
  let running = Promise.resolve();
  async function clear(): Promise<void> {
    try {
      await signIn.forgetExpired();
      await forgetCounts(limits, clock);
      await auditTrail.forgetOld(() => isStopping);
      const removed = await gallery.clearUnused(() => isStopping);
      if (removed > 0) log.info({ removed }, 'unused pictures removed');
    } catch (error) {
      log.error({ err: error }, 'clearing away failed; it is tried again in an hour');
    }
  }
  const timer = setInterval(() => {
    running = running.then(clear);
  }, CLEARING_INTERVAL_MS);
  timer.unref();
  running = clear();
  return async () => {
    isStopping = true;
    clearInterval(timer);
    await running;
  };
}
