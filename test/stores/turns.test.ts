import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { gatherTurns } from '../../src/storage/sqlite/engine/turns.ts';

/** Snapshots that record the calls in each. */
function recordingTurns() {
  const snapshots: string[][] = [];
  const turns = gatherTurns((work) => {
    snapshots.push([]);
    work();
  });
  const arrive = (name: string, then = () => {}) =>
    turns(() => {
      snapshots.at(-1)?.push(name);
      then();
    });
  return { snapshots, arrive };
}

void describe('calls of one turn of the event loop', () => {
  void it('run together, in order, after the turn', async () => {
    const { snapshots, arrive } = recordingTurns();
    for (const name of ['a', 'b', 'c']) arrive(name);
    await Promise.resolve();
    assert.deepEqual(snapshots, []);
    arrive('d');
    await nextTurn();
    assert.deepEqual(snapshots, [['a', 'b', 'c', 'd']]);
  });

  void it('run in the next turn if they arrive while others run, because they need a newer state', async () => {
    const { snapshots, arrive } = recordingTurns();
    arrive('a', () => arrive('late'));
    arrive('b');
    await nextTurn();
    assert.deepEqual(snapshots, [['a', 'b']]);
    await nextTurn();
    assert.deepEqual(snapshots, [['a', 'b'], ['late']]);
  });

  void it('take no snapshot without calls', async () => {
    const { snapshots, arrive } = recordingTurns();
    arrive('a');
    for (let count = 0; count < 5; count++) await nextTurn();
    assert.equal(snapshots.length, 1);
  });

  void it('run once even if the snapshot fails, and the next turn gets one', async () => {
    let isBroken = true;
    let snapshots = 0;
    const turns = gatherTurns((work) => {
      if (isBroken) throw new Error('database disk image is malformed');
      snapshots++;
      work();
    });
    const begun: string[] = [];
    for (const name of ['a', 'b', 'c']) turns(() => begun.push(name));
    await nextTurn();
    assert.deepEqual(begun, ['a', 'b', 'c']);
    isBroken = false;
    turns(() => begun.push('d'));
    await nextTurn();
    assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
    assert.equal(snapshots, 1);
  });

  void it('run once even if the snapshot fails at its end', async () => {
    const turns = gatherTurns((work) => {
      work();
      throw new Error('disk I/O error');
    });
    const begun: string[] = [];
    for (const name of ['a', 'b']) turns(() => begun.push(name));
    await nextTurn();
    assert.deepEqual(begun, ['a', 'b']);
  });
});
