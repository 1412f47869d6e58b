import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import { ownPhoto } from '../../src/domain/photos/photo.ts';
import { APPLICATION_ID, openDatabase, readPragma } from '../../src/storage/sqlite/engine/database.ts';
import { isUpToDate, migrate } from '../../src/storage/sqlite/migrations/migrations.ts';
import { everyStatement } from '../../src/storage/rows/statements.ts';
import { createSqliteStores } from '../../src/storage/sqlite/stores.ts';
import { WriteTransactions } from '../../src/storage/sqlite/writer/write-transactions.ts';
import { Writer } from '../../src/storage/sqlite/engine/writer.ts';
import { SqlitePetStore } from '../../src/storage/sqlite/pets/pet-store.ts';
import {
  applyAll,
  applyEach,
  applyFailing,
  applyOne,
  beginSession,
  codesOf,
  createKey,
  createUsers,
  editPet,
  endSession,
  findAll,
  findStates,
  newAccount,
  photo,
  putPet,
  removePet,
} from '../support/changes.ts';
import { temporaryFolder } from '../support/service.ts';
import { emptiedSqliteStores, openSqliteStores, openSqliteStoresAt } from '../support/sqlite-stores.ts';
import { EXEMPTIONS } from './scan-exemptions.ts';
import { testAuditScans } from './audit-store-suite.ts';
import { describeStores } from './store-suite.ts';

/** The number of SQL files in src/storage/sqlite/migrations/. */
const SCHEMA_VERSION = readdirSync(new URL('../../src/storage/sqlite/migrations/', import.meta.url)).filter((name) =>
  name.endsWith('.sql'),
).length;

describeStores('SQLite', emptiedSqliteStores({ after }));

void describe('SQLite database', () => {
  void it('commits to a write-ahead log and flushes to the disk, on every connection', async (t) => {
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
    assert.ok(tables.length >= 14);
    assert.deepEqual(
      tables.filter(({ strict }) => strict !== 1).map(({ name }) => name),
      [],
    );
  });

  void it('does not let the reading connection write', async (t) => {
    const { reader } = await openSqliteStores(t);
    assert.throws(() => reader.exec('delete from pet'), /readonly/);
  });

  void it('passes the integrity check after all kinds of changes, and keeps them when reopened', async (t) => {
    const path = join(await temporaryFolder(t), 'menagerie.db');
    const stores = openSqliteStoresAt(path);
    const photoUrls = [ownPhoto(photo('a').digest)];
    const [first] = await applyEach(stores.pets, [
      putPet({ tags: [{ name: 'a' }], status: 'sold' }, MAX_INT64),
      putPet(),
      editPet(1n, { photo: photo('a') }),
      putPet({ photoUrls }),
      removePet(1n),
    ]);
    await applyOne(stores.users, createUsers(newAccount('ada')));
    await stores.close();
    const again = openSqliteStoresAt(path);
    assert.deepEqual(await findStates(again.pets, [MAX_INT64]), [first]);
    assert.deepEqual(await findAll(again.photos, [photo('a').digest]), [photo('a')]);
    assert.equal((await findAll(again.users, ['ada']))[0]?.user.id, 1n);
    assert.equal(readPragma(again.reader, 'integrity_check'), 'ok');
    assert.equal(readPragma(again.reader, 'foreign_key_check'), undefined);
    await again.close();
  });
});

