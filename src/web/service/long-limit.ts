import { MenagerieError } from '../../client/failures.ts';

/** Pages do not count down longer limits. */
const LONG_SECONDS = 60;

/**
 * Whether the cause is a limit of requests that ends too late to wait for. Not among the texts of failures, which
 * every page loads: only forms of visitors need it.
 */
export function isLongLimit(error: unknown): boolean {
  return error instanceof MenagerieError && (error.retryAfterSeconds ?? 0) > LONG_SECONDS;
}
