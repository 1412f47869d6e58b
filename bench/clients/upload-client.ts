import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { varied } from '../photo-variation.ts';

/*
 * Uploads photos, each different, so many at a time: a number of them, or, where that is 0, until it is ended.
 * Called as: node upload-client.ts ORIGIN PETS FOLDER LANES COUNT FIRST
 */

const [origin = '', pets = '1', folder = '', lanes = '1', count = '0', first = '0'] = process.argv.slice(2);
const names = (await readdir(folder)).toSorted();
const pictures = await Promise.all(names.map((name) => readFile(join(folder, name))));
const BOUNDARY = 'photo-5a1c0e';
const HEAD = Buffer.from(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="photo.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`,
);
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
const wanted = { photos: count === '0' ? Infinity : Number(count) };
let taken = 0;
let done = 0;

function upload(number: number): Promise<void> {
  const picture = pictures[number % pictures.length] as Buffer;
  const body = Buffer.concat([HEAD, varied(picture, number), TAIL]);
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'content-length': body.byteLength };
  const path = `/v2/pet/${1 + (number % Number(pets))}/uploadImage`;
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, { method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`An upload was answered with ${response.statusCode}.`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function uploadInTurn(): Promise<void> {
  while (taken < wanted.photos) {
    await upload(Number(first) + taken++);
    if (done++ === 0) console.log('STARTED');
  }
}

// What is under way comes to its end: the server would go on with it, and what is measured next would not be without it.
process.once('SIGTERM', () => {
  wanted.photos = 0;
});
const startedMs = performance.now();
await Promise.all(Array.from({ length: Number(lanes) }, uploadInTurn));
console.log(`RESULT ${JSON.stringify({ count: done, ms: performance.now() - startedMs })}`);
