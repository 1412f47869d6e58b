import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from './client.ts';
import { fileUpload } from './multipart.ts';

/* Pets with photos. */

let lastId = 1000;

/** The id of the newest pet. */
export const lastPetId = () => lastId;

/** Creates a pet. */
export async function petWith(client: Call, photoUrls: readonly string[] = []): Promise<number> {
  const id = ++lastId;
  const { status, text } = await client('POST', 'pet', { json: { id, name: 'Rex', photoUrls } });
  assert.equal(status, 200, text);
  return id;
}

export async function photoUrlsOf(client: Call, id: number): Promise<string[]> {
  return (JSON.parse((await client('GET', `pet/${id}`)).text) as { photoUrls: string[] }).photoUrls;
}

/** Uploads to a new pet, and returns the URL of the photo. */
export async function uploaded(client: Call, content: Uint8Array, fileName = 'rex.jpg'): Promise<string> {
  const id = await petWith(client);
  const { status, text } = await client('POST', `pet/${id}/uploadImage`, fileUpload(content, fileName));
  assert.equal(status, 200, text);
  return (await photoUrlsOf(client, id))[0] ?? assert.fail('no photo URL');
}

/** The names of all files except the installation id beside the photos. */
export async function filesIn(...folder: string[]): Promise<string[]> {
  const entries = await readdir(join(...folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name !== 'installation-id').map(({ name }) => name);
}

/** A photo with trailing zeros, which are allowed. */
export function padded(photo: Buffer, byteLength: number): Buffer {
  return Buffer.concat([photo, Buffer.alloc(byteLength - photo.byteLength)]);
}
