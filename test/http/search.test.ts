import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertRefused, clientOf, type HttpResponse } from '../support/client.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ after });
const call = clientOf(service.base);

interface Found {
  pets: readonly { id: number; name: string }[];
  total: number;
  next?: string;
}

const PETS = [
  { id: 1, name: 'Žofie', category: { id: 1, name: 'Dogs' }, tags: ['friendly', 'small'], status: 'available' },
  { id: 2, name: 'Rex', category: { id: 1, name: 'Dogs' }, tags: ['friendly'], status: 'sold' },
  { id: 3, name: 'Zofinka', category: { id: 2, name: 'Cats' }, tags: ['small', 'shy one'], status: 'pending' },
  { id: 4, name: 'bella', category: { id: 3, name: 'Zoo, big' }, tags: [], status: 'available' },
  { id: 5, name: 'Miso Žofie', tags: ['Žofie'] },
];

for (const json of PETS) assert.equal((await call('POST', 'pet', { json })).status, 200);

function read(response: HttpResponse): Found {
  assert.equal(response.status, 200, response.text);
  assert.equal(response.headers.get('content-type'), 'application/json');
  return JSON.parse(response.text) as Found;
}

async function find(query: string): Promise<Found> {
  return read(await call('GET', `pet?${query}`));
}

const idsOf = ({ pets }: Found) => pets.map(({ id }) => id);

function nextOf({ headers }: HttpResponse): string | undefined {
  const link = headers.get('link');
  return link === null ? undefined : (/^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? assert.fail(link));
}

