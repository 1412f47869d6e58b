import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dictionary } from '@zxcvbn-ts/language-common';
import { isCommonPassword, Argon2Hasher, type Argon2Parameters } from '../../src/services/crypto/passwords.ts';
import { Failure } from '../../src/domain/failure.ts';

/** The minimum of argon2. */
const LIGHT: Argon2Parameters = { memoryKib: 8, passes: 1 };

const hasherWith = (parameters: Argon2Parameters, concurrency = 2, maxWaiting = 100) =>
  new Argon2Hasher({ concurrency, maxWaiting, parameters });

const WELL_KNOWN =
  `123456 password 12345678 qwerty 123456789 1234567 1234567890 dragon 123123 baseball abc123 football monkey letmein
  shadow master 696969 michael mustang 666666 qwertyuiop 123321 superman 1qaz2wsx 7777777 iloveyou trustno1 sunshine
  welcome princess admin passw0rd starwars whatever password1 asdfghjkl zxcvbnm computer charlie hunter2 changeme`.split(
    /\s+/,
  );

void describe('common passwords', () => {
  void it('well-known passwords: are in the list', () => {
    assert.ok(WELL_KNOWN.length > 36);
    assert.deepEqual(
      WELL_KNOWN.filter((word) => !isCommonPassword(word)),
      [],
    );
  });

  void it('list: has more than 10,000 passwords, in lower case', () => {
    const known = new Set(dictionary['passwords-common'].map((word) => word.normalize('NFC').toLowerCase()));
    assert.ok(known.size >= 10_000, `${known.size}`);
    assert.ok([...known].every(isCommonPassword));
  });

  void it('uncommon passwords: are not in the list', () => {
    for (const word of [
      '',
      'correct horse battery staple',
      'kx7wqpzmvq',
      'lampehimmelzange',
      'constructor',
      '__proto__x',
    ]) {
      assert.equal(isCommonPassword(word), false, word);
    }
  });
});

void describe('password hash', () => {
  void it('verify: accepts the same password only', async () => {
    const hasher = hasherWith(LIGHT);
    const hash = await hasher.hash('correct horse');
    assert.match(hash, /^\$argon2id\$v=19\$m=8,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.equal(await hasher.verify('correct horse', hash), true);
    for (const other of ['correct hors', 'Correct horse', 'correct horse ', '']) {
      assert.equal(await hasher.verify(other, hash), false, other);
    }
  });

  void it('composed and decomposed characters: are equal', async () => {
    const hasher = hasherWith(LIGHT);
    assert.equal(await hasher.verify('zoe\u0308 zoe\u0308', await hasher.hash('zoë zoë')), true);
  });

  void it('hash: differs each time and does not contain the password', async () => {
    const hasher = hasherWith(LIGHT);
    const [one, other] = [await hasher.hash('correct horse'), await hasher.hash('correct horse')];
    assert.notEqual(one, other);
    assert.doesNotMatch(`${one}${other}`, /correct|horse/);
  });

  void it('missing hash: verifies no password', async () => {
    const hasher = hasherWith(LIGHT);
    for (const password of ['', 'undefined', 'x']) assert.equal(await hasher.verify(password, undefined), false);
  });

  void it('other parameters: the hash still verifies, and is outdated', async () => {
    const old = await hasherWith(LIGHT).hash('correct horse');
    for (const parameters of [
      { memoryKib: 16, passes: 1 },
      { memoryKib: 8, passes: 2 },
    ]) {
      const hasher = hasherWith(parameters);
      assert.equal(await hasher.verify('correct horse', old), true);
      assert.equal(hasher.isOutdated(old), true);
      const renewed = await hasher.hash('correct horse');
      assert.equal(hasher.isOutdated(renewed), false);
      assert.equal(hasherWith(LIGHT).isOutdated(renewed), true, 'also if the parameters are lower now');
    }
    assert.equal(hasherWith(LIGHT).isOutdated(old), false);
  });

  void it('default parameters: are those that OWASP recommends', async () => {
    const standard = new Argon2Hasher({ concurrency: 1, maxWaiting: 1 });
    const hash = await standard.hash('correct horse');
    assert.match(hash, /\$m=19456,t=2,p=1\$/);
    assert.equal(standard.isOutdated(hash), false);
    assert.equal(hasherWith(LIGHT).isOutdated(hash), true);
  });

  void it('too many waiting calls: further ones fail', async () => {
    const hasher = hasherWith({ memoryKib: 1024, passes: 1 }, 1, 3);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, async () => hasher.hash('correct horse')));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    assert.ok(refused.length >= 15 && refused.length < 20, `${refused.length}`);
    for (const failure of refused) assert.ok(failure instanceof Failure && failure.code === 'too-many-requests');
    assert.match(await hasher.hash('again'), /^\$argon2id/);
  });
});