void describe('audit log on SQLite', () => {
  void it('cannot be changed, not even by a program that writes to the database', async (t) => {
    const { path, pets, audit } = await openSqliteStores(t);
    await applyEach(pets, [putPet(), editPet(1n, { name: 'Fox' })]);
    const before = await audit.list({}, { beforeId: undefined, limit: 10 });
    assert.equal(before.length, 2);
    const db = openDatabase(path);
    t.after(() => db.close());
    for (const change of ["actor_name = 'somebody else'", 'at_ms = 0', 'id = id + 10', 'outcome = outcome']) {
      assert.throws(() => db.exec(`update audit set ${change}`), /never changed/, change);
    }
    assert.throws(() =>
      db.exec("insert into audit select * from audit where true on conflict do update set via = 'key'"),
    );
    assert.deepEqual(await audit.list({}, { beforeId: undefined, limit: 10 }), before);
  });

  void describe('of more entries than a scan reads', () => {
    const COUNT = 25_000;
    /** Entries 1 and 25,000 belong to Ada, those in between to no one. */
    async function withMany(t: Parameters<typeof openSqliteStores>[0]) {
      const stores = await openSqliteStores(t);
      const db = openDatabase(stores.path);
      db.exec(
        `with recursive number (n) as (select 1 union all select n + 1 from number where n < ${COUNT})
         insert into audit (id, at_ms, via, actor_id, actor_name, action, outcome)
         select n, n, 'session', iif(n in (1, ${COUNT}), 7, 8), iif(n in (1, ${COUNT}), 'Ada', 'Bob'), 'access',
           iif(n = 10000, 'failed', 'done') from number`,
      );
      db.close();
      return stores;
    }

    testAuditScans(async (t) => (await withMany(t)).audit);

    void it('returns all of them, each once, in order', async (t) => {
      const { audit } = await withMany(t);
      const entries = await audit.list({}, { beforeId: undefined, limit: COUNT * 2 });
      assert.ok(entries.length === COUNT && entries.every(({ id }, index) => id === BigInt(COUNT - index)));
    });

    void it('yields to the event loop in between', async (t) => {
      const { audit } = await withMany(t);
      let iterations = 0;
      const count = () => {
        iterations += 1;
        counting = setImmediate(count);
      };
      let counting = setImmediate(count);
      await audit.list({ outcome: 'refused' }, { beforeId: undefined, limit: 1 });
      clearImmediate(counting);
      assert.ok(iterations >= 2, `${iterations} iterations`);
    });

    void it('deletes the given number in one call', async (t) => {
      const { audit } = await withMany(t);
      const forget = { kind: 'forget', beforeMs: 20_000, limit: 15_000 } as const;
      assert.deepEqual(await applyEach(audit, [forget, forget, forget]), [15_000, 4999, 0]);
      const [oldest] = (await audit.list({}, { beforeId: undefined, limit: COUNT })).slice(-1);
      assert.equal(oldest?.id, 20_000n);
    });
  });
});

void describe('user search on SQLite', () => {
  void it('finds matches far apart among more accounts than a scan reads, with ids up to the largest', async (t) => {
    const { path, users } = await openSqliteStores(t);
    const db = openDatabase(path);
    db.exec(
      `with recursive number (n) as (select 1 union all select n + 1 from number where n < 12000)
       insert into account (id, username, username_key, last_name, role)
       select iif(n = 12000, ${MAX_INT64}, n), 'u' || n, 'u' || n, iif(n in (1, 12000), 'ŠKODA', 'Other'), 'viewer' from number`,
    );
    db.close();
    const search = async (afterId: bigint, limit: number) =>
      (await users.search({ text: 'škoda' }, { afterId, limit })).map(({ id }) => id);
    assert.deepEqual(await search(0n, 100), [1n, MAX_INT64]);
    assert.deepEqual(await search(1n, 1), [MAX_INT64]);
    assert.deepEqual(await search(MAX_INT64, 1), []);
  });
});

const noWriter = new Writer({ link: { send: () => {}, onResponses: () => {}, onEnd: () => {}, close: () => {} } });

/** A connection that records the statements prepared on it. */
class RecordingDatabase extends DatabaseSync {
  readonly prepared: string[] = [];

  override prepare(sql: string): StatementSync {
    this.prepared.push(sql);
    return super.prepare(sql);
  }
}

