import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ after });
const call = clientOf(service.base);

interface Found {
  pets: readonly { id: number }[];
  total: number;
  correctedText?: string;
  next?: string;
}

const PETS = [
  { id: 1, name: 'Bellamy', category: { name: 'Dogs' } },
  { id: 2, name: 'Bella', category: { name: 'Rabbits' }, status: 'sold' },
  { id: 3, name: 'Chocolate', category: { name: 'Rabbits' }, tags: ['bella'] },
  { id: 4, name: 'Ball', category: { name: 'Cats' }, tags: ['Žofie'] },
  { id: 5, name: 'Milo', category: { name: 'Cats' } },
  { id: 6, name: 'Mila', category: { name: 'Cats' } },
  { id: 7, name: 'Mila', category: { name: 'Cats' } },
  { id: 8, name: 'Max' },
];

for (const json of PETS) assert.equal((await call('POST', 'pet', { json })).status, 200);

async function find(query: string): Promise<Found> {
  const { status, text } = await call('GET', `pet?${query}`);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Found;
}

const SEARCHES: readonly [text: string, corrected: string | undefined, ids: readonly number[]][] = [
  // One edit from four letters: a missing, superfluous, wrong or exchanged letter.
  ['bela', 'bella', [2, 1, 3]],
  ['belkla', 'bella', [2, 1, 3]],
  ['bekla', 'bella', [2, 1, 3]],
  ['eblla', 'bella', [2, 1, 3]],
  ['bezza', undefined, []],
  // In three letters only exchanged ones; words may be incomplete.
  ['mxa', 'max', [8]],
  ['amx', 'max', [8]],
  ['dgo', 'dog', [1]],
  ['ogd', undefined, []],
  ['mqx', undefined, []],
  ['maq', undefined, []],
  ['xm', undefined, []],
  // Two from eight letters, of which none must be at the end: words may be incomplete.
  ['chcolste', 'chocolate', [3]],
  ['chokolte', 'chocolate', [3]],
  ['chcolst', undefined, []],
  ['chkklste', undefined, []],
  ['chpco', 'chocolate', [3]],
  // A word that a pet has is not corrected, nor one that begins such a word.
  ['ball', undefined, [4]],
  ['bell', undefined, [1, 2, 3]],
  ['milo', undefined, [5]],
  // Of the words with the fewest edits, the one that finds the most pets: “bella” finds Bellamy, too.
  ['milu', 'mila', [6, 7]],
  // Only the words that need it, in normalized form.
  ['Bela RABBIT', 'bella rabbit', [2, 3]],
  ['belaa rabit', 'bella rabbits', [2, 3]],
  ['ŻOFJE', 'zofie', [4]],
  ['bela qqqq', 'bella qqqq', []],
  // At most two words, each of at most 32 letters.
  ['bela rabit bxll', undefined, []],
  ['chocolate'.repeat(4), undefined, []],
  // Whether a word is known does not depend on the other words and filters.
  ['bella max', undefined, []],
];

for (const [text, corrected, ids] of SEARCHES)
  void test(`search for ${text}: ${corrected === undefined ? 'not corrected' : `corrected to ${corrected}`}`, async () => {
    const { pets, total, correctedText } = await find(`text=${encodeURIComponent(text)}`);
    assert.deepEqual(
      { ids: pets.map(({ id }) => id), total, correctedText },
      { ids, total: ids.length, correctedText: corrected },
    );
  });

void test('corrected search: a filter without matches does not change the correction', async () => {
  const { pets, total, correctedText } = await find('text=bela&status=pending');
  assert.deepEqual([pets, total, correctedText], [[], 0, 'bella']);
  assert.equal((await find('text=bella&status=pending')).correctedText, undefined);
});

void test('corrected search: has pages, each with the correction', async () => {
  const ids: number[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: Found = await find(`text=bela&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
    assert.deepEqual([page.total, page.correctedText], [3, 'bella']);
    ids.push(...page.pets.map(({ id }) => id));
    cursor = page.next;
  }
  assert.deepEqual(ids, [2, 1, 3]);
});

void test('corrected search: facets count the same pets', async () => {
  const [corrected, correct, unknown] = await Promise.all(
    ['bela', 'bella', 'bezza'].map(async (text) => (await call('GET', `facets?text=${text}&category=Rabbits`)).text),
  );
  assert.equal(corrected, correct);
  assert.notEqual(corrected, unknown);
});

void test('corrected search: a pet that has the word ends the correction, and its deletion begins it again', async () => {
  assert.equal((await find('text=maxx')).correctedText, 'max');
  assert.equal((await call('POST', 'pet', { json: { id: 99, name: 'Maxx' } })).status, 200);
  const { pets, correctedText } = await find('text=maxx');
  assert.deepEqual([pets.map(({ id }) => id), correctedText], [[99], undefined]);
  await call('DELETE', 'pet/99');
  assert.equal((await find('text=maxx')).correctedText, 'max');
});
