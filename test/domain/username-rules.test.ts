import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findUsernameFault } from '../../src/domain/accounts/username-rules.ts';

const malformed = {
  nothing: '',
  'a dot': '.',
  'two dots': '..',
  'two dots in one character': '\u2025',
  'a slash': 'a/b',
  'a full-width slash': 'a\uFF0Fb',
  'a space at the end': 'root ',
  'a space at the start': ' root',
  'a no-break space at the end': 'root\u00A0',
  'a zero-width space': 'ro\u200Bot',
  'a zero-width joiner': 'ro\u200Dot',
  'a soft hyphen': 'ro\u00ADot',
  'a Hangul filler': '\u3164',
  'a tag character': 'root\u{E0041}',
  'a variation selector': 'root\uFE0F',
  'a direction override': 'root\u202E',
  'a right-to-left mark': 'root\u200F',
  'a control character': 'ro\u0007ot',
  'a line separator': 'ro\u2028ot',
  'a lone surrogate': 'ro\uD800',
  '65 characters': 'x'.repeat(65),
};

for (const [title, name] of Object.entries(malformed)) {
  void test(`username: ${title} is refused`, () => assert.equal(findUsernameFault(name), 'malformed'));
}

for (const name of ['login', 'LOGOUT', 'createWithArray', '\uFF4C\uFF4F\uFF47\uFF49\uFF4E']) {
  void test(`username: ${name} is reserved`, () => assert.equal(findUsernameFault(name), 'reserved'));
}

for (const name of ['user?10', 'Zoë', '...', 'a.b', 'Анна', '山田', 'a b', 'x'.repeat(64), '\u{1F436}']) {
  void test(`a user name: ${name} is allowed`, () => assert.equal(findUsernameFault(name), undefined));
}
