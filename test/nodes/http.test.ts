import { test } from 'node:test';
import { runOn, type Setup } from '../support/nodes.ts';

/*
 * Tests of the service over HTTP once more, unchanged: on three nodes that share one database, where each request goes to the next node, and with
 * everything in memory. On nodes run the files whose answers depend on what another request has changed. `MENAGERIE_TEST_NODES=3 node --test FILE`
 * runs any file like this.
 */

const ON_NODES = [
  'administration',
  'pet-lists',
  'pictures',
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
      // A module of its own, whatever has imported the file before.
      await import(`../http/${name}.test.ts?setup=${setup}`);
    });
}
