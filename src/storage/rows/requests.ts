import type { RequestRecord } from '../../domain/request-claim.ts';

/* Requests with an idempotency key as rows of both engines. */

export type RequestRow = [
  fingerprint: string,
  claim: string,
  claimLeftMs: bigint,
  doneBy: string | null,
  result: string | null,
  response: string | null,
  expiresAtMs: bigint,
];

/** @param now the time as an SQL expression, in milliseconds */
export function requestColumns(now: string): string {
  return `fingerprint, claim, claimed_until_ms - ${now}, done_by, result, answer, expires_at_ms`;
}

export function toRequestRecord(row: RequestRow): RequestRecord {
  const [fingerprint, claim, claimLeftMs, doneBy, result, response, expiresAtMs] = row;
  const times = { claimLeftMs: Number(claimLeftMs), expiresAtMs: Number(expiresAtMs) };
  return { fingerprint, claim, doneBy, result, response, ...times };
}
