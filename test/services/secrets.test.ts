import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, test } from 'node:test';
import { keySecrets, tokens } from '../../src/services/crypto/secrets.ts';

void test('a sealed answer: opens with its own key only, and not after a change of any byte', () => {
  const secrets = keySecrets.of('POST /v2/pet', 'a key');
  const sealed = secrets.seal('{"id":1}');
  assert.equal(secrets.open(sealed), '{"id":1}');
  assert.throws(() => keySecrets.of('POST /v2/pet', 'another key').open(sealed));
  for (const index of Buffer.from(sealed, 'base64').keys()) {
    const changed = Buffer.from(sealed, 'base64');
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    assert.throws(() => secrets.open(changed.toString('base64')), `byte ${index}`);
  }
});

const THOUSAND = Array.from({ length: 1000 }, (_, index) => index);

void describe('tokens', () => {
  void it('are 256 bits in 43 characters, each another', () => {
    const created = THOUSAND.map(() => tokens.create());
    assert.ok(created.every((token) => /^[\w-]{43}$/.test(token)));
    assert.equal(new Set(created).size, 1000);
    assert.equal(Buffer.from(created[0] ?? '', 'base64url').byteLength, 32);
  });

  void it('have public names of 96 bits in 24 characters, each another, and none like a flag', () => {
    const created = THOUSAND.map(() => tokens.createId());
    assert.ok(created.every((id) => /^[0-9a-f]{24}$/.test(id)));
    assert.equal(new Set(created).size, 1000);
  });

  void it('have a digest: the SHA-256, in 43 characters, the same each time', () => {
    const token = tokens.create();
    assert.equal(tokens.digest(token), createHash('sha256').update(token).digest('base64url'));
    assert.match(tokens.digest(''), /^[\w-]{43}$/);
    assert.notEqual(tokens.digest(token), tokens.digest(`${token} `));
  });
});
