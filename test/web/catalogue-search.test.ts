import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addressedSearch,
  catalogueQuery,
  countInputOf,
  findInputOf,
  readCatalogueSearch,
  shownSearch,
  toggle,
} from '../../src/api/web/catalogue-search.ts';
import { changeSearch, criteriaOf, withoutCriterion } from '../../src/web/catalogue/search/search-criteria.ts';

void test('search: survives a round trip through the address', () => {
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
  ['status=any', { status: ['any'] }],
  ['status=any&status=sold', { status: ['any'] }],
  ['category=&category=Dogs&category=Dogs', { category: ['Dogs'] }],
  ['published=true', {}],
  ['published=false', { published: 'false' }],
  ['match=some&sort=size', {}],
  ['sort=newest', {}],
  ['sort=relevance', {}],
  ['text=dog&sort=relevance', { text: 'dog' }],
  ['text=dog&sort=newest', { text: 'dog', sort: 'newest' }],
];

for (const [address, meant] of PASSED_OVER)
  void test(`search: ?${address} is read as ${JSON.stringify(meant)}`, () => {
    assert.deepEqual(readCatalogueSearch(new URLSearchParams(address)), meant);
  });

void test('change of a search: keeps other criteria, and removes undefined and empty ones', () => {
  const search = { text: 'dog', status: ['sold'], category: ['Dogs'] } as const;
  assert.deepEqual(changeSearch(search, { text: undefined }), { status: ['sold'], category: ['Dogs'] });
  assert.deepEqual(changeSearch(search, { status: [], text: '' }), { category: ['Dogs'] });
  assert.deepEqual(changeSearch(search, { sort: 'relevance' }), search, 'the usual order is not told');
});

const SHOWN: readonly (readonly [address: string, toVisitors: object, toStaff: object])[] = [
  ['', { status: ['available'] }, {}],
  ['text=dog', { text: 'dog', status: ['available'] }, { text: 'dog' }],
  ['status=any', {}, {}],
  ['status=sold', { status: ['sold'] }, { status: ['sold'] }],
];

for (const [address, toVisitors, toStaff] of SHOWN)
  void test(`search: ?${address} shows visitors ${JSON.stringify(toVisitors)}, and has an address again`, () => {
    const search = readCatalogueSearch(new URLSearchParams(address));
    for (const [managesPets, expected] of [
      [false, toVisitors],
      [true, toStaff],
    ] as const) {
      const shown = shownSearch(search, managesPets);
      assert.deepEqual(shown, expected);
      assert.deepEqual(shownSearch(addressedSearch(shown, managesPets), managesPets), shown);
    }
    const shown = shownSearch(search, false);
    assert.equal(catalogueQuery(addressedSearch(shown, false)).toString(), address);
  });

void test('search for drafts: for staff only', () => {
  const search = readCatalogueSearch(new URLSearchParams('published=false&text=dog'));
  assert.deepEqual(shownSearch(search, false), { text: 'dog', status: ['available'] });
  assert.deepEqual(countInputOf(shownSearch(search, true)), { text: 'dog', published: false });
});

void test('match all tags: kept while there are several tags', () => {
  const search = { tag: ['calm', 'shy'], match: 'all' } as const;
  assert.deepEqual(changeSearch(search, { text: 'x' }), { ...search, text: 'x' });
  assert.deepEqual(changeSearch(search, { tag: ['calm'] }), { tag: ['calm'] });
});

void test('criteria: each can be removed', () => {
  let search = changeSearch({}, { text: 'a', status: ['sold', 'pending'], category: ['Dogs'], tag: ['shy'] });
  const criteria = criteriaOf(search);
  assert.equal(criteria.length, 5);
  for (const criterion of criteria) {
    const before = criteriaOf(search).length;
    search = changeSearch(search, withoutCriterion(search, criterion));
    assert.equal(criteriaOf(search).length, before - 1);
  }
  assert.deepEqual(search, {});
});

void test('toggle: adds a value, or removes it', () => {
  assert.deepEqual(toggle(undefined, 'a'), ['a']);
  assert.deepEqual(toggle(['a', 'b'], 'a'), ['b']);
});

void test('sort order: the default is valid for the API', () => {
  assert.equal(findInputOf({}).sort, 'newest');
  assert.equal(findInputOf({ text: 'dog' }).sort, 'relevance');
});

void test('unknown values of facts: are kept in the address, and not sent', () => {
  const search = readCatalogueSearch(new URLSearchParams('species=cat&species=unicorn&age=ancient&location=gone'));
  assert.equal(catalogueQuery(search).toString(), 'species=cat&species=unicorn&age=ancient&location=gone');
  assert.deepEqual(countInputOf(shownSearch(search, true)), { species: ['cat'], location: ['gone'] });
});
