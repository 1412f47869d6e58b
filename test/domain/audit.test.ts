import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Actor } from '../../src/domain/access.ts';
import { stampOf, type Stamp } from '../../src/domain/audit.ts';
import { testSession } from '../support/changes.ts';

const address = '192.0.2.1';
const ada = { address, userId: 7n, username: 'Ada', role: 'editor' } as const;

const stamps: [name: string, actor: Actor, stamp: Omit<Stamp, 'atMs'>][] = [
  [
    'an anonymous actor',
    { kind: 'anonymous', address },
    { via: 'anonymous', actorId: null, actorName: null, actorRole: null, credentialId: null, address },
  ],
  [
    'a logged-in user',
    { kind: 'signed-in', ...ada, session: testSession({ id: 'abc', digest: 'SECRET', startedAtMs: 5 }) },
    { via: 'session', actorId: 7n, actorName: 'Ada', actorRole: ada.role, credentialId: 'abc', address },
  ],
  [
    'the holder of an API key',
    { kind: 'key', ...ada, isAccessToken: false, keyId: 'xyz', scopes: ['write:pets'] },
    { via: 'key', actorId: 7n, actorName: 'Ada', actorRole: ada.role, credentialId: 'xyz', address },
  ],
  [
    'the operator',
    { kind: 'operator', name: 'root' },
    {
      via: 'command-line',
      actorId: null,
      actorName: 'root',
      actorRole: null,
      credentialId: null,
      address: null,
    },
  ],
];

void describe('change stamp', () => {
  for (const [name, actor, stamp] of stamps) {
    void it(`of ${name} has the actor, the time and the address, and nothing else`, () => {
      assert.deepEqual(stampOf(actor, 1234), { ...stamp, atMs: 1234 });
    });
  }
});
