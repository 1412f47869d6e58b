import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { clientOf } from '../support/client.ts';
import { startTestService } from '../support/service.ts';

/* Pages, totals and facets of random searches over a few hundred pets, which must agree. */

const service = await startTestService({ after });
const call = clientOf(service.base);

const COUNT = 300;
const NAMES = ['Bella', 'Bellamy', 'Rex', 'Luna', 'Žofie', 'Chocolate'];
const CATEGORIES = ['Dogs', 'Cats', 'Rabbits', 'Zoo, big'];
const TAGS = ['calm', 'shy', 'old cat', 'friendly', 'Luna', 'rare'];
const STATUSES = ['available', 'pending', 'sold', 'none'];
const TEXTS = ['bel', 'bela', 'bella', 'cat', 'luna', 'lunna cat', 'rex calm', 'chcolste', 'zof', 'nothing'];

await addPets(0, COUNT / 2);
await new Promise((resolve) => setTimeout(resolve, 5));
const halfTime = new Date().toISOString();
await addPets(COUNT / 2, COUNT);

/** Adds pets that differ by their number. */
async function addPets(from: number, to: number): Promise<void> {
  const lines = Array.from({ length: to - from }, (_, index) => {
    const number = from + index;
    const status = elementOf(STATUSES, number * 7);
    const pet = {
      id: 1000 + number,
      name: `${elementOf(NAMES, number * 5)} ${number}`,
      ...(number % 6 !== 0 && { category: { name: elementOf(CATEGORIES, Math.floor(number / 3)) } }),
      tags: TAGS.filter((_tag, place) => (number * (place + 3)) % 7 < (place === 5 ? 1 : 3)),
      ...(status !== 'none' && { status }),
    };
    return JSON.stringify({ op: 'create', pet });
  });
  const response = await call('POST', 'bulk', {
    body: Buffer.from(lines.join('\n')),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  assert.equal(response.text.match(/"status":200/g)?.length, to - from, response.text);
}

function elementOf(all: readonly string[], number: number): string {
  return all[number % all.length] ?? '';
}

interface Search {
  text?: string;
  status: readonly string[];
  category: readonly string[];
  tags: readonly string[];
  tagMatch: 'any' | 'all';
  updatedSince?: string;
}

const some = (values: readonly string[]) => fc.subarray([...values], { maxLength: 2 });

const SEARCH: fc.Arbitrary<Search> = fc.record(
  {
    text: fc.constantFrom(...TEXTS),
    status: some(STATUSES),
    category: some([...CATEGORIES, 'unheard of']),
    tags: some([...TAGS, 'unheard of']),
    tagMatch: fc.constantFrom('any', 'all'),
    updatedSince: fc.constant(halfTime),
  },
  { requiredKeys: ['status', 'category', 'tags', 'tagMatch'] },
);

function queryOf({ text, status, category, tags, tagMatch, updatedSince }: Search): string {
  const query = new URLSearchParams({ tagMatch });
  if (text !== undefined) query.set('text', text);
  for (const each of status) query.append('status', each);
  for (const each of category) query.append('category', each);
  for (const each of tags) query.append('tags', each);
  if (updatedSince !== undefined) query.set('updatedSince', updatedSince);
  return query.toString();
}

interface Page {
  pets: readonly { id: number; name: string }[];
  total: number;
  next?: string;
}

async function read<T>(path: string): Promise<T> {
  const { status, text } = await call('GET', path);
  assert.equal(status, 200, text);
  return JSON.parse(text) as T;
}

/** Reads all pages, with an action after each. */
async function readPages(query: string, limit: number, afterPage?: (page: Page) => Promise<void>) {
  const pages: Page[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: Page = await read(`pet?${query}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    pages.push(page);
    await afterPage?.(page);
    cursor = page.next;
  }
  return { pages, ids: pages.flatMap(({ pets }) => pets.map(({ id }) => id)) };
}

void test('total: is the number of different pets on all pages', async () => {
  const sorts = fc.constantFrom('id', 'name', 'newest', undefined);
  await fc.assert(
    fc.asyncProperty(SEARCH, sorts, fc.integer({ min: 20, max: 120 }), async (search, sort, limit) => {
      const query = `${queryOf(search)}${sort === undefined ? '' : `&sort=${sort}`}`;
      const { pages, ids } = await readPages(query, limit);
      assert.deepEqual(new Set(pages.map(({ total }) => total)), new Set([ids.length]));
      assert.equal(new Set(ids).size, ids.length);
    }),
    { numRuns: 60 },
  );
});

void test('facets: each number is the total of the search with that value', async () => {
  interface Facets {
    statuses: readonly { status: string; count: number }[];
    categories: readonly { name: string; count: number }[];
    tags: readonly { name: string; count: number }[];
  }
  let positive = 0;
  await fc.assert(
    fc.asyncProperty(SEARCH, async (search) => {
      const { statuses, categories, tags } = await read<Facets>(`facets?${queryOf(search)}`);
      const expectTotal = async (changed: Partial<Search>, count: number) => {
        const query = queryOf({ ...search, ...changed });
        assert.equal(count, (await read<Page>(`pet?${query}&limit=1`)).total, query);
        if (count > 0) positive++;
      };
      assert.deepEqual(
        statuses.map(({ status }) => status),
        STATUSES,
      );
      for (const name of [...CATEGORIES, ...search.category]) assert.ok(categories.some((each) => each.name === name));
      for (const name of [...TAGS, ...search.tags]) assert.ok(tags.some((each) => each.name === name));
      for (const { status, count } of statuses) await expectTotal({ status: [status] }, count);
      for (const { name, count } of categories) await expectTotal({ category: [name] }, count);
      for (const { name, count } of tags) {
        const others = search.tagMatch === 'all' ? search.tags.filter((tag) => tag !== name) : [];
        await expectTotal({ tags: [...others, name] }, count);
      }
    }),
    { numRuns: 40 },
  );
  assert.ok(positive > 0);
});

void test('facets without filters: agree with the lists of labels and the statistics', async () => {
  const { statuses, categories, tags } = await read<Record<string, readonly { count: number }[]>>('facets');
  assert.deepEqual(categories, await read('categories'));
  assert.deepEqual(tags, await read('tags'));
  const statistics = await read<{ total: number; statuses: readonly object[]; withoutStatus: number }>('statistics');
  assert.deepEqual(statuses, [...statistics.statuses, { status: 'none', count: statistics.withoutStatus }]);
  assert.deepEqual([statistics.total, (await read<Page>('pet?limit=1')).total], [COUNT, COUNT]);
});

const FIRST_ID = 100_000;
const END_ID = 100_120;

/** Whether others change the pet: every second one, and new ones. */
function isMoving(id: number): boolean {
  return id % 2 === 1 || id >= END_ID;
}

function withoutMoving(ids: readonly number[]): readonly number[] {
  return ids.filter((id) => !isMoving(id));
}

async function putQuokka(id: number, name: string): Promise<void> {
  const status = elementOf(STATUSES, Math.floor(id / 2));
  const json = { id, name: `${name} ${id}`, tags: ['quokka'], ...(status !== 'none' && { status }) };
  assert.equal((await call('POST', 'pet', { json })).status, 200);
}

function quokkaName(number: number): string {
  return elementOf(['Quokka', 'Quokkas', 'Tiny quokka', 'Rex'], Math.floor(number / 2));
}

for (const sort of ['id', 'name', 'newest', 'status', 'species', 'relevance'])
  void test(`pages by ${sort}: have each unchanged pet once and in order, while others change`, async () => {
    for (let id = FIRST_ID; id < END_ID; id++) await putQuokka(id, quokkaName(id));
    const query = `text=quokka&sort=${sort}`;
    const before = (await readPages(query, 1000)).ids;
    assert.equal(before.length, END_ID - FIRST_ID);
    let added = END_ID;
    let moved = FIRST_ID + 1;
    const { ids } = await readPages(query, 7, async ({ pets }) => {
      // A page continues after its last pet, which may be gone.
      const last = pets.at(-1)?.id;
      if (last !== undefined && isMoving(last)) await call('DELETE', `pet/${last}`);
      await putQuokka(moved, quokkaName(moved + 2));
      await putQuokka(moved + 60, 'Aardvark');
      await putQuokka(added, quokkaName(added));
      [moved, added] = [moved + 2, added + 1];
    });
    assert.deepEqual(withoutMoving(ids), withoutMoving(before));
    for (let id = FIRST_ID; id < added; id++) await call('DELETE', `pet/${id}`);
    assert.equal((await read<Page>('pet?tags=quokka')).total, 0);
  });
