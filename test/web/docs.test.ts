import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { indentJson } from '../../src/web/docs/indent-json.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { checkExactIntegers } from './support/docs-page.ts';

/*
 * The API page in a browser. `pages/docs.test.ts` has its other document and its looks, `test/http/documents.test.ts`
 * its HTML.
 */

const ID = '9007199254740993';

void test('API page, OpenAPI 3.1: integers are shown and sent exactly', { skip: skipWithoutBrowser }, (t) =>
  checkExactIntegers(t, 'openapi'),
);

void test('indentJson: keeps the characters of numbers and strings', () => {
  fc.assert(fc.property(fc.json(), (text) => indentJson(text) === JSON.stringify(JSON.parse(text), null, 2)));
  const cases = {
    [`{"id":${ID},"a":[-${ID},1.50,1e400,{}]}`]: `{\n  "id": ${ID},\n  "a": [\n    -${ID},\n    1.50,\n    1e400,\n    {}\n  ]\n}`,
    [String.raw`["\"{\\", "ä\u00e4"]`]: '[\n  "\\"{\\\\",\n  "ä\\u00e4"\n]',
    [` ${ID} `]: ID,
    [`{"id":${ID}}\n{"id":1}\n`]: `{"id":${ID}}\n{"id":1}\n`,
    '{"id":': '{"id":',
  };
  for (const [text, indented] of Object.entries(cases)) assert.equal(indentJson(text), indented);
});
