import { Distribution, quantileOf } from '../../domain/activity.ts';
import {
  ACTIVITY_MINUTES,
  ACTIVITY_SERIES,
  type ActivityHistory,
  type ActivitySeries,
} from '../../domain/activity-history.ts';
import type { Clock } from '../../domain/ports.ts';
import type { RequestTotals } from '../../http/pipeline/http-activity.ts';

const MINUTE_MS = 60_000;

const SECOND_MS = 1000;

/** Short enough to notice a queue, and cheap: a reading takes 20 microseconds. */
const SAMPLE_MS = 5000;

const { bounds } = Distribution.ofDurations();

/** The counters and gauges that metrics have as well. */
export interface ActivityReadings {
  /** Read once a minute. */
  totals(): RequestTotals;
  /** Of several readings in a minute, the highest is kept. */
  gauges(): ActivityGauges;
}

export type ActivityGauges = Readonly<Record<Exclude<ActivitySeries, 'requests' | 'errors' | 'p99Ms'>, number>>;

/** The minutes of the last day in 90 KiB of memory: 8 series of 1,440 numbers. */
export class ActivityMinutes {
  readonly #clock: Clock;
  /**
   * A ring for each series, from the first minute on: a playground has none. A minute has the place of its number since
   * 1970, modulo the length. Not a number: no value.
   */
  readonly #rings = new Map<ActivitySeries, Float64Array>();
  #first: number;
  /** The minute in progress. */
  #minute: number;
  #highest: Partial<Record<keyof ActivityGauges, number>> = {};
  #before: RequestTotals | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#first = this.#minute = this.#now();
  }

  /** Returns a function that ends it. */
  sampleFrom(readings: ActivityReadings): () => void {
    this.#before = readings.totals();
    const timer = setInterval(() => this.sample(readings), SAMPLE_MS).unref();
    return () => clearInterval(timer);
  }

  sample(readings: ActivityReadings): void {
    const now = this.#now();
    // The clock was set back.
    if (now < this.#minute - 1) this.#first = this.#minute = now;
    if (now > this.#minute) this.#close(readings.totals(), now);
    for (const [name, value] of Object.entries(readings.gauges()) as [keyof ActivityGauges, number][])
      this.#highest[name] = Math.max(this.#highest[name] ?? 0, value);
  }

  read(): ActivityHistory {
    const now = this.#minute;
    const first = Math.max(this.#first, now - ACTIVITY_MINUTES + 1);
    const places = Array.from({ length: now - first }, (_, index) => (first + index) % ACTIVITY_MINUTES);
    const valuesOf = (series: ActivitySeries) =>
      places.map((place) => {
        const value = this.#rings.get(series)?.[place] ?? Number.NaN;
        return Number.isNaN(value) ? null : value;
      });
    return {
      sinceMs: first * MINUTE_MS,
      series: Object.fromEntries(
        ACTIVITY_SERIES.map((series) => [series, valuesOf(series)]),
      ) as unknown as ActivityHistory['series'],
    };
  }

  #close(totals: RequestTotals, now: number): void {
    const { requests = 0, errors = 0, durations } = this.#before ?? {};
    const counts = totals.durations.map((count, index) => count - (durations?.[index] ?? 0));
    const p99 = quantileOf(bounds, counts, 0.99);
    this.#store(this.#minute, {
      requests: totals.requests - requests,
      errors: totals.errors - errors,
      ...(p99 !== undefined && { p99Ms: Math.round(p99 * SECOND_MS * 10) / 10 }),
      ...this.#highest,
    });
    this.#before = totals;
    this.#highest = {};
    // While the machine sleeps, there are no values.
    for (let minute = Math.max(this.#minute + 1, now - ACTIVITY_MINUTES); minute < now; minute++)
      this.#store(minute, {});
    this.#minute = now;
  }

  #store(minute: number, values: Partial<Record<ActivitySeries, number>>): void {
    for (const series of ACTIVITY_SERIES) {
      const ring = this.#rings.get(series) ?? new Float64Array(ACTIVITY_MINUTES).fill(Number.NaN);
      ring[minute % ACTIVITY_MINUTES] = values[series] ?? Number.NaN;
      this.#rings.set(series, ring);
    }
  }

  #now(): number {
    return Math.floor(this.#clock() / MINUTE_MS);
  }
}
