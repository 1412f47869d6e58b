import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { APPLICATION_ID, openDatabase, openReader, readPragma } from '../../src/storage/sqlite/engine/database.ts';
import { ExactCache } from '../../src/storage/sqlite/engine/exact-cache.ts';
import { createSnapshots } from '../../src/storage/sqlite/engine/snapshots.ts';
import { temporaryFolder } from '../support/service.ts';

/** A database with one number, a connection that reads it, and another that changes it. */
async function openNumber(t: TestContext) {
  const path = join(await temporaryFolder(t), 'number.db');
  const other = openDatabase(path);
  other.exec('create table number (value integer) strict; insert into number values (1)');
  // Without the application id, the second connection would refuse the file as another program's.
  other.exec(`pragma application_id = ${APPLICATION_ID}`);
  const reader = openReader(path);
  t.after(() => {
    reader.close();
    other.close();
  });
  return { reader, change: () => other.exec('update number set value = value + 1'), read: () => valueOf(reader) };
}

function valueOf(db: DatabaseSync): unknown {
  return db.prepare('select value from number').get()?.['value'];
}

function isMapped(db: DatabaseSync): boolean {
  return Number(readPragma(db, 'mmap_size')) > 0;
}

async function openCache(t: TestContext) {
  const number = await openNumber(t);
  const snapshots = createSnapshots(number.reader);
  const cache = new ExactCache<unknown>(snapshots, 3);
  const load = (key = 'value') => {
    cache.refresh();
    cache.set(key, number.read());
  };
  return { ...number, ...snapshots, cache, load };
}

void describe('snapshot', () => {
  void it('keeps one state during commits of others; the next one has them', async (t) => {
    const { reader, change, read } = await openNumber(t);
    const { inSnapshot } = createSnapshots(reader);
    const seen = inSnapshot(() => {
      const before = read();
      change();
      return [before, read()];
    });
    assert.deepEqual(seen, [1, 1]);
    assert.equal(inSnapshot(read), 2);
  });

  void it('includes commits before its first read that came after an earlier snapshot', async (t) => {
    const { reader, change, read } = await openNumber(t);
    const { inSnapshot } = createSnapshots(reader);
    for (let expected = 2; expected < 50; expected++) {
      change();
      assert.equal(inSnapshot(read), expected);
    }
  });

  void it('begins immediately, not with its first read', async (t) => {
    const { reader, change, read } = await openNumber(t);
    const { inSnapshot } = createSnapshots(reader);
    const value = inSnapshot(() => {
      change();
      return read();
    });
    assert.equal(value, 1);
  });

  void it('nested: is the same snapshot, and its end does not end the outer one', async (t) => {
    const { reader, change, read } = await openNumber(t);
    const { inSnapshot } = createSnapshots(reader);
    const seen = inSnapshot(() => {
      const inner = inSnapshot(read);
      change();
      return [inner, read(), inSnapshot(read), reader.isTransaction];
    });
    assert.deepEqual(seen, [1, 1, 1, true]);
    assert.equal(reader.isTransaction, false);
  });

  void it('ends with an error in it; the next one works and is new', async (t) => {
    const { reader, change, read } = await openNumber(t);
    const { inSnapshot } = createSnapshots(reader);
    const fail = () => {
      read();
      throw new Error('on purpose');
    };
    assert.throws(() => inSnapshot(fail), /on purpose/);
    assert.equal(reader.isTransaction, false);
    change();
    assert.throws(() => inSnapshot(() => inSnapshot(fail)), /on purpose/);
    assert.equal(inSnapshot(read), 2);
  });

  void it('may be ended by the engine: nothing is thrown except by its work', async (t) => {
    const { reader, read } = await openNumber(t);
    const { inSnapshot } = createSnapshots(reader);
    assert.equal(
      inSnapshot(() => {
        reader.exec('rollback');
        return 'done';
      }),
      'done',
    );
    assert.equal(inSnapshot(read), 1);
  });
});

