import { test } from 'node:test';
import { runOn, type Setup } from '../support/nodes.ts';

/*
 * Runs test files of the service over HTTP again, unchanged: on three nodes with one database, where each request goes
 * to the next node, and in memory. The files whose answers depend on earlier changes run on nodes.
 * `MENAGERIE_TEST_NODES=3 node --test FILE` runs any file this way.
 */

const ON_NODES = [
  'administration',
  'pet-lists',
  'photos',
  'request-limit',
  'secured-sessions',
  'sessions',
  'two-servers',
];
const IN_MEMORY = ['pet-operations'];

for (const [setup, names] of [
  [3, ON_NODES],
  ['memory', IN_MEMORY],
] satisfies [Setup, string[]][]) {
  for (const name of names)
    void test(`${name}, ${setup === 'memory' ? 'in memory' : `on ${setup} nodes`}`, async (t) => {
      runOn(t, setup);
      // A separate module, even if the file was imported before.
      await import(`../http/${name}.test.ts?setup=${setup}`);
    });
}
