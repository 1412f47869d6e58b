import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IS_ON_POSTGRES, runOnNodes } from '../support/nodes.ts';

/*
 * The tests of the service over HTTP once more, as they are, with three nodes on one database behind a front that gives each the next request.
 * These are the ones that look at the most for their time; `MENAGERIE_TEST_NODES=3 node --test "test/http/*.test.ts"` runs them all.
 */

const NODES = 3;

const FILES = [
  'pet-operations',
  'pet-lists',
  'pictures',
  'user-operations',
  'sessions',
  'secured-sessions',
  'administration',
  'request-limit',
  'two-servers',
  'mass-assignment',
];

/** Those that look at the service alone, and not at what is on its disk. */
const FILES_IN_MEMORY = ['pet-operations', 'pet-lists', 'user-operations'];

for (const name of FILES_IN_MEMORY) {
  void test(`${name}, with everything in memory`, { skip: IS_ON_POSTGRES && 'it is about memory' }, async (t) => {
    const { code, output } = await runOnNodes(t, `test/http/${name}.test.ts`, 'memory');
    assert.equal(code, 0, output);
    assert.match(output, /^# pass [1-9]\d*$/m);
  });
}

for (const name of FILES) {
  void test(`${name}, with ${NODES} nodes`, { skip: IS_ON_POSTGRES && 'all of them run so already' }, async (t) => {
    const { code, output } = await runOnNodes(t, `test/http/${name}.test.ts`, NODES);
    assert.equal(code, 0, output);
    assert.match(output, /^# pass [1-9]\d*$/m);
  });
}
