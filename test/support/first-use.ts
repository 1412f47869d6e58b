import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createClient, type Client } from '../../src/client/client.ts';

const PHOTO = resolve(import.meta.dirname, '../../assets/sample-photos/dog-olive.jpg');

/** Adds a pet with a photo. Returns its ID. */
export async function addPetWithPhoto(client: Client): Promise<bigint> {
  const { id } = await client.addPet({ body: { name: 'Rex' } });
  await client.uploadFile({ petId: id, body: { file: new Blob([await readFile(PHOTO)]) } });
  return id;
}

/** The pet, its photo and its page are served, and the script of the page. */
export async function checkPet(origin: string, petId: bigint): Promise<void> {
  const { name, photoUrls } = await createClient({ base: `${origin}/v2` }).getPetById({ petId });
  assert.equal(name, 'Rex');
  const photo = await read(new URL(photoUrls[0] ?? assert.fail('no photo'), origin));
  assert.match(photo.type, /^image\//);
  const page = await read(new URL(`/pets/${petId}`, origin));
  assert.match(page.text, /<h1[^>]*>Rex/);
  const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(page.text) ?? [];
  assert.match((await read(new URL(script, origin))).type, /^text\/javascript/);
}

async function read(url: URL): Promise<{ type: string; text: string }> {
  const response = await fetch(url, { headers: { accept: 'text/html,image/webp,*/*' } });
  assert.equal(response.status, 200, url.href);
  return { type: response.headers.get('content-type') ?? '', text: await response.text() };
}
