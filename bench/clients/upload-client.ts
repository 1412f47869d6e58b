import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { countResponse, inLanes, printResult, send } from './lanes.ts';

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
const HEADERS = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
let started = 0;

async function upload(): Promise<void> {
  const number = Number(first) + started++;
  const body = Buffer.concat([HEAD, varied(photos[number % photos.length] as Buffer, number), TAIL]);
  const url = `${origin}/v2/pet/${1 + (number % Number(pets))}/uploadImage`;
  await send(url, { method: 'POST', headers: { ...HEADERS, 'content-length': body.byteLength } }, body);
  countResponse();
}

const QUANTIZATION_TABLE = 0xff_db;
const CHANGED_FREQUENCIES = 30;

/**
 * The same photo with one number of its quantization table increased (ITU-T T.81, section B.2.4.1). This changes all
 * pixels, and so the bytes and the digest after decoding and encoding, at no cost.
 */
function varied(jpeg: Buffer, number: number): Buffer {
  const copy = Buffer.from(jpeg);
  let at = 2;
  while (copy.readUInt16BE(at) !== QUANTIZATION_TABLE) at += 2 + copy.readUInt16BE(at + 2);
  // After the marker: two bytes for the length, one for the number of the table, then 64 in order of frequency.
  at += 5 + 1 + (number % CHANGED_FREQUENCIES);
  copy[at] = Math.min(255, (copy[at] ?? 0) + 1 + Math.floor(number / CHANGED_FREQUENCIES));
  return copy;
}

printResult(await inLanes(lanes, upload, () => count === '0' || started < Number(count)));
