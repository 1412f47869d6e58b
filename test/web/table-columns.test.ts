import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PET_SORTS } from '../../src/domain/search/criteria.ts';
import { COLUMNS, readRemembered, sortOf } from '../../src/web/list-editing/table/columns.ts';

void test('table of pets: the choice of columns is read in their order, without unknown ones', () => {
  const usual = readRemembered(null);
  assert.equal(usual.isTable, false);
  assert.ok(usual.columns.length > 0);
  for (const text of ['', 'nonsense', 'null', '{"columns":7}']) assert.deepEqual(readRemembered(text), usual, text);
  assert.deepEqual(readRemembered('{"isTable":true,"columns":["location","gone","id"]}'), {
    isTable: true,
    columns: ['id', 'location'],
  });
  assert.deepEqual(readRemembered('{"columns":[]}').columns, [], 'only the name');
});

void test('table of pets: sorts by everything that the service sorts by, if it has a column', () => {
  const sorts = (['name', ...COLUMNS] as const).flatMap((column) => sortOf(column) ?? []);
  const others = PET_SORTS.filter((sort) => !sorts.some((each) => each === sort));
  assert.deepEqual(others, ['newest', 'location', 'relevance']);
});
