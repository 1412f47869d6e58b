import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SharpImaging } from '../../src/services/imaging/imaging.ts';

/*
 * The photo processing of an upload, without a server.
 * Usage: node bare-imaging.ts FOLDER LANES COUNT
 */

const [folder = '', lanes = '1', count = '1'] = process.argv.slice(2);
const imaging = new SharpImaging({ maxPixels: 40e6, concurrency: Number(lanes), maxWaiting: 64 });
const paths = (await readdir(folder)).toSorted().map((name) => join(folder, name));
let started = 0;

async function work(): Promise<void> {
  while (started < Number(count)) await imaging.prepare(paths[started++ % paths.length] ?? '');
}

const startedMs = performance.now();
await Promise.all(Array.from({ length: Number(lanes) }, work));
console.log(`RESULT ${JSON.stringify({ count: started, ms: performance.now() - startedMs })}`);
