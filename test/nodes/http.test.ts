import { test } from 'node:test';
import { runOn } from '../support/nodes.ts';

/*
 * Runs test files of the service over HTTP again, unchanged, on three nodes with one database, where each request goes
 * to the next node: those whose responses depend on earlier changes. `MENAGERIE_TEST_NODES=3 node --test FILE` runs any
 * file this way.
 */

for (const name of ['oauth', 'oauth-attacks', 'request-limit', 'secured-sessions', 'sessions', 'two-servers'])
  void test(`${name}, on 3 nodes`, async (t) => {
    runOn(t, 3);
    // A separate module, even if the file was imported before.
    await import(`../http/${name}.test.ts?setup=3`);
  });
