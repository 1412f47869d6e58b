import assert from 'node:assert/strict';
import type { CreatedPlayground, Playground } from '../../src/api/records/playgrounds/playground.ts';
import { clientOf, type Call } from './client.ts';

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
  const response = await service('POST', 'sandboxes', { json: options, headers });
  assert.equal(response.status, 200, response.text);
  const created = JSON.parse(response.text) as CreatedPlayground;
  return { ...created, call: clientOf(created.base) };
}

export async function playgroundState(service: Call, { token }: Pick<Playground, 'token'>): Promise<Playground> {
  const response = await service('GET', `sandboxes/${token}`);
  assert.equal(response.status, 200, response.text);
  return JSON.parse(response.text) as Playground;
}
