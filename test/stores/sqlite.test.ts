import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { gatherStores } from '../../src/batching/gathered-stores.ts';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import { ownPhoto } from '../../src/domain/pets/photo.ts';
import { openDatabase, readPragma } from '../../src/sqlite/database.ts';
import { migrate } from '../../src/sqlite/migrations.ts';
import { createPetWrites, openPetStore } from '../../src/sqlite/pet-store.ts';
import { createPhotoWrites, openPhotoIndex } from '../../src/sqlite/photo-index.ts';
import { createSessionWrites, openSessionStore } from '../../src/sqlite/session-store.ts';
import { createUserWrites, openUserStore } from '../../src/sqlite/user-store.ts';
import {
  applyEach,
  applyFailing,
  applyOne,
  codesOf,
  createUsers,
  editPet,
  newAccount,
  photo,
  putPet,
  removePet,
} from '../support/changes.ts';
import { temporaryFolder } from '../support/service.ts';
import { openSqliteStores, openSqliteStoresAt } from '../support/sqlite-stores.ts';
import { describeStores } from './store-suite.ts';

describeStores('SQLite', openSqliteStores);

void describe('the SQLite database', () => {
  void it('commits to a write-ahead log, and waits for the disk, on every connection', async (t) => {
    const { path, reader } = await openSqliteStores(t);
    const another = openDatabase(path);
    for (const db of [reader, another]) {
      assert.equal(readPragma(db, 'journal_mode'), 'wal');
      assert.equal(readPragma(db, 'synchronous'), 2);
      assert.equal(readPragma(db, 'foreign_keys'), 1);
    }
    another.close();
  });

  void it('has strict tables only', async (t) => {
    const { reader } = await openSqliteStores(t);
    const tables = reader.prepare("select name, strict from pragma_table_list where name not like 'sqlite_%'").all();
    assert.ok(tables.length >= 9);
    assert.deepEqual(
      tables.filter(({ strict }) => strict !== 1).map(({ name }) => name),
      [],
    );
  });

  void it('does not let the reading connection write', async (t) => {
    const { reader } = await openSqliteStores(t);
    assert.throws(() => reader.exec('delete from pet'), /readonly/);
  });

  void it('is sound after all kinds of changes, and has them after it was closed and opened again', async (t) => {
    const path = join(await temporaryFolder(t), 'menagerie.db');
    const stores = openSqliteStoresAt(path);
    const photoUrls = [ownPhoto(photo('a').digest)];
    const [first] = await applyEach(stores.petStore, [
      putPet({ tags: [{ name: 'a' }], status: 'sold' }, MAX_INT64),
      putPet(),
      editPet(1n, { photo: photo('a') }),
      putPet({ photoUrls }),
      removePet(1n),
    ]);
    await applyOne(stores.userStore, createUsers(newAccount('ada')));
    await stores.close();
    const again = openSqliteStoresAt(path);
    assert.deepEqual(await again.petStore.findMany([MAX_INT64]), [first]);
    assert.deepEqual(await again.photoIndex.findMany([photo('a').digest]), [photo('a')]);
    assert.equal((await again.userStore.findMany(['ada']))[0]?.user.id, 1n);
    assert.equal(readPragma(again.reader, 'integrity_check'), 'ok');
    assert.equal(readPragma(again.reader, 'foreign_key_check'), undefined);
    await again.close();
  });
});

void describe('the history of pets in SQLite', () => {
  void it('has a version for each change, with what it was, who did it, and when', async (t) => {
    const { petStore, reader } = await openSqliteStores(t);
    const before = Date.now();
    const [added, replaced, edited] = await applyEach(petStore, [
      putPet({ name: 'One' }, 5n, { by: 42n }),
      putPet({ name: 'Two' }, 5n),
      editPet(5n, { status: 'sold' }),
      editPet(5n, { status: 'sold' }),
      removePet(5n),
    ]);
    await petStore.applyAll([editPet(5n, { name: 'x' }), putPet({}, 6n, { mustExist: true })]);
    const rows = reader.prepare('select * from pet_version order by version').all();
    assert.deepEqual(
      rows.map(({ pet_id, action, changed_by, text }) => ({ pet_id, action, changed_by, text })),
      [
        { pet_id: 5, action: 'added', changed_by: 42, text: added?.text },
        { pet_id: 5, action: 'replaced', changed_by: null, text: replaced?.text },
        { pet_id: 5, action: 'edited', changed_by: null, text: edited?.text },
        { pet_id: 5, action: 'removed', changed_by: null, text: null },
      ],
    );
    assert.deepEqual(
      rows.slice(0, 3).map(({ version }) => BigInt(Number(version))),
      [added?.version, replaced?.version, edited?.version],
    );
    for (const { changed_at_ms: at } of rows) assert.ok(Number(at) >= before && Number(at) <= Date.now());
  });
});

