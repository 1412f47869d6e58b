import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, clientOf } from '../support/client.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ after });
const call = clientOf(service.base);

interface Suggestion {
  name: string;
  text: string;
  count: number;
}

type Suggestions = Record<'names' | 'categories' | 'tags', readonly Suggestion[]>;

const PETS = [
  { name: 'Luna', category: { name: 'Cats' }, tags: ['calm', 'lucky'], status: 'available' },
  { name: 'Luna Belle', category: { name: 'Cats' }, tags: ['calm'], status: 'sold' },
  { name: 'Lucky', category: { name: 'Lizards & snakes' }, tags: ['calm', 'lazy'], status: 'available' },
  { name: 'Žofie', category: { name: 'Lizards & snakes' }, tags: ['loud', 'lucky, too'] },
  { name: 'Rex', category: { name: 'Dogs' }, tags: ['lazy'], status: 'pending' },
];
for (const json of PETS) assert.equal((await call('POST', 'pet', { json })).status, 200);

async function suggest(query: string): Promise<Suggestions> {
  const { status, text } = await call('GET', `suggestions?${query}`);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Suggestions;
}

const textOf = ({ names, categories, tags }: Suggestions) =>
  [names, categories, tags].map((all) => all.map(({ name, count }) => `${name} ${count}`).join('; '));

void test('suggestions: for the beginning of a word, the most pets first', async () => {
  const { text } = await call('GET', 'suggestions?text=lu');
  assert.equal(
    text,
    JSON.stringify({
      names: [
        { name: 'Lucky', text: 'Lucky', count: 3 },
        { name: 'Luna', text: 'Luna', count: 2 },
      ],
      categories: [],
      tags: [
        { name: 'lucky', text: '', count: 1 },
        { name: 'lucky, too', text: '', count: 1 },
      ],
      breeds: [],
    }),
  );
});

const CASES: readonly [query: string, names: string, categories: string, tags: string][] = [
  ['text=L', 'Lucky 3; Luna 2', 'Lizards & snakes 2', 'lazy 2; loud 1; lucky 1; lucky, too 1'],
  // Of the word of most names.
  ['text=l&limit=1', 'Luna 2', 'Lizards & snakes 2', 'lazy 2'],
  ['text=ZOF', 'Žofie 1', '', ''],
  ['text=be', 'Belle 1', '', ''],
  // With the other words.
  ['text=calm+lu', 'Lucky 2; Luna 2', '', 'lucky 1'],
  ['text=lucky+l', 'Luna 1', 'Lizards & snakes 2', 'lazy 1; loud 1; lucky 1; lucky, too 1'],
  ['text=snakes+liz', '', 'Lizards & snakes 2', ''],
  // With the other filters, but not with those of the same facet.
  ['text=l&status=available', 'Lucky 2; Luna 1', 'Lizards & snakes 1', 'lazy 1; lucky 1'],
  ['text=l&category=Cats', 'Luna 2', 'Lizards & snakes 2', 'lucky 1'],
  ['text=l&tags=calm', 'Lucky 2; Luna 2', 'Lizards & snakes 1', 'lazy 2; loud 1; lucky 1; lucky, too 1'],
  ['text=l&tags=calm&tagMatch=all', 'Lucky 2; Luna 2', 'Lizards & snakes 1', 'lazy 1; lucky 1'],
  // A corrected word, and a synonym.
  ['text=lunna', 'Luna 2', '', ''],
  ['text=kitten', '', 'Cats 2', ''],
  ['text=puppy', '', 'Dogs 1', ''],
  ['text=qqqq', '', '', ''],
];

for (const [query, ...texts] of CASES)
  void test(`suggestions: ?${query}`, async () => {
    assert.deepEqual(textOf(await suggest(query)), texts);
  });

void test('suggestions: each count is the total of its search', async () => {
  for (const [query] of CASES) {
    const { names, categories, tags } = await suggest(query);
    const total = async ({ text, name, count }: Suggestion, label: string) => {
      const search = new URLSearchParams(query);
      search.delete('limit');
      search.delete('text');
      if (text !== '') search.set('text', text);
      if (label !== '' && search.get('tagMatch') === null) search.delete(label);
      if (label !== '') search.append(label, name);
      const found = JSON.parse((await call('GET', `pet?${search.toString()}`)).text) as { total: number };
      assert.equal(found.total, count, `${query}: ${name}`);
    };
    for (const each of names) await total(each, '');
    for (const each of categories) await total(each, 'category');
    // A comma separates tags.
    for (const each of tags) if (!each.name.includes(',')) await total(each, 'tags');
  }
});

void test('suggestions: follow a change as soon as it has its response', async () => {
  const before = await suggest('text=quu');
  await call('POST', 'pet', { json: { id: 77, name: 'Quux', tags: ['quuxish'] } });
  assert.deepEqual(textOf(await suggest('text=quu')), ['Quux 1', '', 'quuxish 1']);
  await call('PUT', 'pet', { json: { id: 77, name: 'QUUX', status: 'sold' } });
  assert.deepEqual(textOf(await suggest('text=quu')), ['QUUX 1', '', '']);
  await call('DELETE', 'pet/77');
  assert.deepEqual(await suggest('text=quu'), before);
});

void test('suggestions: invalid parameters are refused with a message', async () => {
  const refused = [
    '',
    'text=',
    'text=!',
    'text=a&text=b',
    `text=${'abcdefghijk'.split('').join('+')}`,
    'text=l&limit=0',
    'text=l&limit=21',
    'text=l&limit=x',
    'text=l&status=lost',
    'text=l&sort=name',
    'text=l&tag=calm',
  ];
  for (const query of refused) assertRefused(await call('GET', `suggestions?${query}`), 400, query);
  assert.match((await call('GET', 'suggestions')).text, /text is required/);
  assert.match((await call('GET', 'suggestions?text=l&limit=21')).text, /limit must be an integer from 1 to 20/);
  assert.equal((await call('HEAD', 'suggestions?text=l')).status, 200);
});
