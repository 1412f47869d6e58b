import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keySecrets } from '../../src/services/crypto/key-secrets.ts';

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
