import { countsIn, type Search, type SearchResponse } from '../tools/searches.ts';
import { countResponse, inLanes, printResult, send } from './lanes.ts';

/*
 * Searches in parallel lanes, for SECONDS or, if they are 0, until SIGTERM; but at least MINIMUM searches.
 * Usage: node search-client.ts ORIGIN SEARCHES LANES SECONDS MINIMUM
 */

const [origin = '', searches = '[]', lanes = '1', seconds = '0', minimum = '0'] = process.argv.slice(2);
const mix = JSON.parse(searches) as readonly Search[];
const times = new Map<string, number[]>(mix.map(({ kind }) => [kind, []]));
const endMs = seconds === '0' ? Infinity : performance.now() + Number(seconds) * 1000;
/** Of each search, from its first response. */
const counts = new Map<Search, string>();
let started = 0;

async function search(): Promise<void> {
  const search = mix[started++ % mix.length] as Search;
  const sentMs = performance.now();
  const { body } = await send(origin + search.path);
  times.get(search.kind)?.push(performance.now() - sentMs);
  if (!counts.has(search)) counts.set(search, countsIn(JSON.parse(body.toString('utf8')) as SearchResponse));
  countResponse();
}

function quantile(values: readonly number[], fraction: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * fraction)] ?? Number.NaN;
}

const { count, ms } = await inLanes(lanes, search, () => started < Number(minimum) || performance.now() < endMs);
const medians = Object.fromEntries(Array.from(times, ([kind, each]) => [kind, quantile(each, 0.5)]));
const p99Ms = quantile([...times.values()].flat(), 0.99);
printResult({ count, ms, medians, p99Ms, counts: mix.map((each) => counts.get(each)) });
