import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Actor } from '../../src/domain/access.ts';
import { stampOf, type Stamp } from '../../src/domain/audit.ts';

const address = '192.0.2.1';
const ada = { address, userId: 7n, username: 'Ada', role: 'editor' } as const;

const stamps: { name: string; actor: Actor; stamp: Omit<Stamp, 'atMs'> }[] = [
  {
    name: 'an anonymous actor',
    actor: { kind: 'anonymous', address },
    stamp: { via: 'anonymous', actorId: null, actorName: null, actorRole: null, credentialId: null, address },
  },
  {
    name: 'a logged-in user',
    actor: { kind: 'signed-in', ...ada, session: { id: 'abc', digest: 'SECRET', startedAtMs: 5 } },
    stamp: { via: 'session', actorId: 7n, actorName: 'Ada', actorRole: ada.role, credentialId: 'abc', address },
  },
  {
    name: 'the holder of an API key',
    actor: { kind: 'key', ...ada, keyId: 'xyz', scopes: ['write:pets'] },
    stamp: { via: 'key', actorId: 7n, actorName: 'Ada', actorRole: ada.role, credentialId: 'xyz', address },
  },
  {
    name: 'the operator',
    actor: { kind: 'operator', name: 'root' },
    stamp: {
      via: 'command-line',
      actorId: null,
      actorName: 'root',
      actorRole: null,
      credentialId: null,
      address: null,
    },
  },
];

void describe('change stamp', () => {
  for (const { name, actor, stamp } of stamps) {
    void it(`of ${name} has the actor, the time and the address, and nothing else`, () => {
      assert.deepEqual(stampOf(actor, 1234), { ...stamp, atMs: 1234 });
    });
  }
});
