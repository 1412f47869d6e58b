import type { ServerResponse } from 'node:http';
import { Failure, type RequestLimit } from '../../domain/failure.ts';
import type { Clock } from '../../domain/ports.ts';
import { addRateLimitLines } from '../../http/pipeline/common-headers.ts';
import { rateLimitLines } from '../../http/pipeline/rate-limit-fields.ts';

const MINUTE_MS = 60_000;

interface RequestCountsOptions {
  /** The name of the limit in header fields. */
  name: string;
  perMinute: number;
  /** The sentence of a refusal. */
  message: string;
  clock: Clock;
}

/** The requests of the current minute. */
export class RequestCounts {
  readonly #limit: RequestLimit & { quota: number };
  readonly #message: string;
  readonly #clock: Clock;
  #minute = 0;
  #count = 0;

  constructor({ name, perMinute, message, clock }: RequestCountsOptions) {
    this.#limit = { name, quota: perMinute, windowSeconds: MINUTE_MS / 1000 };
    this.#message = message;
    this.#clock = clock;
  }

  /** Whether its requests do not count any more. */
  get hasEnded(): boolean {
    return Math.floor(this.#clock() / MINUTE_MS) !== this.#minute;
  }

  /** Counts a request, and reports in its response what is left. @returns the failure if it exceeds the limit */
  count(response?: ServerResponse): Failure | undefined {
    const nowMs = this.#clock();
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) [this.#minute, this.#count] = [minute, 0];
    const retryAfterSeconds = Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / 1000);
    const remaining = this.#limit.quota - ++this.#count;
    if (remaining < 0)
      return new Failure('too-many-requests', this.#message, { retryAfterSeconds, limit: this.#limit });
    if (response !== undefined) addRateLimitLines(response, rateLimitLines(this.#limit, remaining, retryAfterSeconds));
    return undefined;
  }
}
