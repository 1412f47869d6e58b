import { Failure } from './failure.ts';
import type { Clock } from './ports.ts';

const HOUR_MS = 3_600_000;

/** Counts requests by the hour of the clock: the number that the `X-Rate-Limit` header of a login tells. */
export function createRequestBudget(requestsPerHour: number, clock: Clock) {
  let hour = 0;
  let spent = new Map<string, number>();

  return {
    /** @throws Failure `too-many-requests` beyond the number, with the seconds until the next hour */
    spend(key: string): void {
      const nowMs = clock();
      const thisHour = Math.floor(nowMs / HOUR_MS);
      if (thisHour !== hour) {
        hour = thisHour;
        spent = new Map();
      }
      const count = (spent.get(key) ?? 0) + 1;
      spent.set(key, count);
      if (count <= requestsPerHour) return;
      const retryAfterSeconds = Math.ceil(((thisHour + 1) * HOUR_MS - nowMs) / 1000);
      throw new Failure(
        'too-many-requests',
        `This session may send ${requestsPerHour} requests an hour. Try again later.`,
        {
          retryAfterSeconds,
        },
      );
    },
  };
}
