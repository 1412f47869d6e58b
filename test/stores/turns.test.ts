import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { gatherTurns } from '../../src/storage/sqlite/engine/turns.ts';

/** Snapshots that note what begins in which of them. */
function notingTurns() {
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

void describe('what arrives in a turn of the event loop', () => {
  void it('begins together, in its order, and not before the turn is over', async () => {
    const { snapshots, arrive } = notingTurns();
    for (const name of ['a', 'b', 'c']) arrive(name);
    await Promise.resolve();
    assert.deepEqual(snapshots, []);
    arrive('d');
    await nextTurn();
    assert.deepEqual(snapshots, [['a', 'b', 'c', 'd']]);
  });

  void it('begins in the next turn when it arrives while the others begin: an older state would not do for it', async () => {
    const { snapshots, arrive } = notingTurns();
    arrive('a', () => arrive('late'));
    arrive('b');
    await nextTurn();
    assert.deepEqual(snapshots, [['a', 'b']]);
    await nextTurn();
    assert.deepEqual(snapshots, [['a', 'b'], ['late']]);
  });

  void it('makes no snapshot where nothing arrives', async () => {
    const { snapshots, arrive } = notingTurns();
    arrive('a');
    for (let count = 0; count < 5; count++) await nextTurn();
    assert.equal(snapshots.length, 1);
  });

  void it('begins once all the same when there is no state to be had, and the next turn has one', async () => {
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

  void it('begins once also when the snapshot fails at its end', async () => {
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
