import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IS_ON_POSTGRES, runOnNodes } from '../support/nodes.ts';

/*
 * The tests of the service over HTTP once more, as they are, with three nodes on one database behind a front that gives each the next request, or with
 * everything in memory. These are the ones that look at the most for their time; `MENAGERIE_TEST_NODES=3 node --test "test/http/*.test.ts"` runs them all.
 */

const NODES = 3;

/** @param names of the files below `test/http` */
export function testOnNodes(names: readonly string[]): void {
  for (const name of names)
    void test(`${name}, with ${NODES} nodes`, { skip: IS_ON_POSTGRES && 'all of them run so already' }, async (t) => {
      assertPassed(await runOnNodes(t, `test/http/${name}.test.ts`, NODES));
    });
}

/** For those that look at the service alone, and not at what is on its disk. */
export function testInMemory(names: readonly string[]): void {
  for (const name of names)
    void test(`${name}, with everything in memory`, { skip: IS_ON_POSTGRES && 'it is about memory' }, async (t) => {
      assertPassed(await runOnNodes(t, `test/http/${name}.test.ts`, 'memory'));
    });
}

function assertPassed({ code, output }: { code: number | null; output: string }): void {
  assert.equal(code, 0, output);
  assert.match(output, /^# pass [1-9]\d*$/m);
}
