import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dictionary } from '@zxcvbn-ts/language-common';
import { isCommonPassword } from '../../src/services/crypto/common-passwords.ts';
import { createPasswordHasher, type Argon2Parameters } from '../../src/services/crypto/password-hasher.ts';
import { Failure } from '../../src/domain/failure.ts';

/** As little work as argon2 allows. */
const LIGHT: Argon2Parameters = { memoryKib: 8, passes: 1 };

const hasherWith = (parameters: Argon2Parameters, concurrency = 2, maxWaiting = 100) =>
  createPasswordHasher({ concurrency, maxWaiting, parameters });

const WELL_KNOWN =
  `123456 password 12345678 qwerty 123456789 1234567 1234567890 dragon 123123 baseball abc123 football monkey letmein
  shadow master 696969 michael mustang 666666 qwertyuiop 123321 superman 1qaz2wsx 7777777 iloveyou trustno1 sunshine
  welcome princess admin passw0rd starwars whatever password1 asdfghjkl zxcvbnm computer charlie hunter2 changeme`.split(
    /\s+/,
  );

void describe('the list of common passwords', () => {
  void it('has those that everybody knows', () => {
    assert.ok(WELL_KNOWN.length > 36);
    assert.deepEqual(
      WELL_KNOWN.filter((word) => !isCommonPassword(word)),
      [],
    );
  });

  void it('has tens of thousands, and each in small letters', () => {
    const known = new Set(dictionary['passwords-common'].map((word) => word.normalize('NFC').toLowerCase()));
    assert.ok(known.size >= 10_000, `${known.size}`);
    assert.ok([...known].every(isCommonPassword));
  });

  void it('has none of those that nobody else has', () => {
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

void describe('the hash of a password', () => {
  void it('fits that password, and no other', async () => {
    const hasher = hasherWith(LIGHT);
    const hash = await hasher.hash('correct horse');
    assert.match(hash, /^\$argon2id\$v=19\$m=8,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.equal(await hasher.verify('correct horse', hash), true);
    for (const other of ['correct hors', 'Correct horse', 'correct horse ', '']) {
      assert.equal(await hasher.verify(other, hash), false, other);
    }
  });

  void it('fits however the keyboard composed the characters', async () => {
    const hasher = hasherWith(LIGHT);
    assert.equal(await hasher.verify('zoe\u0308 zoe\u0308', await hasher.hash('zoë zoë')), true);
  });

  void it('is another one each time, and says nothing of the password', async () => {
    const hasher = hasherWith(LIGHT);
    const [one, other] = [await hasher.hash('correct horse'), await hasher.hash('correct horse')];
    assert.notEqual(one, other);
    assert.doesNotMatch(`${one}${other}`, /correct|horse/);
  });

  void it('that is not there fits nothing', async () => {
    const hasher = hasherWith(LIGHT);
    for (const password of ['', 'undefined', 'x']) assert.equal(await hasher.verify(password, undefined), false);
  });

  void it('made with other parameters fits still, and is outdated', async () => {
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
      assert.equal(hasherWith(LIGHT).isOutdated(renewed), true, 'also where they are lower now');
    }
    assert.equal(hasherWith(LIGHT).isOutdated(old), false);
  });

  void it('made as OWASP advises is not outdated where nothing else was asked for', async () => {
    const standard = createPasswordHasher({ concurrency: 1, maxWaiting: 1 });
    const hash = await standard.hash('correct horse');
    assert.match(hash, /\$m=19456,t=2,p=1\$/);
    assert.equal(standard.isOutdated(hash), false);
    assert.equal(hasherWith(LIGHT).isOutdated(hash), true);
  });

  void it('is refused, not awaited for ever, where too many wait', async () => {
    const hasher = hasherWith({ memoryKib: 1024, passes: 1 }, 1, 3);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, async () => hasher.hash('correct horse')));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    assert.ok(refused.length >= 15 && refused.length < 20, `${refused.length}`);
    for (const failure of refused) assert.ok(failure instanceof Failure && failure.code === 'too-many-requests');
    assert.match(await hasher.hash('again'), /^\$argon2id/);
  });
});
