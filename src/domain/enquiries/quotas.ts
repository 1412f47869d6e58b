import { Failure } from '../failure.ts';
import type { Quota } from './ports.ts';

/**
 * The limit of all clients is `unavailable`: a client cannot stay below it.
 *
 * @param waitMs until the count restarts
 */
export function quotaUsedUp({ name, limit }: Quota, waitMs: number): Failure {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const message = 'Too many enquiries. Try again later, or write to the shelter by e-mail.';
  if (name === undefined) return new Failure('unavailable', message, { retryAfterSeconds });
  const { free: quota, forgetAfterMs } = limit;
  const exceeded = { name, quota, windowSeconds: forgetAfterMs / 1000 };
  return new Failure('too-many-requests', message, { retryAfterSeconds, limit: exceeded });
}
