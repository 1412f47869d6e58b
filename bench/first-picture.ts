import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { firstScripts } from '../test/web/support/first-load.ts';
import { startChromium } from '../test/web/support/chromium.ts';
import { SLOW } from '../test/web/support/network.ts';
import { ensureWebBuilt } from '../test/support/web-build.ts';
import { startBarePage } from './first-picture/bare-page.ts';
import { loadPage, type Load } from './first-picture/page-load.ts';
import { startProcess } from './processes.ts';

/*
 * `npm run bench:web`: when the largest picture of a page is on the screen of a telephone that has never been there, at 1.6 Mbit/s and 150 ms. As a ratio to
 * the least time that the same bytes need on that connection, and to a page that has nothing but that picture.
 *
 *   least time = 2 x 150 ms (one for the page, one for all that the page names) + bytes / 200,000 B/s
 *   bytes      = encoded bytes, with headers, of every answer that was complete when the picture was shown
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

/** A pet with pictures. */
async function findPetPage(): Promise<string> {
  const answer = (await (await fetch(`${origin}/v2/pet?limit=1&sort=newest`)).json()) as { items?: { id: number }[] };
  return `/pets/${answer.items?.[0]?.id ?? 1}`;
}

/** Our page and the bare one take turns, so that what slows the machine down slows both. */
async function measure(browser: Browser, path: string): Promise<void> {
  const first = await loadPage(browser, origin + path);
  const bare = await startBarePage(first.picture);
  const ours: Load[] = [];
  const theirs: Load[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await loadPage(browser, origin + path));
    theirs.push(await loadPage(browser, bare.origin));
  }
  await bare.close();
  const shownMs = median(ours.map(({ shownMs }) => shownMs));
  const leastMs = median(ours.map(({ bytes }) => ROUND_TRIPS * SLOW.latencyMs + (bytes / SLOW.bytesPerSecond) * 1000));
  const bareMs = median(theirs.map(({ shownMs }) => shownMs));
  console.log(`${path}: the largest picture is there after ${shownMs.toFixed(0)} ms (median of ${ROUNDS})`);
  console.log(`  its picture ${kb(first.picture.bytes)} of ${kb(median(ours.map(({ bytes }) => bytes)))} in all`);
  for (const [kind, bytes] of kindsOf(first.answers)) console.log(`    ${kb(bytes)} ${kind}`);
  console.log(`  ${(shownMs / leastMs).toFixed(2)} times the least time of these bytes, ${leastMs.toFixed(0)} ms`);
  console.log(`  ${(shownMs / bareMs).toFixed(2)} times a page with nothing but this picture, ${bareMs.toFixed(0)} ms`);
}

function kindsOf(answers: Load['answers']): ReadonlyMap<string, number> {
  const kinds = new Map<string, number>();
  for (const [path, bytes] of answers) {
    const kind = path.startsWith('/v2/photo/') ? 'pictures' : (/\.(\w+)$/.exec(path)?.[1] ?? 'page and answers');
    kinds.set(kind, (kinds.get(kind) ?? 0) + bytes);
  }
  return kinds;
}

async function printFirstLoad(): Promise<void> {
  const scripts = await firstScripts(folder, 'catalogue/catalogue-page.tsx');
  const bytes = scripts.reduce((sum, { gzippedBytes }) => sum + gzippedBytes, 0);
  console.log(`JavaScript of the first load, gzipped: ${kb(bytes)} of ${FIRST_LOAD_LIMIT_KB} KB`);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function kb(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}