const noWriter = { apply: () => Promise.reject(new Error('not here')), close: () => Promise.resolve() };

/** A connection that notes what is prepared on it. */
class NotingDatabase extends DatabaseSync {
  readonly prepared: string[] = [];

  override prepare(sql: string): StatementSync {
    this.prepared.push(sql);
    return super.prepare(sql);
  }
}

void describe('the statements of the SQLite stores', () => {
  void it('use the indexes: lists and single records walk no table and sort nothing', async (t) => {
    const { path, petStore } = await openSqliteStores(t);
    await applyEach(
      petStore,
      Array.from({ length: 500 }, (_, index) => putPet({ status: 'sold', tags: [{ name: `t${index % 5}` }] })),
    );
    const db = new NotingDatabase(path);
    t.after(() => db.close());
    openPetStore(db, noWriter);
    openUserStore(db, noWriter);
    openSessionStore(db, noWriter);
    openPhotoIndex(db, noWriter);
    createPetWrites(db);
    createUserWrites(db);
    createPhotoWrites(db);
    createSessionWrites(db);
    // These may walk: the first row of a table is enough for one, and the others run once an hour.
    const mayWalk = /limit 1$|^select digest from photo where doomed|^delete from session where expires_at_ms/;
    const statements = db.prepared.filter((sql) => !mayWalk.test(sql));
    assert.ok(
      statements.some((sql) => sql.includes('status = ?')) &&
        statements.some((sql) => sql.includes('pet_tag where name')),
    );
    for (const sql of statements) {
      const plan = db.prepare(`explain query plan ${sql}`).all();
      const steps = plan.map(({ detail }) => String(detail));
      // json_each is the list of the keys that are asked for. A subquery comes out of an index and has a limit: its rows may be sorted.
      const bad = steps.filter((step, index) =>
        step.includes('TEMP B-TREE')
          ? !(steps[index - 1] ?? '').startsWith('SCAN (subquery')
          : /^SCAN (?!json_each|\(subquery|CONSTANT ROW)/.test(step),
      );
      assert.deepEqual(bad, [], `${sql}\n${steps.join('\n')}`);
    }
    const byStatus = statements.filter((sql) => sql.includes('from pet where status = ?'));
    assert.ok(byStatus.length > 0);
    for (const sql of byStatus) {
      const plan = db.prepare(`explain query plan ${sql}`).all();
      assert.ok(plan.some(({ detail }) => /pet_by_status \(status=\? AND (?:row)?id>\?\)/.test(String(detail))));
    }
  });
});

/** A connection on which something happens just before the rows of certain statements are read. */
class InterruptedDatabase extends DatabaseSync {
  interrupt = () => {};
  #statements = /never/;

  constructor(path: string, statements: RegExp) {
    super(path);
    this.#statements = statements;
  }

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    if (!this.#statements.test(sql)) return statement;
    const all: (...parameters: SQLInputValue[]) => unknown = statement.all.bind(statement);
    statement.all = ((...parameters: SQLInputValue[]) => {
      this.interrupt();
      return all(...parameters);
    }) as StatementSync['all'];
    return statement;
  }
}

void describe('a list by tags in SQLite', () => {
  // A part with fewer pets than asked for is the end of a list: it may not come about while there are more.
  void it('is not cut short by a removal that is committed while a part of it is read', async (t) => {
    const { path, petStore } = await openSqliteStores(t);
    const tags = [{ name: 'a' }];
    await applyEach(petStore, [putPet({ tags }), putPet({ tags }), putPet({ tags })]);
    const reader = new InterruptedDatabase(path, /json_each/);
    const another = openDatabase(path);
    t.after(() => {
      reader.close();
      another.close();
    });
    const interrupted = openPetStore(reader, noWriter);
    reader.interrupt = () => another.exec('delete from pet where id = 1');
    const part = await interrupted.listByTags(['a'], { afterId: 0n, limit: 2 });
    assert.equal(part.length, 2, `only ${part.map(({ id }) => id).join()} of a list of two and more`);
  });
});

void describe('a batch for SQLite', () => {
  // What no store foresees, as a bug would bring it about: a number that is none of 64 bits.
  const unforeseen = putPet({ name: 'Too large' }, 2n ** 70n);

  void it('with a change that fails unexpectedly has the others stored, and their callers told so', async (t) => {
    const { petStore, ...others } = await openSqliteStores(t);
    const { pets } = gatherStores({ petStore, ...others });
    const results = await Promise.allSettled([
      pets.apply(putPet({ name: 'Before' }, 1n)),
      pets.apply(unforeseen),
      pets.apply(putPet({ name: 'After' }, 2n)),
    ]);
    const stored = await petStore.findMany([1n, 2n]);
    assert.deepEqual(
      stored.map((pet) => pet?.id),
      [1n, 2n],
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  void it('goes on working after one that failed unexpectedly', async (t) => {
    const { petStore } = await openSqliteStores(t);
    await petStore.applyAll([unforeseen]).catch(() => undefined);
    assert.equal((await applyOne(petStore, putPet())).id, 1n);
  });
});

async function storesAtTheEnd(t: Parameters<typeof openSqliteStores>[0]) {
  const stores = await openSqliteStores(t);
  const db = openDatabase(stores.path);
  db.prepare('update next_id set id = ?').run(BigInt(Number.MAX_SAFE_INTEGER));
  db.close();
  return stores;
}

void describe('ids in SQLite', () => {
  void it('are assigned up to 2^53 - 1, and never beyond', async (t) => {
    const { petStore } = await storesAtTheEnd(t);
    const outcomes = await petStore.applyAll([putPet(), putPet(), putPet({}, 1n), editPet(1n, { name: 'x' })]);
    assert.deepEqual(codesOf(outcomes), ['ok', 'unavailable', 'ok', 'ok']);
    assert.equal((await petStore.findMany([9007199254740991n]))[0]?.id, 9007199254740991n);
    assert.deepEqual(await petStore.findMany([9007199254740992n]), [undefined]);
  });

  void it('that run out in the middle of a list of accounts leave none of the list behind', async (t) => {
    const { userStore } = await storesAtTheEnd(t);
    await applyFailing(
      userStore,
      createUsers(newAccount('ada'), newAccount('bob'), newAccount('cyd', { id: 5n })),
      'unavailable',
    );
    assert.deepEqual(await userStore.findMany(['ada', 'bob', 'cyd']), [undefined, undefined, undefined]);
    assert.deepEqual(await applyOne(userStore, createUsers(newAccount('cyd', { id: 5n }))), [5n]);
  });
});

void describe('migrations of SQLite', () => {
  void it('run once, however many programs start at the same moment', async (t) => {
    const folder = await temporaryFolder(t);
    const siblings = 4;
    for (let round = 0; round < 8; round++) {
      const path = join(folder, `${round}.db`);
      const ready = new Int32Array(new SharedArrayBuffer(4));
      const threads = Array.from(
        { length: siblings },
        () =>
          new Worker(new URL('../support/migrating-thread.ts', import.meta.url), {
            workerData: { path, ready, siblings },
          }),
      );
      await Promise.all(threads.map((thread) => once(thread, 'exit')));
      const db = openDatabase(path);
      assert.equal(readPragma(db, 'user_version'), 1);
      assert.equal(db.prepare('select count(*) as count from next_id').get()?.['count'], 2);
      migrate(db);
      assert.equal(readPragma(db, 'integrity_check'), 'ok');
      db.close();
    }
  });
});
