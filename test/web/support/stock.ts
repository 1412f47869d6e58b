import assert from 'node:assert/strict';
import type { Call } from '../../support/client.ts';
import { samplePicture, type PictureFile } from './photographs.ts';

/*
 * What stands in the catalogue before somebody looks at it, and what happens to it behind their back.
 */

const KINDS = ['Dogs', 'Cats', 'Rabbits', 'Lions'];
const NAMES = ['Biscuit', 'Juno', 'Waffles', 'Pepper', 'Olive', 'Bruno', 'Miso', 'Luna', 'Smokey', 'Nimbus', 'Ziggy'];
const TAGS = ['friendly', 'small', 'calm', 'clever', 'playful', 'shy', 'senior'];
const STATUSES = ['available', 'available', 'pending', 'sold'];

/** So many lines a request: each is answered well before a client loses its patience. */
const LINES_A_REQUEST = 10_000;

type Headers = Readonly<Record<string, string>>;

/** Adds many pets at once, about 20,000 a second: `Luna 1`, `Smokey 2` and so on. The service gives them ids. */
export async function addManyPets(call: Call, count: number, headers: Headers = {}): Promise<void> {
  for (let from = 0; from < count; from += LINES_A_REQUEST) {
    const length = Math.min(LINES_A_REQUEST, count - from);
    const lines = Array.from({ length }, (_, at) => JSON.stringify({ op: 'create', pet: manifold(from + at + 1) }));
    const answer = await call('POST', 'bulk', {
      body: Buffer.from(lines.join('\n')),
      headers: { 'content-type': 'application/x-ndjson', ...headers },
    });
    assert.equal(answer.status, 200, answer.text);
    const refused = answer.text.split('\n').find((line) => line !== '' && !line.includes('"status":200'));
    assert.equal(refused, undefined);
  }
}

function manifold(number: number): object {
  return {
    name: `${elementOf(NAMES, number)} ${number}`,
    category: { name: elementOf(KINDS, number) },
    tags: [{ name: elementOf(TAGS, number) }, { name: elementOf(TAGS, number + 3) }],
    status: elementOf(STATUSES, number),
  };
}

function elementOf(all: readonly string[], number: number): string {
  return all[number % all.length] ?? '';
}

/** A small shelter: some pets with pictures, one of them with several, one without any, and one with a name as long as they come. */
const SHELTER = [
  {
    name: 'Luna',
    kind: 'Cats',
    status: 'available',
    tags: ['calm', 'senior'],
    pictures: ['cat-luna.jpg', 'cat-miso.jpg', 'cat-ziggy.jpg'],
  },
  { name: 'Biscuit', kind: 'Dogs', status: 'available', tags: ['friendly', 'playful'], pictures: ['dog-biscuit.jpg'] },
  { name: 'Clover', kind: 'Rabbits', status: 'pending', tags: ['small', 'shy'], pictures: ['rabbit-clover.jpg'] },
  { name: 'Kito', kind: 'Lions', status: 'sold', tags: ['clever'], pictures: ['lion-kito.jpg'] },
  { name: 'Pepper', kind: 'Dogs', status: 'available', tags: ['senior'], pictures: ['dog-pepper.jpg'] },
  { name: 'Shadow', kind: 'Cats', status: 'available', tags: [], pictures: [] },
  {
    name: 'Bartholomew Maximilian Featherstonehaugh of Long-Winded Lane',
    kind: 'Rabbits',
    status: 'available',
    tags: ['small'],
    pictures: ['rabbit-hazel.jpg'],
  },
] as const;

/** Fills the catalogue with them. @returns their ids by their names, in digits */
export async function stockShelter(call: Call, headers: Headers = {}): Promise<Readonly<Record<string, string>>> {
  const ids: Record<string, string> = {};
  for (const { name, kind, status, tags, pictures } of SHELTER) {
    const id = await addPet(call, { name, category: { name: kind }, status, tags: [...tags] }, headers);
    for (const picture of pictures) await addPicture(call, id, await samplePicture(picture), headers);
    ids[name] = id;
  }
  return ids;
}

/** Adds one. @returns its id, in digits */
export async function addPet(
  call: Call,
  pet: Readonly<Record<string, unknown>>,
  headers: Headers = {},
): Promise<string> {
  const answer = await call('POST', 'pet', { json: pet, headers });
  assert.equal(answer.status, 200, answer.text);
  return /^\{"id":(\d+)/.exec(answer.text)?.[1] ?? assert.fail(answer.text);
}

/** Changes fields of a pet, as somebody else who works on it. */
export async function patchPet(
  call: Call,
  id: string,
  patch: Readonly<Record<string, unknown>>,
  headers: Headers = {},
): Promise<void> {
  const answer = await call('PATCH', `pet/${id}`, { json: patch, headers });
  assert.equal(answer.status, 200, answer.text);
}

/** Gives a pet a picture. */
export async function addPicture(call: Call, id: string, picture: PictureFile, headers: Headers = {}): Promise<void> {
  const form = new FormData();
  form.append('file', new File([new Uint8Array(picture.buffer)], picture.name, { type: picture.mimeType }));
  const sent = new Response(form);
  const answer = await call('POST', `pet/${id}/uploadImage`, {
    body: new Uint8Array(await sent.arrayBuffer()),
    headers: { 'content-type': sent.headers.get('content-type') ?? '', ...headers },
  });
  assert.equal(answer.status, 200, answer.text);
}

/** Ends all sessions of an account, as an administrator does, or somebody who was logged in elsewhere. */
export async function endSessions(call: Call, username: string, administrator: Headers): Promise<void> {
  const answer = await call('DELETE', `admin/users/${username}/sessions`, { headers: administrator });
  assert.equal(answer.status, 200, answer.text);
}
