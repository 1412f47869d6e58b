import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLookalike } from '../../src/services/crypto/lookalikes.ts';

const alike: readonly (readonly [name: string, other: string])[] = [
  ['r\u043E\u043Et', 'root'],
  ['RO0T', 'root'],
  ['\u041DARRY', 'harry'],
  ['adrnin', 'admin'],
  ['lan', 'Ian'],
  ['paypa1', 'Paypal'],
  ['\u{1D42B}oot', 'ROOT'],
];

for (const [name, other] of alike) {
  void test(`lookalikes: ${name} looks like ${other}`, () => {
    assert.equal(findLookalike(['ada', name], ['edna', other]), name);
  });
}

void test('lookalikes: names that look different are accepted', () => {
  assert.equal(findLookalike(['robot', 'rood', 'r\u00F6ot', '\u043D'], ['root', 'h']), undefined);
});
