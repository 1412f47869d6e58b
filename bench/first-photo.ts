import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { firstScripts } from '../test/web/support/first-load.ts';
import { startChromium } from '../test/web/support/chromium.ts';
import { SLOW } from '../test/web/support/network.ts';
import { ensureWebBuilt } from '../test/support/web-build.ts';
import { startBarePage } from './first-photo/bare-page.ts';
import { loadPage, type Load } from './first-photo/page-load.ts';
import { startProcess } from './tools/processes.ts';
import { median } from './tools/results.ts';

/*
 * `npm run bench:web`: the time until the largest photo of a page is on the screen of a phone with an empty cache, at
 * 1.6 Mbit/s and 150 ms. As a ratio to the minimum time for the same bytes on this connection, and to a page that
 * contains only this photo.
 *
 *   minimum time = 2 x 150 ms (one for the page, one for its resources) + bytes / 200,000 B/s
 *   bytes        = encoded bytes, with headers, of all responses that were complete when the photo was shown
 */

const ROUNDS = 5;
const ROUND_TRIPS = 2;
const FIRST_LOAD_LIMIT_KB = 200;

const root = join(import.meta.dirname, '..');
const folder = await ensureWebBuilt();
const executable = join(root, 'src/cli/menagerie.js');
const server = startProcess(process.execPath, [executable, 'serve', '--ephemeral', '--port', '0'], {
  cores: 'all cores',
});
const origin = (await server.lineLike(/(http:\/\/127\.0\.0\.1:\d+)\/v2/))[1] ?? '';
const browser = await startChromium();
try {
  for (const path of ['/', await findPetPage()]) await measure(browser, path);
  await printFirstLoad();
} finally {
  await browser.close();
  await server.stop();
}

/** The page of a pet with photos. */
async function findPetPage(): Promise<string> {
  const response = (await (await fetch(`${origin}/v2/pet?limit=1&sort=newest`)).json()) as { items?: { id: number }[] };
  return `/pets/${response.items?.[0]?.id ?? 1}`;
}

/** Alternates between both pages, so that a slow phase of the machine affects both. */
async function measure(browser: Browser, path: string): Promise<void> {
  const first = await loadPage(browser, origin + path);
  const bare = await startBarePage(first.photo);
  const ours: Load[] = [];
  const theirs: Load[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await loadPage(browser, origin + path));
    theirs.push(await loadPage(browser, bare.origin));
  }
  await bare.close();
  const shownMs = median(ours.map(({ shownMs }) => shownMs));
  const minMs = median(ours.map(({ bytes }) => ROUND_TRIPS * SLOW.latencyMs + (bytes / SLOW.bytesPerSecond) * 1000));
  const bareMs = median(theirs.map(({ shownMs }) => shownMs));
  console.log(`${path}: the largest photo is shown after ${shownMs.toFixed(0)} ms (median of ${ROUNDS})`);
  console.log(`  photo ${kb(first.photo.bytes)} of ${kb(median(ours.map(({ bytes }) => bytes)))} in total`);
  for (const [type, bytes] of bytesByType(first.responses)) console.log(`    ${kb(bytes)} ${type}`);
  console.log(`  ${(shownMs / minMs).toFixed(2)} times the minimum time for these bytes, ${minMs.toFixed(0)} ms`);
  console.log(`  ${(shownMs / bareMs).toFixed(2)} times a page with this photo only, ${bareMs.toFixed(0)} ms`);
}

function bytesByType(responses: Load['responses']): ReadonlyMap<string, number> {
  const types = new Map<string, number>();
  for (const [path, bytes] of responses) {
    const type = path.startsWith('/v2/photo/') ? 'photos' : (/\.(\w+)$/.exec(path)?.[1] ?? 'page and API responses');
    types.set(type, (types.get(type) ?? 0) + bytes);
  }
  return types;
}

async function printFirstLoad(): Promise<void> {
  const scripts = await firstScripts(folder, 'catalogue/catalogue-page.tsx');
  const bytes = scripts.reduce((sum, { gzippedBytes }) => sum + gzippedBytes, 0);
  console.log(`JavaScript of the first load, gzipped: ${kb(bytes)} of ${FIRST_LOAD_LIMIT_KB} KB`);
}

function kb(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}
