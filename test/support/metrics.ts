import assert from 'node:assert/strict';
import { clientOf } from './client.ts';

/** The values of metrics by series, such as `menagerie_http_requests_total{operation="addPet",status="200"}`. */
export type Series = ReadonlyMap<string, number>;

export async function readMetrics(origin: string, headers: Readonly<Record<string, string>> = {}): Promise<Series> {
  const { status, text } = await clientOf(origin)('GET', 'metrics', { headers });
  assert.equal(status, 200, text);
  return seriesIn(text);
}

export function seriesIn(text: string): Series {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const series = new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  assert.equal(series.size, lines.length, 'each series occurs once');
  return series;
}

export function requestsOf(series: Series, operation: string, status = 200): number {
  return series.get(`menagerie_http_requests_total{operation="${operation}",status="${status}"}`) ?? 0;
}
