import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import { statement } from '../../src/storage/rows/statements.ts';
import { openInMemory } from '../../src/storage/sqlite/engine/database.ts';
import { askOn } from '../../src/storage/sqlite/engine/steps.ts';

void describe('statements of both engines', () => {
  void it('on SQLite: have numbered parameters and no casts', () => {
    const { postgres, sqlite } = statement('select $2::int8, $1::text[], $1');
    assert.equal(postgres, 'select $2::int8, $1::text[], $1');
    assert.equal(sqlite, 'select ?2, ?1, ?1');
  });

  void it('on SQLite: get lists with exact integers and any text', (t) => {
    const db = openInMemory();
    t.after(() => db.close());
    const each = statement((sql) => `select value from ${sql.each('$1', 'text')}`);
    assert.deepEqual(askOn(db)(each, [MAX_INT64, 'a "b"\\\n', null]), [[MAX_INT64], ['a "b"\\\n'], [null]]);
  });

  void it('get the parameters that the text for the engine has', (t) => {
    const db = openInMemory();
    t.after(() => db.close());
    const sum = statement((sql) => `select $1${sql.either(' + $2::int8', '')}`);
    assert.deepEqual(askOn(db)(sum, 1, 2), [[1]]);
  });

  void it('with another number of parameters: are refused', (t) => {
    const db = openInMemory();
    t.after(() => db.close());
    const both = statement('select $1, $2');
    for (const parameters of [[1], [1, 2, 3]])
      assert.throws(() => askOn(db)(both, ...parameters), /does not have [13] parameters: select \?1, \?2/);
  });
});
