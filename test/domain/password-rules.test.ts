import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { isCommonPassword } from '../../src/services/crypto/passwords.ts';
import { PasswordRules } from '../../src/domain/accounts/password-rules.ts';
import { Failure } from '../../src/domain/failure.ts';

const rules = new PasswordRules({ minLength: 10, isCommon: isCommonPassword, isEnforced: true });

function problemOf(password: string, username = 'ada', path?: string): { path: string; message: string } | undefined {
  try {
    rules.check(password, username, path);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'invalid-input');
    const problems = error.details.problems ?? [];
    assert.equal(problems.length, 1);
    return problems[0];
  }
}

const good: [name: string, password: string, username?: string][] = [
  ['a few words', 'correct horse battery staple'],
  ['a few words without spaces', 'lampehimmelzange'],
  ['ten unusual characters', 'kx7wqp zmv'],
  ['words of a script without letters', '我喜欢吃北京烤鸭和饺子'],
  ['spaces at its ends', '  two words '],
  ['a control character', 'kx7wqp\u0000zmvq'],
  ['a common password in a longer one', 'password of my cellar'],
  ['the user name in a longer one', 'the lady likes tea', 'lady'],
  ['a long repeated part', 'kx7wqkx7wqkx7wq'],
  ['only its beginning repeated at its end', 'zangelampezange'],
];

const tooShort: [name: string, password: string][] = [
  ['none at all', ''],
  ['nine characters', 'kx7wqpzmv'],
  ['nine characters of two bytes', 'жщчъыэюяй'],
  ['nine emoji of two code units', '🐕🐈🐇🦜🐢🐍🦎🐠🐡'],
  ['nine letters composed of two', 'a\u0301e\u0301i\u0301o\u0301u\u0301y\u0301c\u0301l\u0301n\u0301'],
];

const guessable: typeof good = [
  ['a common password', 'qwertyuiop'],
  ['a common password in another case', 'QwertyUIOP'],
  ['a common password, twice', 'passwordpassword'],
  ['a common password, more than twice, in another case, cut off', 'dRaGonDrAgoNdra'],
  ['one character', 'aaaaaaaaaaaa'],
  ['two characters in turn', 'xqxqxqxqxqxq'],
  ['three characters in turn, cut off', 'xqzxqzxqzxq'],
  ['one letter in both cases', 'aAaAaAaAaAaA'],
  ['the user name', 'augustaking', 'augustaking'],
  ['the user name, beyond ASCII and in another case', 'ÉTIENNEŠKODA', 'Étienneškoda'],
  ['the user name, composed otherwise', 'e\u0301tienneskoda', 'étienneskoda'],
  [
    'the user name with a letter that is composed of two only in one case',
    'J\u030Cosefinemueller',
    'J\u030Cosefinemueller',
  ],
  ['the user name, twice', 'AugustAugust', 'august'],
  ['the user name, again and again, cut off', 'augustaugusta', 'august'],
];

void describe('password rules', () => {
  for (const [name, password, username] of good) {
    void it(`accept ${name}`, () => assert.equal(problemOf(password, username), undefined));
  }

  for (const [name, password] of tooShort) {
    void it(`refuse a short password: ${name}`, () => {
      assert.match(problemOf(password)?.message ?? '', /at least 10 characters/);
    });
  }

  for (const [name, password, username] of guessable) {
    void it(`refuse a guessable password: ${name}`, () => {
      const problem = problemOf(password, username);
      assert.ok(problem !== undefined);
      assert.doesNotMatch(problem.message, /characters/, 'not because of its length');
    });
  }

  void it('count code points of the composed form', () => {
    for (const letters of ['åéîøùçñšžą', 'åéîøùçñšžą'.normalize('NFD')]) assert.equal(problemOf(letters), undefined);
    assert.equal(new PasswordRules({ minLength: 12, isCommon: () => false, isEnforced: true }).minLength, 12);
  });

  void it('look up common passwords in lower case and composed form', () => {
    const asked: string[] = [];
    const recording = new PasswordRules({
      minLength: 1,
      isCommon: (word) => (asked.push(word), false),
      isEnforced: true,
    });
    recording.check('SCHNEEBÄLLE'.normalize('NFD'), 'ada');
    assert.ok(asked.length > 0);
    assert.ok(asked.every((word) => word === 'schneebälle'));
  });

  void it('never repeat the password in an error', () => {
    const sign = fc.constantFrom('ж', '§', '七', 'É', '🐕', '9');
    const password = fc.oneof(
      fc.string({ unit: sign, minLength: 1, maxLength: 30 }),
      fc.string({ unit: sign, minLength: 1, maxLength: 3 }).map((part) => part.repeat(12)),
      fc.constantFrom('qwertyuiop', 'QWERTYUIOP', '1234567890', 'dragondragon', 'football'),
    );
    let refused = 0;
    fc.assert(
      fc.property(password, fc.boolean(), (given, isUsername) => {
        try {
          rules.check(given, isUsername ? given : 'ada');
        } catch (error) {
          assert.ok(error instanceof Failure);
          refused += 1;
          const text = JSON.stringify([error.message, error.details]).toLowerCase();
          assert.ok(!text.includes(given.toLowerCase()) || /^\d$/.test(given), text);
        }
      }),
    );
    assert.ok(refused > 20);
  });

  void it('name the field of the body in an error', () => {
    assert.equal(problemOf('short')?.path, '/password');
    assert.equal(problemOf('short', 'ada', '/7/password')?.path, '/7/password');
  });

  void it('accept anything when they are not enforced', () => {
    const unenforced = new PasswordRules({ minLength: 10, isCommon: isCommonPassword, isEnforced: false });
    assert.equal(unenforced.minLength, 1);
    for (const password of ['', 'a', 'ada', 'password']) unenforced.check(password, 'ada');
  });
});
