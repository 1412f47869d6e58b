import assert from 'node:assert/strict';
import { parseList, type Item } from 'structured-headers';

export interface ServiceLimit {
  name: string;
  quota: number;
  windowSeconds: number | undefined;
  unit: string | undefined;
  remaining: number;
  resetSeconds: number | undefined;
}

/** The one limit in `RateLimit-Policy` and `RateLimit`, read as structured fields. */
export function limitIn(headers: Headers): ServiceLimit {
  const [name, policy] = onlyItem(headers, 'ratelimit-policy');
  const [sameName, state] = onlyItem(headers, 'ratelimit');
  assert.equal(sameName, name);
  const { q: quota, w: windowSeconds, qu: unit } = policy as { q: number; w?: number; qu?: string };
  const { r: remaining, t: resetSeconds } = state as { r: number; t?: number };
  for (const number of [quota, remaining]) assert.ok(Number.isInteger(number) && number >= 0, String(number));
  for (const number of [windowSeconds, resetSeconds])
    assert.ok(number === undefined || (Number.isInteger(number) && number > 0), String(number));
  assert.ok(remaining <= quota);
  return { name, quota, windowSeconds, unit, remaining, resetSeconds };
}

/** A response with 429 says which limit was exceeded, and `Retry-After` is not earlier than its reset. */
export function assertLimited(headers: Headers): void {
  const retryAfter = Number(headers.get('retry-after'));
  assert.ok(retryAfter > 0, 'Retry-After');
  const { remaining, resetSeconds = 0 } = limitIn(headers);
  assert.equal(remaining, 0);
  assert.ok(retryAfter >= resetSeconds, `Retry-After is ${retryAfter}, the reset ${resetSeconds}`);
}

function onlyItem(headers: Headers, field: string): readonly [name: string, parameters: object] {
  const list = parseList(headers.get(field) ?? assert.fail(`no ${field}`)) as Item[];
  assert.equal(list.length, 1, field);
  const [name, parameters] = list[0] ?? assert.fail(field);
  assert.ok(typeof name === 'string', field);
  return [name, Object.fromEntries(parameters)];
}
