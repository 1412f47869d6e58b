import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { varied } from '../photo-variation.ts';

/*
 * Uploads different photos in parallel lanes: COUNT of them, or, if it is 0, until SIGTERM.
 * Usage: node upload-client.ts ORIGIN PETS FOLDER LANES COUNT FIRST
 */

const [origin = '', pets = '1', folder = '', lanes = '1', count = '0', first = '0'] = process.argv.slice(2);
const names = (await readdir(folder)).toSorted();
const photos = await Promise.all(names.map((name) => readFile(join(folder, name))));
const BOUNDARY = 'photo-5a1c0e';
const HEAD = Buffer.from(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="photo.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`,
);
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
const limit = { photos: count === '0' ? Infinity : Number(count) };
let started = 0;
let done = 0;

function upload(number: number): Promise<void> {
  const photo = photos[number % photos.length] as Buffer;
  const body = Buffer.concat([HEAD, varied(photo, number), TAIL]);
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'content-length': body.byteLength };
  const path = `/v2/pet/${1 + (number % Number(pets))}/uploadImage`;
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, { method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`An upload got status ${response.statusCode}.`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function uploadInTurn(): Promise<void> {
  while (started < limit.photos) {
    await upload(Number(first) + started++);
    if (done++ === 0) console.log('STARTED');
  }
}

// Pending requests are completed: otherwise the server would still process them during the next measurement.
process.once('SIGTERM', () => {
  limit.photos = 0;
});
const startedMs = performance.now();
await Promise.all(Array.from({ length: Number(lanes) }, uploadInTurn));
console.log(`RESULT ${JSON.stringify({ count: done, ms: performance.now() - startedMs })}`);
