import type { RequestLimit } from '../../domain/failure.ts';

/*
 * The header fields RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10): lists of structured
 * fields (RFC 9651). Names of limits are constants of the service, which need no escaping.
 */

/** The limit, which is the same in every response. */
export function policyField({ name, quota, windowSeconds, isConcurrent }: RequestLimit): string {
  const window = windowSeconds === undefined ? '' : `;w=${windowSeconds}`;
  return `"${name}";q=${quota}${isConcurrent === true ? ';qu="concurrent-requests"' : ''}${window}`;
}

/**
 * What is left of the limit.
 *
 * @param resetSeconds when more is available; undefined if that depends on other requests of the client
 */
export function remainingField({ name }: RequestLimit, remaining: number, resetSeconds?: number): string {
  return `"${name}";r=${remaining}${resetSeconds === undefined ? '' : `;t=${resetSeconds}`}`;
}

/** Both fields as lines of a response. */
export function rateLimitLines(limit: RequestLimit, remaining: number, resetSeconds: number): string {
  return `RateLimit-Policy: ${policyField(limit)}\r\nRateLimit: ${remainingField(limit, remaining, resetSeconds)}\r\n`;
}
