import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertRefused, clientOf } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ after });
const call = clientOf(service.base);

interface Found {
  pets: readonly { id: number }[];
  covers?: readonly { petId: number; placeholder: string | null }[];
  next?: string;
}

const FOREIGN = 'https://example.org/rex.jpg';
const [dog, cat] = await Promise.all([1, 2].map((seed) => makePhoto({ width: 500, height: 300, seed })));

/** Pet 1 has two photos, 2 an external one before its own, 3 none, 4 the same as 1. */
for (const [id, photoUrls] of [[], [FOREIGN], [], []].entries())
  await call('POST', 'pet', { json: { id: id + 1, name: 'Rex', photoUrls } });
for (const [id, photo] of [
  [1, dog],
  [1, cat],
  [2, cat],
  [4, dog],
] as const)
  assert.equal((await call('POST', `pet/${id}/uploadImage`, fileUpload(photo ?? assert.fail()))).status, 200);
await call('PATCH', `pet/4/photos/${await firstDigest(4)}`, { json: { alt: 'Rex, "asleep"' } });

async function photosOf(id: number): Promise<readonly { digest: string; placeholder: string | null }[]> {
  return JSON.parse((await call('GET', `pet/${id}/photos`)).text) as [];
}

async function firstDigest(id: number): Promise<string> {
  return (await photosOf(id))[0]?.digest ?? assert.fail();
}

async function find(query: string): Promise<Found> {
  const response = await call('GET', `pet?${query}`);
  assert.equal(response.status, 200, response.text);
  return JSON.parse(response.text) as Found;
}

void test('covers: a page of pets includes the first photos on request, as in their photo lists', async () => {
  const { pets, covers } = await find('covers=true');
  assert.deepEqual(
    pets.map(({ id }) => id),
    [1, 2, 3, 4],
  );
  const [first] = await photosOf(1);
  const [fourth] = await photosOf(4);
  assert.deepEqual(covers, [
    { petId: 1, ...first },
    { petId: 4, ...fourth },
  ]);
  assert.notDeepEqual(first, fourth, 'each pet has its own text for a photo');
});

void test('covers: omitted by default', async () => {
  const { text } = await call('GET', 'pet');
  assert.equal((await call('GET', 'pet?covers=false')).text, text);
  assert.doesNotMatch(text, /covers/);
  for (const query of ['covers=', 'covers=1', 'covers=TRUE', 'covers=true&covers=true'])
    assertRefused(await call('GET', `pet?${query}`), 400, query);
});

void test('covers: belong to the pets of each page, and a cursor works with and without them', async () => {
  const { next = '', covers } = await find('covers=true&limit=3');
  assert.deepEqual(
    covers?.map(({ petId }) => petId),
    [1],
  );
  const rest = await find(`covers=true&limit=3&cursor=${next}`);
  assert.deepEqual(
    rest.covers?.map(({ petId }) => petId),
    [4],
  );
  assert.equal((await find(`limit=3&cursor=${next}`)).covers, undefined);
  assert.deepEqual((await find('text=nobody&covers=true')).covers, []);
  const { headers } = await call('GET', 'pet?covers=true&limit=3');
  assert.match(headers.get('link') ?? '', /covers=true/);
});

void test('covers: a missing placeholder is not computed for a page', async () => {
  const digest = await firstDigest(1);
  const db = new DatabaseSync(join(service.dataDir, 'menagerie.db'));
  db.prepare('update photo set placeholder = null where digest = ?').run(digest);
  const isMade = () =>
    db.prepare('select placeholder from photo where digest = ?').get(digest)?.['placeholder'] !== null;
  const { covers } = await find('covers=true');
  assert.deepEqual(
    covers?.map(({ placeholder }) => placeholder),
    [null, null],
  );
  assert.equal(isMade(), false);
  const [listed] = await photosOf(1);
  assert.notEqual(listed?.placeholder, null);
  assert.equal((await find('covers=true')).covers?.[0]?.placeholder, listed?.placeholder);
  db.close();
});
