import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogueQuery, findInputOf, readCatalogueSearch, toggle } from '../../src/api/web/catalogue-search.ts';
import { changeSearch, partsOf, withoutPart } from '../../src/web/catalogue/search/search-parts.ts';

void test('a search that stands in an address is read again as it was', () => {
  const search = {
    text: 'grey & 50% ü',
    status: ['available', 'sold'],
    category: ['Cats, large', 'Dogs'],
    tag: ['calm', 'a=b'],
    match: 'all',
    sort: 'name',
  } as const;
  assert.deepEqual(readCatalogueSearch(new URLSearchParams(catalogueQuery(search).toString())), search);
});

const PASSED_OVER: readonly (readonly [address: string, meant: object])[] = [
  ['', {}],
  ['text=%20%20', {}],
  ['text=!!%20%3F', {}],
  ['text=%20dog%20', { text: 'dog' }],
  ['status=gone&status=sold', { status: ['sold'] }],
  ['status=sold&status=available&status=sold', { status: ['available', 'sold'] }],
  ['category=&category=Dogs&category=Dogs', { category: ['Dogs'] }],
  ['match=some&sort=size', {}],
  ['sort=newest', {}],
  ['sort=relevance', {}],
  ['text=dog&sort=relevance', { text: 'dog' }],
  ['text=dog&sort=newest', { text: 'dog', sort: 'newest' }],
];

for (const [address, meant] of PASSED_OVER)
  void test(`?${address} means ${JSON.stringify(meant)}`, () => {
    assert.deepEqual(readCatalogueSearch(new URLSearchParams(address)), meant);
  });

void test('a change keeps what it does not speak of, and takes off what is undefined or empty', () => {
  const search = { text: 'dog', status: ['sold'], category: ['Dogs'] } as const;
  assert.deepEqual(changeSearch(search, { text: undefined }), { status: ['sold'], category: ['Dogs'] });
  assert.deepEqual(changeSearch(search, { status: [], text: '' }), { category: ['Dogs'] });
  assert.deepEqual(changeSearch(search, { sort: 'relevance' }), search, 'the usual order is not told');
});

void test('"all of the tags" is said as long as there are several', () => {
  const search = { tag: ['calm', 'shy'], match: 'all' } as const;
  assert.deepEqual(changeSearch(search, { text: 'x' }), { ...search, text: 'x' });
  assert.deepEqual(changeSearch(search, { tag: ['calm'] }), { tag: ['calm'] });
});

void test('every part of a search can be taken off by itself, until nothing is left', () => {
  let search = changeSearch({}, { text: 'a', status: ['sold', 'pending'], category: ['Dogs'], tag: ['shy'] });
  const parts = partsOf(search);
  assert.equal(parts.length, 5);
  for (const part of parts) {
    const before = partsOf(search).length;
    search = changeSearch(search, withoutPart(search, part));
    assert.equal(partsOf(search).length, before - 1);
  }
  assert.deepEqual(search, {});
});

void test('a choice that is made again is taken back', () => {
  assert.deepEqual(toggle(undefined, 'a'), ['a']);
  assert.deepEqual(toggle(['a', 'b'], 'a'), ['b']);
});

void test('no order is asked for that the interface would refuse', () => {
  assert.equal(findInputOf({}).sort, 'newest');
  assert.equal(findInputOf({ text: 'dog' }).sort, 'relevance');
});
