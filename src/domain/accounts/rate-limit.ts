import { Failure, type RequestLimit } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { LimitStore } from './throttle.ts';

const HOUR_MS = 3_600_000;

interface RateLimitDeps {
  limits: LimitStore;
  clock: Clock;
  /** Maximum per key and hour. */
  perHour: number;
  /**
   * Number of leases into which the limit is divided. Fewer leases mean fewer calls of the store, but more is lost when
   * a server stops.
   */
  leasesPerHour?: number;
  /** The counted unit, for the message of a refusal. */
  unit?: string;
  /** The name of the limit in header fields. */
  name?: string;
}

/** A limit per clock hour. */
export function hourlyLimit(name: string, perHour: number): RequestLimit {
  return { name, quota: perHour, windowSeconds: HOUR_MS / 1000 };
}

interface Lease {
  left: number;
  isUsedUp: boolean;
  pending: Promise<void> | undefined;
}

/**
 * A limit per key and clock hour, across nodes and restarts: each server leases a share of the limit from the store,
 * and counts it down in memory. The limit for requests is in the `X-Rate-Limit` header of a login.
 */
export class RateLimit {
  readonly #limits: LimitStore;
  readonly #clock: Clock;
  readonly #perHour: number;
  readonly #leaseAmount: number;
  readonly #unit: string;
  readonly #limit: RequestLimit;
  #hour = 0;
  #leases = new Map<string, Lease>();

  constructor({ limits, clock, perHour, leasesPerHour = 1000, unit = 'requests', name = unit }: RateLimitDeps) {
    this.#limits = limits;
    this.#clock = clock;
    this.#perHour = perHour;
    this.#leaseAmount = Math.ceil(perHour / leasesPerHour);
    this.#unit = unit;
    this.#limit = hourlyLimit(name, perHour);
  }

  /**
   * Spends from the current lease, which nearly always suffices.
   * @returns false if it does not suffice, and nothing was spent
   */
  trySpend(key: string, count = 1): boolean {
    const lease = this.#leaseOf(key);
    if (lease.left < count) return false;
    lease.left -= count;
    return true;
  }

  /**
   * Spends `count` of the limit of this hour. A count above the limit spends the whole limit.
   *
   * @throws Failure `too-many-requests` beyond the limit, with the seconds until the next hour
   */
  async spend(key: string, count = 1): Promise<void> {
    const wanted = Math.min(count, this.#perHour);
    while (!this.trySpend(key, wanted)) {
      const lease = this.#leaseOf(key);
      if (lease.isUsedUp) throw this.#usedUp();
      lease.pending ??= this.#renew(lease, key, wanted);
      await lease.pending;
    }
  }

  #leaseOf(key: string): Lease {
    const thisHour = Math.floor(this.#clock() / HOUR_MS);
    if (thisHour !== this.#hour) {
      this.#hour = thisHour;
      this.#leases = new Map();
    }
    const lease = this.#leases.get(key) ?? { left: 0, isUsedUp: false, pending: undefined };
    this.#leases.set(key, lease);
    return lease;
  }

  async #renew(lease: Lease, key: string, wanted: number): Promise<void> {
    const amount = Math.max(this.#leaseAmount, wanted - lease.left);
    try {
      const change = { kind: 'lease', key, hour: this.#hour, amount, most: this.#perHour } as const;
      const granted = await this.#limits.apply(change);
      lease.left += granted;
      lease.isUsedUp = granted === 0;
    } finally {
      lease.pending = undefined;
    }
  }

  #usedUp(): Failure {
    const retryAfterSeconds = Math.ceil((HOUR_MS - (this.#clock() % HOUR_MS)) / 1000);
    return new Failure(
      'too-many-requests',
      `Too many requests: the limit is ${this.#perHour} ${this.#unit} per hour. Try again later.`,
      { retryAfterSeconds, limit: this.#limit },
    );
  }
}
