import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { tokens } from '../../src/services/crypto/tokens.ts';

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