void describe('SQLite statements', () => {
  void it('use the indexes: lists and single records scan and sort nothing', async (t) => {
    const { path, pets } = await openSqliteStores(t);
    await applyEach(
      pets,
      Array.from({ length: 500 }, (_, index) => putPet({ status: 'sold', tags: [{ name: `t${index % 5}` }] })),
    );
    const db = new RecordingDatabase(path);
    t.after(() => db.close());
    createSqliteStores({ reader: db, scanner: db, writer: noWriter });
    assert.deepEqual(new WriteTransactions({ db }).write([]), []);
    const common = everyStatement().map(({ sqlite }) => sqlite);
    const statements = [...db.prepared, ...common];
    const exempted = new Set<string>();
    assert.ok(
      statements.some((sql) => sql.includes('status = ?')) &&
        statements.some((sql) => sql.includes('pet_tag where name')),
    );
    for (const sql of statements) {
      const plan = db.prepare(`explain query plan ${sql}`).all();
      const steps = plan.map(({ detail }) => String(detail));
      // json_each lists the requested keys. A subquery reads an index with a limit, so its rows may be sorted.
      const walks = steps.filter((step, index) =>
        step.includes('TEMP B-TREE')
          ? !(steps[index - 1] ?? '').startsWith('SCAN (subquery')
          : /^SCAN (?!json_each|\(subquery|CONSTANT ROW)/.test(step),
      );
      const exemption = EXEMPTIONS.find(({ start }) => sql.replaceAll(/\s+/g, ' ').startsWith(start));
      assert.deepEqual(walks, exemption?.walks ?? [], `${sql}\n${steps.join('\n')}`);
      if (exemption !== undefined) exempted.add(exemption.start);
    }
    assert.deepEqual(
      EXEMPTIONS.filter(({ start }) => !exempted.has(start)),
      [],
      'no exemption without a statement',
    );
    const byStatus = statements.filter((sql) => sql.includes('from pet where status = ?'));
    assert.ok(byStatus.length > 0);
    for (const sql of byStatus) {
      const plan = db.prepare(`explain query plan ${sql}`).all();
      assert.ok(plan.some(({ detail }) => /pet_by_status \(status=\? AND (?:row)?id>\?\)/.test(String(detail))));
    }
  });
});

/** A connection that calls a function just before the rows of certain statements are read. */
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

void describe('list by tags on SQLite', () => {
  // A short batch ends a list, so it must not occur while there are more pets.
  void it('is not cut short by a deletion that is committed during a batch', async (t) => {
    const { path, pets } = await openSqliteStores(t);
    const tags = [{ name: 'a' }];
    await applyEach(pets, [putPet({ tags }), putPet({ tags }), putPet({ tags })]);
    const reader = new InterruptedDatabase(path, /json_each/);
    const another = openDatabase(path);
    t.after(() => {
      reader.close();
      another.close();
    });
    const interrupted = new SqlitePetStore({ reader, scanner: reader, writer: noWriter });
    reader.interrupt = () => another.exec('delete from pet where id = 1');
    const part = await interrupted.listByTags(['a'], { afterId: 0n, limit: 2 });
    assert.equal(part.length, 2, `only ${part.map(({ id }) => id).join()} of a list of two and more`);
  });
});

void describe('SQLite batch', () => {
  // An error that no store foresees, as in a bug: an id beyond 64 bits.
  const unforeseen = putPet({ name: 'Too large' }, 2n ** 70n);

  void it('with a change that fails unexpectedly: stores the others and responds to them', async (t) => {
    const { pets } = await openSqliteStores(t);
    const results = await Promise.allSettled([
      pets.apply(putPet({ name: 'Before' }, 1n)),
      pets.apply(unforeseen),
      pets.apply(putPet({ name: 'After' }, 2n)),
    ]);
    const stored = await findAll(pets, [1n, 2n]);
    assert.deepEqual(
      stored.map((pet) => pet?.id),
      [1n, 2n],
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  void it('after one that failed unexpectedly: works', async (t) => {
    const { pets } = await openSqliteStores(t);
    await applyAll(pets, [unforeseen]);
    assert.equal((await applyOne(pets, putPet())).id, 1n);
  });
});

async function openAtLastId(t: Parameters<typeof openSqliteStores>[0]) {
  const stores = await openSqliteStores(t);
  const db = openDatabase(stores.path);
  db.prepare('update next_id set id = ?').run(BigInt(Number.MAX_SAFE_INTEGER));
  db.close();
  return stores;
}

void describe('SQLite ids', () => {
  void it('are assigned up to 2^53 - 1, and never beyond', async (t) => {
    const { pets } = await openAtLastId(t);
    const outcomes = await applyAll(pets, [putPet(), putPet(), putPet({}, 1n), editPet(1n, { name: 'x' })]);
    assert.deepEqual(codesOf(outcomes), ['ok', 'conflict', 'ok', 'ok']);
    assert.equal((await findAll(pets, [9007199254740991n]))[0]?.id, 9007199254740991n);
    assert.deepEqual(await findAll(pets, [9007199254740992n]), [undefined]);
  });

  void it('that run out within a list of accounts leave nothing of the list', async (t) => {
    const { users } = await openAtLastId(t);
    const list = createUsers(newAccount('ada'), newAccount('bob'), newAccount('cyd', { publicId: 5n }));
    await applyFailing(users, list, 'conflict');
    assert.deepEqual(await findAll(users, ['ada', 'bob', 'cyd']), [undefined, undefined, undefined]);
    assert.equal(await users.isUnused(), true);
  });
});

void describe('SQLite migrations', () => {
  void it('report a full disk, and continue when there is space', async (t) => {
    const path = join(await temporaryFolder(t), 'menagerie.db');
    await makeFirstVersion(path);
    const db = openDatabase(path);
    t.after(() => db.close());
    // The migrations write them again, which takes more space than the new tables.
    const add = db.prepare('insert into pet (id, version, text) values (?, ?, ?)');
    for (let id = 100; id < 600; id++) {
      const name = `${'x'.repeat(200)} ${id}`;
      add.run(id, id, JSON.stringify({ id, name, photoUrls: [], tags: [] }));
    }
    const isFull = (limit: number): boolean => {
      db.exec(`pragma max_page_count = ${limit}`);
      try {
        migrate(db);
      } catch (error) {
        assert.match(String(error), /database or disk is full$/);
      }
      return !isUpToDate(db);
    };
    let limit = Number(readPragma(db, 'page_count'));
    assert.ok(isFull(limit) && isFull(limit + 25));
    while (isFull(limit)) limit += 5;
    assert.equal(readPragma(db, 'integrity_check'), 'ok');
  });

  void it('run once, even if many programs start at the same moment', async (t) => {
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
      assert.equal(readPragma(db, 'user_version'), SCHEMA_VERSION);
      assert.equal(db.prepare('select count(*) as count from next_id').get()?.['count'], 2);
      migrate(db);
      assert.equal(readPragma(db, 'integrity_check'), 'ok');
      db.close();
    }
  });

  void it('keep the accounts, sessions and pets of the first version', async (t) => {
    const path = join(await temporaryFolder(t), 'menagerie.db');
    await makeFirstVersion(path);
    const stores = openSqliteStoresAt(path);
    t.after(() => stores.close());
    const { reader, pets, users, sessions, keys, audit } = stores;
    assert.equal(readPragma(reader, 'user_version'), SCHEMA_VERSION);
    assert.equal(readPragma(reader, 'integrity_check'), 'ok');
    assert.equal(readPragma(reader, 'foreign_key_check'), undefined);

    const [ada, bob] = await findAll(users, ['ada', 'bob']);
    assert.deepEqual([ada?.id, ada?.role, ada?.passwordHash], [MAX_INT64, 'admin', '$argon2id$old']);
    assert.deepEqual([bob?.id, bob?.role, bob?.passwordHash], [1n, 'viewer', undefined]);
    assert.deepEqual([ada?.user.id, bob?.user.id], [MAX_INT64, 1n]);
    assert.equal(await users.hasAdministrator(), true);

    const found = await findAll(sessions, ['old session', 'other session']);
    assert.deepEqual(
      found.map((session) => [session?.username, session?.startedAtMs, session?.lastUsedAtMs, session?.expiresAtMs]),
      [
        ['Ada', 1000, 2000, 9000],
        ['Ada', 1500, 1500, 9000],
      ],
    );
    const listed = await sessions.listOf(MAX_INT64);
    assert.equal(new Set(listed.map(({ id }) => id)).size, 2, 'each session has its own public id');
    assert.ok(listed.every(({ id }) => id.length >= 16));
    await applyEach(sessions, [
      { kind: 'touch', digest: 'old session', usedAtMs: 3000 },
      endSession(MAX_INT64, found[1]?.id ?? ''),
      beginSession('new session', MAX_INT64, { passwordHash: '$argon2id$old', replaces: ['old session'] }),
    ]);
    assert.deepEqual(
      (await sessions.listOf(MAX_INT64)).map(({ digest }) => digest),
      ['new session'],
    );

    const [rex] = await findAll(pets, [5n]);
    assert.deepEqual([rex?.version, rex?.text], [1n, REX]);
    const edited = await applyOne(pets, editPet(5n, { name: 'Fox' }, { ifMatch: [{ weak: false, value: '1' }] }));
    assert.equal(edited.version, 2n);
    const { profile: _, ...edit } = edited;
    assert.deepEqual(await pets.listByTags(['dog'], { afterId: 0n, limit: 9 }), [edit]);
    await applyOne(keys, createKey('k1', MAX_INT64));
    const recorded = await audit.list({}, { beforeId: undefined, limit: 9 });
    assert.deepEqual(
      recorded.map(({ action }) => action),
      ['key.created', 'pet.edited', 'session.begun', 'session.ended', 'session.ended'],
    );
  });
});

const REX = '{"id":5,"name":"Rex","photoUrls":[],"tags":[{"name":"dog"}]}';

/** A database of the first release, written by its statements. */
async function makeFirstVersion(path: string): Promise<void> {
  const schema = new URL('../../src/storage/sqlite/migrations/001-the-sixteen-operations.sql', import.meta.url);
  const db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal');
  db.exec(`${await readFile(schema, 'utf8')}; pragma application_id = ${APPLICATION_ID}; pragma user_version = 1`);
  db.exec(
    `insert into account (id, username, username_key, role, password_hash, user_status)
       values (${MAX_INT64}, 'Ada', 'ada', 'admin', '$argon2id$old', 2), (1, 'bob', 'bob', 'viewer', null, null);
     insert into used_account_id (id) values (${MAX_INT64}), (1);
     update next_id set id = 2 where kind = 'account';
     insert into session (digest, account_id, started_at_ms, last_used_at_ms, expires_at_ms)
       values ('old session', ${MAX_INT64}, 1000, 2000, 9000), ('other session', ${MAX_INT64}, 1500, 1500, 9000);
     insert into pet_version (version, pet_id, action, changed_at_ms, text) values (1, 5, 'added', 1000, '${REX}');
     insert into pet (id, version, text) values (5, 1, '${REX}');
     insert into pet_tag (name, pet_id) values ('dog', 5)`,
  );
  db.close();
}
