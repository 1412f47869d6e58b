import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { readSynonyms } from '../../src/domain/search/synonyms.ts';
import { startService } from '../../src/server/service.ts';
import { startMenagerie } from '../../src/testing/menagerie.ts';
import { clientOf, type Call } from '../support/client.ts';
import { runCommand } from '../support/operator-commands.ts';
import { startTestService, temporaryFolder, testConfig } from '../support/service.ts';

const PETS = [
  { id: 1, name: 'Rex', category: { name: 'Cats' }, status: 'sold' },
  { id: 2, name: 'Mia', category: { name: 'Katzen' }, tags: ['calm'] },
  { id: 3, name: 'Kitten', category: { name: 'Hunde' } },
  { id: 4, name: 'Bo', category: { name: 'Dogs' }, tags: ['good with cats'] },
];

interface Found {
  pets: readonly { id: number }[];
  total: number;
  correctedText?: string;
  synonyms?: readonly { word: string; names: readonly string[] }[];
}

async function addPets(call: Call): Promise<void> {
  for (const json of PETS) assert.equal((await call('POST', 'pet', { json })).status, 200);
}

async function find(call: Call, query: string): Promise<Found> {
  const { status, text } = await call('GET', `pet?${query}`);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Found;
}

const idsOf = ({ pets }: Found) => pets.map(({ id }) => id);

const service = await startTestService({ after });
const call = clientOf(service.base);
await addPets(call);

const SEARCHES: readonly [text: string, ids: readonly number[], names: readonly string[] | undefined][] = [
  ['kitten', [3, 1, 2], ['Cats', 'Katzen']],
  ['Kätzchen', [1, 2], ['Cats', 'Katzen']],
  // Without the categories that have the word itself.
  ['katze', [2, 1], ['Cats']],
  ['cats', [1, 4, 2], ['Katzen']],
  ['PUPPY', [3, 4], ['Dogs', 'Hunde']],
  ['welpe', [3, 4], ['Dogs', 'Hunde']],
  ['bunny', [], undefined],
  ['calm', [2], undefined],
];

for (const [text, ids, names] of SEARCHES)
  void test(`search for ${text}: ${names === undefined ? 'without synonyms' : `also finds ${names.join(', ')}`}`, async () => {
    const found = await find(call, `text=${encodeURIComponent(text)}`);
    assert.deepEqual([idsOf(found), found.total], [ids, ids.length]);
    const word = text.toLowerCase().replace('ä', 'a');
    assert.deepEqual(found.synonyms, names === undefined ? undefined : [{ word, names }]);
  });

