import type { CountedFailures } from '../../domain/accounts/throttle.ts';
import type { RequestRecord } from '../../domain/idempotency/request-claim.ts';

/* Requests with an idempotency key and counted failures as rows of both engines. */

export type RequestRow = [
  fingerprint: string,
  claim: string,
  claimedUntilMs: bigint,
  doneBy: string | null,
  result: string | null,
  answer: string | null,
  expiresAtMs: bigint,
];

export const REQUEST_COLUMNS = 'fingerprint, claim, claimed_until_ms, done_by, result, answer, expires_at_ms';

export function toRequestRecord(row: RequestRow): RequestRecord {
  const [fingerprint, claim, claimedUntilMs, doneBy, result, answer, expiresAtMs] = row;
  const times = { claimedUntilMs: Number(claimedUntilMs), expiresAtMs: Number(expiresAtMs) };
  return { fingerprint, claim, doneBy, result, answer, ...times };
}

export type CountRow = [count: bigint, firstAtMs: bigint, lastAtMs: bigint];

export function toCountedFailures([count, firstAtMs, lastAtMs]: CountRow): CountedFailures {
  return { count: Number(count), firstAtMs: Number(firstAtMs), lastAtMs: Number(lastAtMs) };
}
