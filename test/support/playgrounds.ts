import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { CreatedPlayground, Playground } from '../../src/api/records/playgrounds/playground.ts';
import { clientOf, type Call, type HttpResponse } from './client.ts';

/** A playground, and a client of its API. */
export interface TestPlayground extends CreatedPlayground {
  call: Call;
}

/** @param service a client of the service, whose requests may create playgrounds */
export async function createPlayground(
  service: Call,
  options: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<TestPlayground> {
  const response = await service('POST', 'playgrounds', { json: options, headers });
  assert.equal(response.status, 200, response.text);
  const created = JSON.parse(response.text) as CreatedPlayground;
  return { ...created, call: clientOf(created.base) };
}

export async function playgroundState(service: Call, { token }: Pick<Playground, 'token'>): Promise<Playground> {
  const response = await service('GET', `playgrounds/${token}`);
  assert.equal(response.status, 200, response.text);
  return JSON.parse(response.text) as Playground;
}

/** About 200 KB that cannot be compressed. */
export function largePet(): object {
  const photoUrls = Array.from({ length: 100 }, () => `https://example.org/${word(1900)}`);
  return { name: word(200), photoUrls, tags: [], status: 'available' };
}

function word(length: number): string {
  return randomBytes(length).toString('base64url').slice(0, length);
}

/** Adds large pets until one is refused. @returns how many were stored, and the refusal */
export async function fill({ call }: Pick<TestPlayground, 'call'>): Promise<{ stored: number; refusal: HttpResponse }> {
  for (let stored = 0; ; stored++) {
    const refusal = await call('POST', 'pet', { json: largePet() });
    if (refusal.status !== 200) return { stored, refusal };
    assert.ok(stored < 500, 'a playground is limited');
  }
}
