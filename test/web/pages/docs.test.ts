import { test } from 'node:test';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkExactIntegers } from '../support/docs-page.ts';

/* The second document of the API page. */

void test('API page, Swagger 2.0: integers are shown and sent exactly', { skip: skipWithoutBrowser }, (t) =>
  checkExactIntegers(t, 'swagger'),
);
