import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { LimitStore } from './throttle.ts';

const HOUR_MS = 3_600_000;

export interface RequestBudgetOptions {
  /** A lease is this part of the number: a store is asked rarely, and a server that ends wastes little. */
  leasesAnHour?: number;
  /** The name of what is counted, for the message of a refusal. */
  unit?: string;
}

interface Lease {
  left: number;
  isUsedUp: boolean;
  filling: Promise<void> | undefined;
}

export type RequestBudget = ReturnType<typeof createRequestBudget>;

/**
 * Counts requests by the hour of the clock: the number that the `X-Rate-Limit` header of a login tells. It holds across nodes and restarts: each
 * server leases a part of the number from the store, and counts that down in memory.
 */
export function createRequestBudget(
  requestsPerHour: number,
  limits: LimitStore,
  clock: Clock,
  { leasesAnHour = 1000, unit = 'requests' }: RequestBudgetOptions = {},
) {
  const usualAmount = Math.ceil(requestsPerHour / leasesAnHour);
  let hour = 0;
  let leases = new Map<string, Lease>();

  function leaseOf(key: string): Lease {
    const thisHour = Math.floor(clock() / HOUR_MS);
    if (thisHour !== hour) {
      hour = thisHour;
      leases = new Map();
    }
    const lease = leases.get(key) ?? { left: 0, isUsedUp: false, filling: undefined };
    leases.set(key, lease);
    return lease;
  }

  async function fill(lease: Lease, key: string, wanted: number): Promise<void> {
    const amount = Math.max(usualAmount, wanted - lease.left);
    try {
      const granted = await limits.apply({ kind: 'lease', key, hour, amount, most: requestsPerHour });
      lease.left += granted;
      lease.isUsedUp = granted === 0;
    } finally {
      lease.filling = undefined;
    }
  }

  function spendAtOnce(key: string, count = 1): boolean {
    const lease = leaseOf(key);
    if (lease.left < count) return false;
    lease.left -= count;
    return true;
  }

  return {
    /** Spends one request, if that is possible without asking the store; nearly always it is. */
    spendAtOnce,

    /**
     * Spends requests of this hour; a count larger than the budget spends all of it.
     *
     * @throws Failure `too-many-requests` beyond the number, with the seconds until the next hour
     */
    async spend(key: string, count = 1): Promise<void> {
      const wanted = Math.min(count, requestsPerHour);
      while (!spendAtOnce(key, wanted)) {
        const lease = leaseOf(key);
        if (lease.isUsedUp) throw usedUp(requestsPerHour, unit, clock());
        lease.filling ??= fill(lease, key, wanted);
        await lease.filling;
      }
    },
  };
}

function usedUp(requestsPerHour: number, unit: string, nowMs: number): Failure {
  const retryAfterSeconds = Math.ceil((HOUR_MS - (nowMs % HOUR_MS)) / 1000);
  return new Failure('too-many-requests', `At most ${requestsPerHour} ${unit} an hour. Try again later.`, {
    retryAfterSeconds,
  });
}
