import type { ClaimRenewal } from '../../domain/held-claim.ts';
import type { Clock } from '../../domain/ports.ts';

const CLAIM_MS = 30_000;
const RENEWALS = 3;

/** Claims of jobs end half a minute after their process was killed, unless this is less. */
export function claimRenewal(clock: Clock, claimMs = CLAIM_MS): ClaimRenewal {
  return {
    clock,
    claimMs,
    repeat(renew) {
      const timer = setInterval(renew, claimMs / RENEWALS).unref();
      return () => clearInterval(timer);
    },
  };
}
