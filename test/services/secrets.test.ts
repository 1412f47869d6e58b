import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, test } from 'node:test';
import { SecretBox } from '../../src/services/crypto/secret-box.ts';
import { keySecrets, tokens } from '../../src/services/crypto/secrets.ts';

void test('sealed response: opens with its own key only, and not after a change of any byte', () => {
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

void test('sealed setting: opens with its key and under its name only, and not after a change of any byte', () => {
  const box = new SecretBox('a key of the operator');
  const sealed = box.seal('mail password', 'marzipan');
  assert.equal(new SecretBox('a key of the operator').open('mail password', sealed), 'marzipan');
  assert.notEqual(box.seal('mail password', 'marzipan'), sealed);
  assert.equal(new SecretBox('another key').open('mail password', sealed), undefined);
  assert.equal(box.open('mail password elsewhere', sealed), undefined);
  const [start, bytes] = [sealed.slice(0, 3), Buffer.from(sealed.slice(3), 'base64url')];
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    assert.equal(box.open('mail password', start + changed.toString('base64url')), undefined, `byte ${index}`);
  }
  for (const text of ['', 'v1.', 'v1.AAAA', 'marzipan', sealed.slice(0, -30)])
    assert.equal(box.open('mail password', text), undefined, text);
});

const THOUSAND = Array.from({ length: 1000 }, (_, index) => index);

void describe('tokens', () => {
  void it('create: 256 bits in 43 characters, all different', () => {
    const created = THOUSAND.map(() => tokens.create());
    assert.ok(created.every((token) => /^[\w-]{43}$/.test(token)));
    assert.equal(new Set(created).size, 1000);
    assert.equal(Buffer.from(created[0] ?? '', 'base64url').byteLength, 32);
  });

  void it('createId: 96 bits in 24 hexadecimal digits, all different', () => {
    const created = THOUSAND.map(() => tokens.createId());
    assert.ok(created.every((id) => /^[0-9a-f]{24}$/.test(id)));
    assert.equal(new Set(created).size, 1000);
  });

  void it('digest: SHA-256 in 43 characters', () => {
    const token = tokens.create();
    assert.equal(tokens.digest(token), createHash('sha256').update(token).digest('base64url'));
    assert.match(tokens.digest(''), /^[\w-]{43}$/);
    assert.notEqual(tokens.digest(token), tokens.digest(`${token} `));
  });
});
