import { Agent, get } from 'node:http';
import { countsIn, type Search, type SearchResponse } from '../tools/searches.ts';

/*
 * Searches in parallel lanes, for SECONDS or, if they are 0, until SIGTERM; but at least MINIMUM searches.
 * Usage: node search-client.ts ORIGIN SEARCHES LANES SECONDS MINIMUM
 */

const [origin = '', searches = '[]', lanes = '1', seconds = '0', minimum = '0'] = process.argv.slice(2);
const mix = JSON.parse(searches) as readonly Search[];
const agent = new Agent({ keepAlive: true, maxSockets: Number(lanes) });
const times = new Map<string, number[]>(mix.map(({ kind }) => [kind, []]));
const startedMs = performance.now();
const limit = { minimum: Number(minimum), endMs: seconds === '0' ? Infinity : startedMs + Number(seconds) * 1000 };
/** Of each search, from its first response. */
const counts = new Map<Search, string>();
let started = 0;
let done = 0;

function request(search: Search): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(`${origin}${search.path}`, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        if (response.statusCode === 200) resolve(Buffer.concat(chunks));
        else reject(new Error(`${search.path} got status ${response.statusCode}.`));
      });
    }).on('error', reject);
  });
}

async function searchInTurn(): Promise<void> {
  while (started < limit.minimum || performance.now() < limit.endMs) {
    const search = mix[started++ % mix.length] as Search;
    const sentMs = performance.now();
    const body = await request(search);
    times.get(search.kind)?.push(performance.now() - sentMs);
    if (!counts.has(search)) counts.set(search, countsIn(JSON.parse(body.toString('utf8')) as SearchResponse));
    if (done++ === 0) console.log('STARTED');
  }
}

function quantile(values: readonly number[], fraction: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * fraction)] ?? Number.NaN;
}

process.once('SIGTERM', () => {
  limit.minimum = 0;
  limit.endMs = 0;
});
await Promise.all(Array.from({ length: Number(lanes) }, searchInTurn));
agent.destroy();
const medians = Object.fromEntries(Array.from(times, ([kind, each]) => [kind, quantile(each, 0.5)]));
const p99Ms = quantile([...times.values()].flat(), 0.99);
const ms = performance.now() - startedMs;
console.log(
  `RESULT ${JSON.stringify({ count: done, ms, medians, p99Ms, counts: mix.map((each) => counts.get(each)) })}`,
);