void test('search for breeds and tags: in either language, also with own synonyms', async (t) => {
  const own = join(await temporaryFolder(t), 'own.json');
  await writeFile(own, '{"mieze": ["Persian"]}');
  for (const flags of [['--empty'], ['--empty', '--synonyms', own]]) {
    const both = await startTestService(t, { flags });
    const callBoth = clientOf(both.base);
    const add = async (id: number, profile: object) => {
      await callBoth('POST', 'pet', { json: { id, name: `Pet ${id}` } });
      assert.equal((await callBoth('PUT', `pet/${id}/profile`, { json: profile })).status, 200);
    };
    await add(1, { species: 'dog', breedPrimary: 'German Shepherd Dog' });
    await add(2, { species: 'dog', breedPrimary: 'Deutscher Schäferhund' });
    await add(3, { species: 'cat', breedPrimary: 'Persian' });
    await add(4, { species: 'cat', breedPrimary: 'Perser' });
    const found = async (text: string) =>
      idsOf(await find(callBoth, `text=${encodeURIComponent(text)}`)).toSorted((one, other) => one - other);
    assert.deepEqual(await found('Schäferhund'), [1, 2]);
    assert.deepEqual(await found('deutscher SCHÄFERHUND'), [1, 2]);
    assert.deepEqual(await found('german shepherd'), [1, 2]);
    assert.deepEqual(await found('Perser'), [3, 4]);
    assert.deepEqual(await found('persian'), [3, 4]);
    await callBoth('POST', 'pet', { json: { id: 5, name: 'Pet 5', tags: [{ name: 'playful' }] } });
    await callBoth('POST', 'pet', { json: { id: 6, name: 'Pet 6', tags: [{ name: 'Verspielt' }] } });
    assert.deepEqual(await found('verspielt'), [5, 6]);
    assert.deepEqual(await found('playful'), [5, 6]);
    if (flags.includes(own)) assert.deepEqual(await found('mieze'), [3]);
    const { text } = await callBoth('GET', 'suggestions?text=sch%C3%A4ferhund');
    assert.match(text, /"breeds":\[.*"German Shepherd Dog"/);
  }
});

void test('search with synonyms: filters, pages and facets agree', async () => {
  assert.deepEqual(idsOf(await find(call, 'text=kitten&status=sold')), [1]);
  assert.deepEqual(idsOf(await find(call, 'text=kitten+calm')), [2]);
  assert.deepEqual(idsOf(await find(call, 'text=kitten&sort=name')), [3, 2, 1]);
  const pages: number[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const { text } = await call('GET', `pet?text=kitten&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
    const page = JSON.parse(text) as Found & { next?: string };
    assert.deepEqual([page.total, page.synonyms?.length], [3, 1]);
    pages.push(...idsOf(page));
    cursor = page.next;
  }
  assert.deepEqual(pages, [3, 1, 2]);
  const facets = JSON.parse((await call('GET', 'facets?text=kitten')).text) as Record<string, readonly object[]>;
  assert.deepEqual(facets['categories'], [
    { name: 'Cats', count: 1 },
    { name: 'Dogs', count: 0 },
    { name: 'Hunde', count: 1 },
    { name: 'Katzen', count: 1 },
  ]);
});

void test('search with synonyms: a misspelled synonym is corrected', async () => {
  const { correctedText, synonyms, total } = await find(call, 'text=pupyp');
  assert.deepEqual([correctedText, synonyms, total], ['puppy', [{ word: 'puppy', names: ['Dogs', 'Hunde'] }], 2]);
});

async function writeList(t: TestContext, list: string): Promise<string> {
  const path = join(await temporaryFolder(t), 'synonyms.json');
  await writeFile(path, list);
  return path;
}

const OWN = '{ "Büffel": ["DOGS"], "buffel": ["good with cats"] }';

/** The list reaches both kinds of search: in a thread, and in the thread of the service. */
const STARTS: Readonly<Record<string, (t: TestContext, path: string) => Promise<{ base: string }>>> = {
  'with a thread': (t, path) => startTestService(t, { flags: ['--empty', '--synonyms', path] }),
  'in memory': async (t, path) => {
    const config = testConfig('', ['--empty', '--ephemeral', '--synonyms', path]);
    const running = await startService(config, pino({ level: 'silent' }));
    t.after(() => running.stop());
    return { base: `${running.origin}/v2` };
  },
};

for (const [kind, start] of Object.entries(STARTS))
  void test(`--synonyms, ${kind}: an own list replaces the shipped one`, async (t) => {
    const { base } = await start(t, await writeList(t, OWN));
    const own = clientOf(base);
    await addPets(own);
    const { synonyms, ...found } = await find(own, 'text=B%C3%BCffel');
    assert.deepEqual([idsOf({ ...found }), synonyms], [[4], [{ word: 'buffel', names: ['Dogs', 'good with cats'] }]]);
    assert.deepEqual(idsOf(await find(own, 'text=kitten')), [3]);
  });

void test('menagerie/testing: has the shipped list', async (t) => {
  const menagerie = await startMenagerie({ samples: true });
  t.after(() => menagerie.close());
  const { total } = await menagerie.client.findPets({ category: ['Cats'] });
  assert.equal((await menagerie.client.findPets({ text: 'kittens' })).total, total);
  await menagerie.reset();
  assert.equal((await menagerie.client.findPets({ text: 'kittens' })).total, total);
});

const INVALID: readonly (readonly [list: string, sentence: string])[] = [
  ['kitten: cats', 'The list of synonyms must be a JSON object such as {"kitten": ["Cats"]}.'],
  ['[]', 'The list of synonyms must be a JSON object such as {"kitten": ["Cats"]}.'],
  ['{"tom cat": ["Cats"]}', 'The list of synonyms has "tom cat", which is not one word.'],
  ['{"!": ["Cats"]}', 'The list of synonyms has "!", which is not one word.'],
  ...['"Cats"', '[]', '["Cats", 1]', '["?"]', 'null'].map(
    (names) =>
      [
        `{"kitten": ${names}}`,
        'The list of synonyms must have names for "kitten", as in {"kitten": ["Cats"]}.',
      ] as const,
  ),
];

for (const [list, sentence] of INVALID)
  void test(`--synonyms: ${list} is refused`, async (t) => {
    const path = await writeList(t, list);
    const ended = await runCommand(['serve', '--ephemeral', '--port', '0', '--synonyms', path]);
    const stderr = `Menagerie cannot start: --synonyms (MENAGERIE_SYNONYMS): ${sentence}\n`;
    assert.deepEqual(ended, { code: 2, signal: null, stdout: '', stderr });
  });

void test('--synonyms: a file that cannot be read is refused', async (t) => {
  const folder = await temporaryFolder(t);
  const latin = join(folder, 'latin.json');
  await writeFile(latin, Buffer.from('{"k\u00e4tzchen": ["Cats"]}', 'latin1'));
  for (const [path, reason] of [
    [join(folder, 'none.json'), 'no such file or directory'],
    [folder, 'it is a folder, not a file'],
    [latin, 'it is not UTF-8 text'],
  ]) {
    const ended = await runCommand(['serve', '--ephemeral', '--port', '0', '--synonyms', `${path}`]);
    const stderr = `Menagerie cannot start: --synonyms (MENAGERIE_SYNONYMS): The file ${path} cannot be read: ${reason}.\n`;
    assert.deepEqual(ended, { code: 2, signal: null, stdout: '', stderr });
  }
});

void test('shipped list: has English and German words', async () => {
  const list = readSynonyms(await readFile(join(import.meta.dirname, '../../assets/synonyms.json'), 'utf8'));
  for (const word of ['kitten', 'katzchen']) assert.ok(list.get(word)?.includes('cats'), word);
  for (const word of ['puppy', 'welpe']) assert.ok(list.get(word)?.includes('hunde'), word);
});
