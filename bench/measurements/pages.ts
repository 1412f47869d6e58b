import { rates, type Load } from '../tools/load.ts';
import { findCursor } from '../tools/searching.ts';
import { PAGE } from '../tools/searches.ts';
import { count, type Bench, type GuardedMeasurement, type Sides } from '../tools/measurement.ts';

/* Lists in pages of fifty. */

const CLAIM = { atLeast: 0.8, reachFor: 0.95 };
const LIST = '/v2/pet/findByStatus?status=available';
const FIRST_PAGE: Load = { path: `${LIST}&limit=${PAGE}` };

export const PAGES: readonly GuardedMeasurement[] = [
  {
    name: 'first-page',
    title: ({ large, small }) => `first page of ${PAGE} at ${count(large)} pets / at ${count(small)}`,
    claim: CLAIM,
    sides: (bench) => againstSmall(bench, async () => FIRST_PAGE),
  },
  {
    name: 'deep-page',
    title: ({ large, small, deepPage }) => `page ${count(deepPage)} at ${count(large)} pets / first at ${count(small)}`,
    claim: CLAIM,
    sides: (bench) => againstSmall(bench, (origin) => findPage(origin, bench.scale.deepPage)),
  },
];

async function againstSmall(bench: Bench, findLoad: (origin: string) => Promise<Load>): Promise<Sides> {
  const { servers, catalogues, scale } = bench;
  const large = await servers.menagerie(await catalogues.readOnly(scale.large));
  const page = await findLoad(large.origin);
  const small = await servers.menagerie(await catalogues.readOnly(scale.small));
  return rates([large.origin, page], [small.origin, FIRST_PAGE]);
}

async function findPage(origin: string, number: number): Promise<Load> {
  return { path: `${FIRST_PAGE.path}&cursor=${await findCursor(origin, LIST, number)}` };
}
