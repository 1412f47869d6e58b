import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesWithScheme, withScheme } from '../../src/web/design/fields/web-address.ts';

void test('web address: gets https:// unless it has a scheme', () => {
  const cases = {
    'example.org': 'https://example.org',
    ' www.example.org/a?b=c#d ': 'https://www.example.org/a?b=c#d',
    'example.org:8080/a': 'https://example.org:8080/a',
    'http://localhost:3000': 'http://localhost:3000',
    'HTTPS://example.org': 'HTTPS://example.org',
    'org.example.app:/done': 'org.example.app:/done',
    'münchen.example': 'https://münchen.example',
    '': '',
    '  ': '',
  };
  for (const [typed, expected] of Object.entries(cases)) assert.equal(withScheme(typed), expected);
  assert.equal(linesWithScheme('a.example\n\nhttps://b.example '), 'https://a.example\n\nhttps://b.example');
});
