import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { canonicalUsername, usernameKey } from '../../src/domain/accounts/user.ts';

const username = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });

void describe('username key', () => {
  void it('is stable: the key of a key is itself', () => {
    fc.assert(
      fc.property(username, (name) => {
        assert.equal(usernameKey(usernameKey(name)), usernameKey(name));
        assert.equal(usernameKey(canonicalUsername(name)), usernameKey(name));
        assert.equal(usernameKey(name.normalize('NFD')), usernameKey(name));
        assert.equal(usernameKey(name.toLowerCase()), usernameKey(name));
      }),
    );
  });

  const same = [
    ['ADA', 'ada'],
    ['Zoë', 'zoe\u0308'],
    ['ÅSA', 'a\u030Asa'],
    ['\u212Balto', 'åalto'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['\uFF52\uFF4F\uFF4F\uFF54', 'root'],
    ['STRASSE', 'straße'],
    ['\uFB01n', 'FIN'],
    ['\u1E9E', 'ss'],
  ] as const;
  for (const [one, other] of same) {
    void it(`${one} and ${other} are the same name`, () => assert.equal(usernameKey(one), usernameKey(other)));
  }

  const different = [
    ['ada', 'ada '],
    ['user?10', 'user10'],
    ['zoe', 'zoë'],
    ['k\u0131l\u0131\u00E7', 'kili\u00E7'],
  ] as const;
  for (const [one, other] of different) {
    void it(`${one} and ${other} are different names`, () => assert.notEqual(usernameKey(one), usernameKey(other)));
  }
});
