import type { ClaimRenewal } from '../../domain/held-claim.ts';
import type { Clock } from '../../domain/ports.ts';

const CLAIM_MS = 30_000;
const RENEWALS = 3;

/** Claims of jobs end half a minute after their process was killed. */
export function claimRenewal(clock: Clock): ClaimRenewal {
  return {
    clock,
    claimMs: CLAIM_MS,
    repeat(renew) {
      const timer = setInterval(renew, CLAIM_MS / RENEWALS).unref();
      return () => clearInterval(timer);
    },
  };
}
