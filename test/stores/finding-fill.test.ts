import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { DatabaseStores } from '../../src/domain/stores.ts';
import type { PetChange } from '../../src/domain/pets/pet-change.ts';
import { openArchive as openPostgresArchive } from '../../src/storage/postgres/engine/archive.ts';
import { readMigrations } from '../../src/storage/postgres/engine/migration-files.ts';
import {
  backfillPetCounts as backfillPostgresCounts,
  backfillPetSearch as backfillPostgresSearch,
} from '../../src/storage/postgres/pets/pet-backfills.ts';
import { statement } from '../../src/storage/postgres/engine/statements.ts';
import { openArchive as openSqliteArchive } from '../../src/storage/sqlite/engine/archive.ts';
import { openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import { backfillPetCounts, backfillPetSearch } from '../../src/storage/sqlite/pets/pet-backfills.ts';
import { applyEach, editPet, photo, putPet, removePet, restorePet, STAMP } from '../support/changes.ts';
import { openNewPostgresStores } from '../support/shared-postgres.ts';
import { openSqliteStores } from '../support/sqlite-stores.ts';

/*
 * What is kept for finding with every change is what can be derived from the pets and their history: by a migration of a database that has data, and by
 * a move into another database.
 */

const SQLITE_MIGRATIONS = join(import.meta.dirname, '../../src/storage/sqlite/engine/migrations');
const DERIVED = ['pet_search', 'pet_count', 'label_count'];

const at = (one: PetChange, atMs: number): PetChange => ({ ...one, stamp: { ...STAMP, atMs } });

const tags = (...names: string[]) => names.map((name) => ({ name }));

async function change(stores: DatabaseStores): Promise<void> {
  await applyEach(
    stores.pets,
    Array.from({ length: 2500 }, (_, index) =>
      at(
        putPet({ name: `Žofie ${index}`, category: { name: `K${index % 3}` }, tags: tags(`t${index % 7}`) }),
        index * 7e7,
      ),
    ),
  );
  await applyEach(stores.pets, [
    at(putPet({ name: 'max' }, 2n ** 63n - 1n), 5),
    at(editPet(3n, { name: '🐕', status: 'sold' }), 4e9),
    at(putPet({ tags: tags('t1', 'new', '') }, 4n), 5e9),
    at(removePet(5n), 6e9),
    at(removePet(6n), 6e9),
  ]);
  await applyEach(stores.pets, [
    at(putPet({ name: 'again' }, 6n), 7e9),
    at(removePet(7n), 7e9),
    at(putPet({}, 7n), 8e9),
  ]);
  await applyEach(stores.pets, [
    ...Array.from({ length: 40 }, (_, index) => at(editPet(BigInt(100 + index), { status: 'sold' }), index * 5e7)),
    at(removePet(100n), 8e9),
    at(restorePet(100n), 9e9),
    at(editPet(101n, { status: 'pending' }), 9e9),
    at(editPet(101n, { status: 'sold' }), 9e9),
    at(editPet(8n, { photo: photo('a') }), 9e9),
    at(editPet(9n, { photo: photo('a') }), 9e9),
    at(editPet(9n, { photo: photo('b') }), 9e9),
    at(editPet(9n, { photo: photo('c') }), 9e9),
    at(editPet(9n, { photos: { kind: 'remove', digest: photo('c').digest } }), 9e9),
  ]);
}

/** What is counted beside what pets are found by. */
const LATE_COUNTS = `delete from pet_count where kind in ('adopted', 'picture', 'picture-bytes')`;

void describe('what pets are found by', () => {
  void it('is derived as it is kept, in SQLite', async (t) => {
    const stores = await openSqliteStores(t);
    await change(stores);
    const db = openDatabase(stores.path);
    t.after(() => db.close());
    const contents = () => [
      ...DERIVED.map((table) => rowsOf(`select * from ${table} order by 1, 2`)),
      rowsOf('select term, doc from pet_token_order order by 1, 2'),
    ];
    const rowsOf = (sql: string): unknown[] => {
      const query = db.prepare(sql);
      query.setReadBigInts(true);
      return query.all();
    };
    const kept = contents();
    assert.ok(kept.every((rows) => rows.length > 5));
    await openSqliteArchive(db).derive();
    assert.deepEqual(contents(), kept);
    for (const table of ['pet_token_order', 'pet_token', ...DERIVED]) db.exec(`drop table ${table}`);
    db.exec(readFileSync(join(SQLITE_MIGRATIONS, '004-finding.sql'), 'utf8'));
    backfillPetSearch(db);
    assert.deepEqual(contents(), kept);
    db.exec(`${LATE_COUNTS}; drop index removed_pet_by_version`);
    assert.notDeepEqual(contents(), kept);
    db.exec(readFileSync(join(SQLITE_MIGRATIONS, '008-statistics.sql'), 'utf8'));
    backfillPetCounts(db);
    assert.deepEqual(contents(), kept);
  });

  void it('is derived as it is kept, in PostgreSQL', async (t) => {
    const stores = await openNewPostgresStores(t);
    await change(stores);
    const { ask } = stores.connections;
    const contents = async () => {
      const all: unknown[] = [];
      for (const table of DERIVED)
        all.push(await ask(statement(`select ${table}::text from ${table} order by ${table}::text collate "C"`)));
      return all;
    };
    const kept = await contents();
    const archive = await openPostgresArchive(stores.connections);
    await archive.derive();
    assert.deepEqual(await contents(), kept);
    await ask(statement(`drop table ${DERIVED.join(', ')}`));
    const migrateAgain = async (name: string, fill: typeof backfillPostgresSearch) => {
      const script = readMigrations().find((each) => each.name === name)?.sql ?? assert.fail();
      await stores.connections.migration(
        script,
        async () => true,
        (inOne) => fill((work) => work(inOne)),
      );
    };
    await migrateAgain('002-finding.sql', backfillPostgresSearch);
    assert.deepEqual(await contents(), kept);
    for (const sql of [LATE_COUNTS, 'drop index removed_pet_by_version']) await ask(statement(sql));
    assert.notDeepEqual(await contents(), kept);
    await migrateAgain('007-statistics.sql', backfillPostgresCounts);
    assert.deepEqual(await contents(), kept);
  });
});