void describe('state number', () => {
  void it('changes with every commit of another connection, and only then', async (t) => {
    const { reader, change, read } = await openNumber(t);
    const { stateNumber, inSnapshot } = createSnapshots(reader);
    const first = stateNumber();
    inSnapshot(read);
    assert.equal(stateNumber(), first);
    assert.equal(inSnapshot(stateNumber), first);
    const numbers = new Set([first]);
    for (let count = 0; count < 20; count++) {
      change();
      numbers.add(count % 2 === 0 ? stateNumber() : inSnapshot(stateNumber));
    }
    assert.equal(numbers.size, 21);
  });

  void it('in a snapshot, belongs to the snapshot', async (t) => {
    const { reader, change } = await openNumber(t);
    const { stateNumber, inSnapshot } = createSnapshots(reader);
    const before = stateNumber();
    change();
    const [atFirst, afterChange] = inSnapshot(() => {
      const number = stateNumber();
      change();
      return [number, stateNumber()];
    });
    assert.notEqual(atFirst, before);
    assert.equal(afterChange, atFirst);
    assert.notEqual(stateNumber(), atFirst);
  });
});

void describe('memory map of the file', () => {
  void it('exists while nothing changes, is removed after a change, and returns', async (t) => {
    let nowMs = Date.now();
    t.mock.method(Date, 'now', () => nowMs);
    const { reader, change, read } = await openNumber(t);
    const { inSnapshot } = createSnapshots(reader);
    assert.equal(inSnapshot(read), 1);
    assert.equal(isMapped(reader), false, 'the first state is not known to be stable');
    for (let expected = 2; expected < 5; expected++) {
      nowMs += 10_000;
      assert.equal(inSnapshot(read), expected - 1);
      assert.equal(isMapped(reader), true, 'nothing has changed for a while');
      change();
      // The first snapshot notices it, and the second acts on it.
      assert.equal(inSnapshot(read), expected);
      assert.equal(inSnapshot(read), expected);
      assert.equal(isMapped(reader), false, 'something has just changed');
    }
  });

  void it('does not change within a snapshot', async (t) => {
    let nowMs = Date.now();
    t.mock.method(Date, 'now', () => nowMs);
    const { reader, read } = await openNumber(t);
    const { inSnapshot } = createSnapshots(reader);
    inSnapshot(read);
    inSnapshot(() => {
      nowMs += 10_000;
      assert.equal(inSnapshot(read), 1);
      assert.equal(isMapped(reader), false);
    });
  });
});

void describe('exact cache', () => {
  void it('keeps entries while nothing changes, in a snapshot and outside', async (t) => {
    const { cache, load, inSnapshot } = await openCache(t);
    assert.equal(cache.get('value'), undefined);
    load();
    assert.equal(cache.get('value'), 1);
    assert.equal(
      inSnapshot(() => cache.get('value')),
      1,
    );
  });

  void it('is empty after a commit of another connection', async (t) => {
    const { cache, load, change, inSnapshot } = await openCache(t);
    for (const get of [() => cache.get('value'), () => inSnapshot(() => cache.get('value'))]) {
      load();
      change();
      assert.equal(get(), undefined);
      assert.equal(get(), undefined);
    }
  });

  void it('in a snapshot, returns its state, and forgets it afterwards', async (t) => {
    const { cache, load, change, inSnapshot, read } = await openCache(t);
    load();
    const seen = inSnapshot(() => {
      change();
      return [cache.get('value'), read()];
    });
    assert.deepEqual(seen, [1, 1]);
    assert.equal(cache.get('value'), undefined);
  });

  void it('does not keep a value from before a commit', async (t) => {
    const { cache, change, read } = await openCache(t);
    cache.refresh();
    const old = read();
    change();
    cache.set('value', old);
    assert.equal(cache.get('value'), undefined);
  });

  void it('holds at most its limit', async (t) => {
    const { cache, load } = await openCache(t);
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (const key of keys) load(key);
    assert.ok(keys.filter((key) => cache.get(key) !== undefined).length <= 3);
    assert.equal(cache.get('e'), 1);
  });
});
