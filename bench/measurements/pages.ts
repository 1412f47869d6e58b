import { rate, type Load } from '../load.ts';
import { count, inTurn, type Bench, type Measurement } from './measurement.ts';

/* Lists in pages of fifty. */

const CLAIM = { atLeast: 0.8, reachFor: 0.95 };
const PAGE = 50;
const MAX_PAGE = 1000;
const FIRST_PAGE: Load = { path: `/v2/pet/findByStatus?status=available&limit=${PAGE}` };

export const PAGES: readonly Measurement[] = [
  {
    name: 'first-page',
    title: ({ large, small }) => `first page of ${PAGE} at ${count(large)} pets / at ${count(small)}`,
    claim: CLAIM,
    run: (bench) => againstSmall(bench, async () => FIRST_PAGE),
  },
  {
    name: 'deep-page',
    title: ({ large, small, deepPage }) => `page ${count(deepPage)} at ${count(large)} pets / first at ${count(small)}`,
    claim: CLAIM,
    run: (bench) => againstSmall(bench, (origin) => findPage(origin, bench.scale.deepPage)),
  },
];

async function againstSmall(bench: Bench, findLoad: (origin: string) => Promise<Load>) {
  const { servers, catalogues, scale } = bench;
  const large = await servers.menagerie(await catalogues.readOnly(scale.large));
  const small = await servers.menagerie(await catalogues.readOnly(scale.small));
  const page = await findLoad(large.origin);
  return inTurn(bench, {
    unit: '/s',
    ours: (seconds) => rate(large.origin, page, seconds),
    theirs: (seconds) => rate(small.origin, FIRST_PAGE, seconds),
  });
}

/** Finds the page as a client does, from page to page, but with the largest pages. */
async function findPage(origin: string, number: number): Promise<Load> {
  let cursor: string | undefined;
  for (let left = (number - 1) * PAGE; left > 0; left -= MAX_PAGE) {
    const url = new URL('/v2/pet/findByStatus?status=available', origin);
    url.searchParams.set('limit', String(Math.min(left, MAX_PAGE)));
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    cursor = await cursorAfter(url);
  }
  return { path: `${FIRST_PAGE.path}&cursor=${cursor}` };
}

async function cursorAfter(url: URL): Promise<string> {
  const response = await fetch(url);
  await response.arrayBuffer();
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  const cursor = next === undefined ? null : new URL(next).searchParams.get('cursor');
  if (cursor === null) throw new Error('The list ended before the requested page.');
  return cursor;
}