void describe('search', () => {
  const questions: readonly [query: string, ids: readonly number[]][] = [
    ['', [1, 2, 3, 4, 5]],
    ['text=zof', [1, 3, 5]],
    ['text=%C5%BDOFIE', [1, 5]],
    ['text=zofie%20miso', [5]],
    ['text=dog', [1, 2]],
    ['text=big+zoo', [4]],
    ['text=zof&status=pending', [3]],
    ['status=available,sold', [1, 2, 4]],
    ['status=none', [5]],
    ['status=none&text=zof&sort=name', [5]],
    ['status=none&category=Dogs', []],
    ['status=none,pending', [3, 5]],
    ['status=available,pending,sold,none', [1, 2, 3, 4, 5]],
    ['status=available&status[]=sold', [1, 2, 4]],
    ['tags=small,friendly', [1, 2, 3]],
    ['tags=small,friendly&tagMatch=all', [1]],
    ['tags=shy%20one', [3]],
    ['tags=shy', []],
    ['category=Dogs', [1, 2]],
    ['category=Dogs&category=Cats', [1, 2, 3]],
    ['category=dogs', []],
    ['category=Zoo%2C%20big', [4]],
    ['category[]=Zoo,%20big&category=Cats', [3, 4]],
    ['category[1]=Zoo,%20big&category%5B0%5D=Cats', [3, 4]],
    ['category=Dogs,Cats', []],
    ['sort=name', [4, 5, 2, 1, 3]],
    ['sort=newest', [5, 4, 3, 2, 1]],
    ['sort=newest&text=zof', [5, 3, 1]],
    ['sort=id&text=zof', [1, 3, 5]],
    ['updatedSince=2000-01-01', [1, 2, 3, 4, 5]],
    ['updatedSince=2999-01-01T00:00:00%2B01:00', []],
  ];
  for (const [query, ids] of questions)
    void it(`finds by ?${query}`, async () => {
      const found = await find(query);
      assert.deepEqual(idsOf(found), ids);
      assert.equal(found.total, ids.length);
      assert.equal(found.next, undefined);
    });

  void it('returns the same on pages, by link or cursor', async () => {
    for (const [query, ids] of questions) {
      const byLink: number[] = [];
      const byCursor: number[] = [];
      let path: string | undefined = `pet?${query}&limit=2`;
      let cursor: string | undefined;
      do {
        const response: HttpResponse = await call('GET', path);
        const page = read(response);
        byLink.push(...idsOf(page));
        assert.equal(page.total, ids.length);
        const same = await find(`${query}&limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
        byCursor.push(...idsOf(same));
        cursor = page.next;
        path = nextOf(response);
        assert.equal(path === undefined, cursor === undefined);
      } while (path !== undefined);
      assert.deepEqual([byLink, byCursor], [ids, ids], query);
    }
  });

  void it('returns pets as every other operation does', async () => {
    const { text } = await call('GET', 'pet/4');
    assert.equal((await call('GET', 'pet?text=bella')).text, `{"pets":[${text}],"total":1}`);
    const head = await call('HEAD', 'pet?text=bella');
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  void it('refuses invalid parameters with a message', async () => {
    const refused = [
      'text=',
      'text=%20-%20',
      'text=a&text=b',
      `text=${'a'.repeat(201)}`,
      `text=${'abcdefghijk'.split('').join('+')}`,
      'status=lost',
      'status=',
      'tags=',
      'tags=a,,b',
      `tags=${Array.from({ length: 51 }, (_, index) => index).join()}`,
      'category=',
      'tagMatch=some',
      'sort=price',
      'sort=relevance',
      'updatedSince=yesterday',
      'limit=0',
      'limit=1001',
      'limit=x',
      'cursor=x',
      'cursor=',
    ];
    for (const query of refused) assertRefused(await call('GET', `pet?${query}`), 400, query);
  });

  void it('refuses the cursor of another search', async () => {
    const { next = '' } = await find('text=zof&limit=1');
    assert.notEqual(next, '');
    assert.equal((await find(`text=ZOF&limit=2&cursor=${next}`)).pets.length, 2);
    for (const query of ['text=zofie', 'text=zof&sort=name', 'text=zof&status=sold', ''])
      assertRefused(await call('GET', `pet?${query}&cursor=${next}`), 400, query);
    const [mark = ''] = JSON.parse(Buffer.from(next, 'base64url').toString()) as string[];
    for (const values of [
      ['x', '1', 'zofie', '1'],
      ['0', '1e9', 'zofie', '1'],
      ['0', '1', "'", '1'],
      ['0', '1', 'zofie', ''],
      ['0', '1', 'zofie', '1', '1'],
      [],
    ]) {
      const forged = Buffer.from(JSON.stringify([mark, ...values])).toString('base64url');
      assertRefused(await call('GET', `pet?text=zof&cursor=${forged}`), 400, values.join());
    }
  });

  void it('finds a pet as soon as the response to its change has arrived', async () => {
    const json = { id: 77, name: 'Quux', tags: ['fleeting'] };
    await call('POST', 'pet', { json });
    assert.deepEqual(idsOf(await find('text=quux')), [77]);
    await call('PUT', 'pet', { json: { ...json, name: 'Corge' } });
    assert.deepEqual([idsOf(await find('text=quux')), idsOf(await find('text=corge'))], [[], [77]]);
    await call('DELETE', 'pet/77');
    assert.deepEqual(idsOf(await find('tags=fleeting')), []);
  });
});

/** No pet has a profile. Everyone may change pets, so drafts are counted. */
const NO_FACETS_OF_PROFILES = {
  breeds: [],
  species: [],
  sexes: [],
  ages: [],
  sizes: [],
  coats: [],
  goodWith: [],
  locations: [],
  own: [],
  published: ['true', 'false'].map((name) => ({ name, count: 0 })),
};

void describe('labels and statistics', () => {
  void it('tags and categories are listed by use, in pages', async () => {
    const labels = async (path: string) => JSON.parse((await call('GET', path)).text) as unknown;
    assert.deepEqual(await labels('tags'), [
      { name: 'friendly', count: 2 },
      { name: 'small', count: 2 },
      { name: 'shy one', count: 1 },
      { name: 'Žofie', count: 1 },
    ]);
    assert.deepEqual(await labels('tags?text=z'), [{ name: 'Žofie', count: 1 }]);
    assert.deepEqual(await labels('categories?text=BIG'), [{ name: 'Zoo, big', count: 1 }]);
    const first = await call('GET', 'categories?limit=1');
    assert.equal(first.text, '[{"name":"Dogs","count":2}]');
    const second = await call('GET', nextOf(first) ?? assert.fail());
    assert.equal(second.text, '[{"name":"Cats","count":1}]');
    assertRefused(await call('GET', (nextOf(second) ?? '').replace('categories', 'tags')), 400);
    for (const query of ['text=!', 'limit=0', 'cursor=x'])
      assertRefused(await call('GET', `tags?${query}`), 400, query);
  });

  void it('facets: count the pets for each value, given the other filters', async () => {
    const response = await call('GET', 'facets?category=Dogs&status=sold&tags=shy+one&text=e');
    assert.equal(
      response.text,
      JSON.stringify({
        statuses: ['available', 'pending', 'sold', 'none'].map((status) => ({ status, count: 0 })),
        categories: ['Dogs', 'Cats', 'Zoo, big'].map((name) => ({ name, count: 0 })),
        tags: ['friendly', 'small', 'shy one', 'Žofie'].map((name) => ({ name, count: 0 })),
        ...NO_FACETS_OF_PROFILES,
      }),
    );
    const counts = async (query: string) => {
      const { statuses, categories, tags } = JSON.parse((await call('GET', `facets?${query}`)).text) as Record<
        'statuses' | 'categories' | 'tags',
        readonly { count: number }[]
      >;
      return [statuses, categories, tags].map((facet) => facet.map(({ count }) => count).join(' '));
    };
    assert.deepEqual(await counts(''), ['2 1 1 1', '2 1 1', '2 2 1 1']);
    assert.deepEqual(await counts('status=none'), ['2 1 1 1', '0 0 0', '0 0 0 1']);
    assert.deepEqual(await counts('status=available'), ['2 1 1 1', '1 0 1', '1 1 0 0']);
    assert.deepEqual(await counts('category=Dogs'), ['1 0 1 0', '2 1 1', '2 1 0 0']);
    assert.deepEqual(await counts('tags=small'), ['1 1 0 0', '1 1 0', '2 2 1 1']);
    assert.deepEqual(await counts('tags=small,friendly'), ['1 1 1 0', '2 1 0', '2 2 1 1']);
    assert.deepEqual(await counts('tags=small,friendly&tagMatch=all'), ['1 0 0 0', '1 0 0', '1 1 0 0']);
    assert.deepEqual(await counts('text=zof'), ['1 1 0 1', '1 1 0', '1 2 1 1']);
    assert.deepEqual(await counts('updatedSince=2999-01-01'), ['0 0 0 0', '0 0 0', '0 0 0 0']);
    assert.deepEqual(await counts('category=Lions&tags=purple'), ['0 0 0 0', '0 0 0 0', '0 0 0 0 0']);
    for (const query of ['status=lost', 'text=!', 'tagMatch=some', 'category=', 'updatedSince=x'])
      assertRefused(await call('GET', `facets?${query}`), 400, query);
  });

  void it('statistics: totals, and activity by day', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const response = await call('GET', 'statistics');
    const { days, ...numbers } = JSON.parse(response.text) as {
      days: { day: string; added: number; adopted: number }[];
    };
    assert.deepEqual(numbers, {
      total: 5,
      statuses: [
        { status: 'available', count: 2 },
        { status: 'pending', count: 1 },
        { status: 'sold', count: 1 },
      ],
      withoutStatus: 1,
      categories: [
        { name: 'Dogs', count: 2 },
        { name: 'Cats', count: 1 },
        { name: 'Zoo, big', count: 1 },
      ],
      tags: [
        { name: 'friendly', count: 2 },
        { name: 'small', count: 2 },
        { name: 'shy one', count: 1 },
        { name: 'Žofie', count: 1 },
      ],
      photos: { count: 0, bytes: 0 },
    });
    assert.equal(days.length, 30);
    assert.ok((days.at(-1)?.day ?? '') >= today);
    assert.equal(
      days.reduce((sum, { added }) => sum + added, 0),
      6,
    );
    assert.equal(
      days.reduce((sum, { adopted }) => sum + adopted, 0),
      1,
    );
    const few = await call('GET', 'statistics?since=2020-02-28&until=2020-03-01T12:00:00Z');
    assert.match(few.text, /"days":\[\{"day":"2020-02-28",.*"2020-02-29".*"2020-03-01"[^}]*\}\]\}$/);
    // 2020 has 366 days.
    assert.equal((await call('GET', 'statistics?since=2020-01-01&until=2020-12-31')).status, 200);
    for (const query of ['since=x', 'until=', 'since=2020-01-02&until=2020-01-01', 'since=2020-01-01&until=2021-01-01'])
      assertRefused(await call('GET', `statistics?${query}`), 400, query);
  });
});

void describe('search for long pets', () => {
  const COUNT = 24;
  before(async () => {
    // Some 500 KB each.
    const photoUrls = Array.from({ length: 98 }, (_, index) => index + '\u0001'.repeat(850));
    for (let id = 1001; id <= 1000 + COUNT; id++)
      assert.equal((await call('POST', 'pet', { json: { id, name: `Long ${id}`, photoUrls } })).status, 200);
  });
  after(async () => {
    for (let id = 1001; id <= 1000 + COUNT; id++) await call('DELETE', `pet/${id}`);
  });

  for (const sort of ['id', 'name', 'newest', 'status', 'relevance'])
    void it(`by ${sort}: returns pages of a few megabytes that lead to all pets`, async () => {
      const met: number[] = [];
      const counts: number[] = [];
      for (let path: string | undefined = `pet?text=long&limit=1000&sort=${sort}`; path !== undefined;) {
        const response: HttpResponse = await call('GET', path);
        assert.ok(response.text.length < 5 * 1024 * 1024, `${response.text.length} characters`);
        const page = read(response);
        assert.equal(page.total, COUNT);
        met.push(...idsOf(page));
        counts.push(page.pets.length);
        path = nextOf(response);
        assert.equal(path === undefined, page.next === undefined);
      }
      const ids = Array.from({ length: COUNT }, (_, index) => 1001 + index);
      assert.deepEqual(met, sort === 'newest' ? ids.toReversed() : ids);
      assert.deepEqual([counts[0], counts.length], [8, 3]);
    });
});
