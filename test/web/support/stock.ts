import assert from 'node:assert/strict';
import type { Call } from '../../support/client.ts';
import { bearer, logIn, startSecuredService, type SecuredOptions } from '../../support/secured.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { samplePhoto, type PhotoFile } from './photo-files.ts';

/*
 * The service of a test with its catalogue, and changes by another user.
 */

const CATEGORIES = ['Dogs', 'Cats', 'Rabbits', 'Lions'];
const NAMES = ['Biscuit', 'Juno', 'Waffles', 'Pepper', 'Olive', 'Bruno', 'Miso', 'Luna', 'Smokey', 'Nimbus', 'Ziggy'];
const TAGS = ['friendly', 'small', 'calm', 'clever', 'playful', 'shy', 'senior'];
const STATUSES = ['available', 'available', 'pending', 'sold'];

/** Lines of one request, few enough that it does not time out. */
const LINES_PER_REQUEST = 10_000;

type Headers = Readonly<Record<string, string>>;

/** Starts a service in secured access with the web application. `root` are the headers of the administrator. */
export async function startStaffedService(t: Lifetime, options: SecuredOptions = {}) {
  const service = await startSecuredService(t, { web: true, ...options });
  return { service, call: service.call, root: bearer(await logIn(service.call, 'root')) };
}

/** Adds many pets, about 20,000 a second: `Luna 1`, `Smokey 2` and so on. The service assigns the IDs. */
export async function addManyPets(call: Call, count: number, headers: Headers = {}): Promise<void> {
  for (let from = 0; from < count; from += LINES_PER_REQUEST) {
    const length = Math.min(LINES_PER_REQUEST, count - from);
    const lines = Array.from({ length }, (_, at) => JSON.stringify({ op: 'create', pet: generatedPet(from + at + 1) }));
    const response = await call('POST', 'bulk', {
      body: Buffer.from(lines.join('\n')),
      headers: { 'content-type': 'application/x-ndjson', ...headers },
    });
    assert.equal(response.status, 200, response.text);
    const refused = response.text.split('\n').find((line) => line !== '' && !line.includes('"status":200'));
    assert.equal(refused, undefined);
  }
}

function generatedPet(number: number): object {
  return {
    name: `${elementOf(NAMES, number)} ${number}`,
    category: { name: elementOf(CATEGORIES, number) },
    tags: [{ name: elementOf(TAGS, number) }, { name: elementOf(TAGS, number + 3) }],
    status: elementOf(STATUSES, number),
  };
}

function elementOf(all: readonly string[], number: number): string {
  return all[number % all.length] ?? '';
}

/** A small shelter: pets with one photo, several, none, and one with a long name. */
const SHELTER = [
  {
    name: 'Luna',
    category: 'Cats',
    status: 'available',
    tags: ['calm', 'senior'],
    photos: ['cat-luna.jpg', 'cat-miso.jpg', 'cat-ziggy.jpg'],
  },
  {
    name: 'Biscuit',
    category: 'Dogs',
    status: 'available',
    tags: ['friendly', 'playful'],
    photos: ['dog-biscuit.jpg'],
  },
  { name: 'Clover', category: 'Rabbits', status: 'pending', tags: ['small', 'shy'], photos: ['rabbit-clover.jpg'] },
  { name: 'Kito', category: 'Lions', status: 'sold', tags: ['clever'], photos: ['lion-kito.jpg'] },
  { name: 'Pepper', category: 'Dogs', status: 'available', tags: ['senior'], photos: ['dog-pepper.jpg'] },
  { name: 'Shadow', category: 'Cats', status: 'available', tags: [], photos: [] },
  {
    name: 'Bartholomew Maximilian Featherstonehaugh of Long-Winded Lane',
    category: 'Rabbits',
    status: 'available',
    tags: ['small'],
    photos: ['rabbit-hazel.jpg'],
  },
] as const;

/**
 * Adds the pets of the shelter.
 *
 * @returns their IDs (digits) by name
 */
export async function addShelter(call: Call, headers: Headers = {}): Promise<Readonly<Record<string, string>>> {
  const ids: Record<string, string> = {};
  for (const { name, category, status, tags, photos } of SHELTER) {
    const id = await addPet(call, { name, category: { name: category }, status, tags: [...tags] }, headers);
    for (const photo of photos) await addPhoto(call, id, await samplePhoto(photo), headers);
    ids[name] = id;
  }
  return ids;
}

/** @returns the ID, in digits */
export async function addPet(
  call: Call,
  pet: Readonly<Record<string, unknown>>,
  headers: Headers = {},
): Promise<string> {
  const response = await call('POST', 'pet', { json: pet, headers });
  assert.equal(response.status, 200, response.text);
  return /^\{"id":(\d+)/.exec(response.text)?.[1] ?? assert.fail(response.text);
}

/** Changes a pet as another user. */
export async function patchPet(
  call: Call,
  id: string,
  patch: Readonly<Record<string, unknown>>,
  headers: Headers = {},
): Promise<void> {
  const response = await call('PATCH', `pet/${id}`, { json: patch, headers });
  assert.equal(response.status, 200, response.text);
}

export interface StoredPet {
  name: string;
  category?: { name: string };
  tags: readonly { name: string }[];
  status?: string;
  photoUrls: readonly string[];
}

/** Reads a pet, which must exist. */
export async function readPet(call: Call, id: string): Promise<StoredPet> {
  const response = await call('GET', `pet/${id}`);
  assert.equal(response.status, 200, response.text);
  return JSON.parse(response.text) as StoredPet;
}

/** Uploads a photo of a pet. */
export async function addPhoto(call: Call, id: string, photo: PhotoFile, headers: Headers = {}): Promise<void> {
  const form = new FormData();
  form.append('file', new File([new Uint8Array(photo.buffer)], photo.name, { type: photo.mimeType }));
  const sent = new Response(form);
  const response = await call('POST', `pet/${id}/uploadImage`, {
    body: new Uint8Array(await sent.arrayBuffer()),
    headers: { 'content-type': sent.headers.get('content-type') ?? '', ...headers },
  });
  assert.equal(response.status, 200, response.text);
}

/** Ends all sessions of a user, as an administrator. */
export async function endSessions(call: Call, username: string, administrator: Headers): Promise<void> {
  const response = await call('DELETE', `admin/users/${username}/sessions`, { headers: administrator });
  assert.equal(response.status, 200, response.text);
}
