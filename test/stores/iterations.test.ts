import assert from 'node:assert/strict';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { gatherIterations } from '../../src/storage/sqlite/engine/iterations.ts';

/** Snapshots that record the calls in each. */
function recordingIterations() {
  const snapshots: string[][] = [];
  const iterations = gatherIterations((work) => {
    snapshots.push([]);
    work();
  });
  const arrive = (name: string, then = () => {}) =>
    iterations(() => {
      snapshots.at(-1)?.push(name);
      then();
    });
  return { snapshots, arrive };
}

void describe('calls of one iteration of the event loop', () => {
  void it('run together, in order, after the iteration', async () => {
    const { snapshots, arrive } = recordingIterations();
    for (const name of ['a', 'b', 'c']) arrive(name);
    await Promise.resolve();
    assert.deepEqual(snapshots, []);
    arrive('d');
    await nextIteration();
    assert.deepEqual(snapshots, [['a', 'b', 'c', 'd']]);
  });

  void it('run in the next iteration if they arrive while others run, because they need a newer state', async () => {
    const { snapshots, arrive } = recordingIterations();
    arrive('a', () => arrive('late'));
    arrive('b');
    await nextIteration();
    assert.deepEqual(snapshots, [['a', 'b']]);
    await nextIteration();
    assert.deepEqual(snapshots, [['a', 'b'], ['late']]);
  });

  void it('take no snapshot without calls', async () => {
    const { snapshots, arrive } = recordingIterations();
    arrive('a');
    for (let count = 0; count < 5; count++) await nextIteration();
    assert.equal(snapshots.length, 1);
  });

  void it('run once even if the snapshot fails, and the next iteration gets one', async () => {
    let isBroken = true;
    let snapshots = 0;
    const iterations = gatherIterations((work) => {
      if (isBroken) throw new Error('database disk image is malformed');
      snapshots++;
      work();
    });
    const begun: string[] = [];
    for (const name of ['a', 'b', 'c']) iterations(() => begun.push(name));
    await nextIteration();
    assert.deepEqual(begun, ['a', 'b', 'c']);
    isBroken = false;
    iterations(() => begun.push('d'));
    await nextIteration();
    assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
    assert.equal(snapshots, 1);
  });

  void it('run once even if the snapshot fails at its end', async () => {
    const iterations = gatherIterations((work) => {
      work();
      throw new Error('disk I/O error');
    });
    const begun: string[] = [];
    for (const name of ['a', 'b']) iterations(() => begun.push(name));
    await nextIteration();
    assert.deepEqual(begun, ['a', 'b']);
  });
});
