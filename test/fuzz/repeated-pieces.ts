import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { FuzzRequest } from './document-requests.ts';
import { isNoGuess, requestsTo, SEED, send, startSecured, textOf } from './fuzzed-requests.ts';

/*
 * Requests in which one header, parameter or body repeats a piece of a valid value must cost a fraction of a second of
 * CPU time at most. A pattern that backtracks takes seconds or years.
 */

/** Valid values of every header that the service or one of its libraries reads. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  accept: ['text/html, application/json;q=0.9;v="b,c"', 'application/xml ; q = 0.5, */*;q=0', 'text/event-stream'],
  'accept-encoding': ['gzip;q=0.8, br ; q=1.0, identity;q=0'],
  'accept-language': ['de-DE, de;q=0.9, en ; q=0.8, *;q=0.1'],
  api_key: ['"logged in user session:abc"'],
  authorization: ['Bearer "logged in user session:abc"', 'Basic cm9vdDpyb290=='],
  'content-encoding': ['gzip, identity'],
  'content-type': [
    'application/json ; charset="utf-8"',
    'application/vnd.a.b-c+json; charset=utf-8',
    'multipart/form-data; boundary="--a"; charset = utf-8',
    'text/xml; charset=utf-8',
  ],
  cookie: ['menagerie_session="logged%20in:abc"; a=b; c="d"'],
  forwarded: ['for="[::1]:80";proto=https, for=10.0.0.1;by=_a'],
  host: ['a.b-c.localhost:8080', '[::1]:80'],
  'idempotency-key': ['"a\\"b\\\\c"', 'a-b'],
  'if-match': ['W/"1", "2" ,, *'],
  'if-modified-since': ['Mon, 02 Mar 2026 09:00:00 GMT'],
  'if-none-match': ['W/"1", "2" ,, *'],
  'last-event-id': ['12'],
  origin: ['https://a.b-c.example:443'],
  range: ['bytes=0-1, 2-3, -4'],
  referer: ['https://a:b@c.example:443/d?e=f#g'],
  'user-agent': ['Mozilla/5.0 (X11; Linux x86_64; rv:1.0) Gecko/20100101 Firefox/1.0'],
  'x-forwarded-for': ['10.0.0.1, [::1]:80, fe80::1%eth0'],
  'x-forwarded-host': ['a.b-c.example:443, d'],
  'x-forwarded-proto': ['https, http'],
};

/** Valid parameter values for all operations. */
const QUERIES: readonly string[] = [
  'status=available,pending&status[]=sold',
  'tags=a,%2Cb&tags=c',
  'limit=10&cursor=eyJhIjoxfQ==',
  'q=a "b c" -d*&sort=-name',
  'since=2026-03-02T09:00:00.000+01:00&until=2026-03-02',
  'size=small&lastEventId=12&petId=1',
];

/** Valid bodies for all operations with one. */
const BODIES: readonly (readonly [mediaType: string, body: string])[] = [
  [
    'application/json',
    '{"id":-0001.5e+7,"name":"a\\u0041\\\\ b","photoUrls":["https://a/b"],"tags":[{"name":"\\"c"}]}',
  ],
  [
    'application/xml',
    '<?xml version="1.0" encoding="utf-8"?><Pet a="b"><!-- c --><name><![CDATA[d]]>&amp;&#65;</name></Pet>',
  ],
  ['application/x-www-form-urlencoded', 'name=a%20b+c&status=sold&x[]=%F0%9F%90%95'],
  ['application/x-ndjson', '{"op":"update","ifMatch":"W/\\"1\\", \\"2\\" ,","pet":{"id":1,"name":"a"}}\n'],
  [
    'multipart/form-data; boundary=a',
    '--a\r\nContent-Disposition: form-data; name="file"; filename="b\\"c.jpg"\r\n\r\nd\r\n--a--\r\n',
  ],
];

/** Node accepts 16 KiB of headers. */
const LENGTH = 15_000;

/** Reading 16 KiB in one pass takes a few milliseconds. */
const MAX_CPU_MS = 400;

/** @param count of requests: each repeats another piece of one of some 2,000 values */
export function testRepeatedPieces(count: number): void {
  void test('repeated pieces of valid values: no request costs much CPU time', { timeout: 600_000 }, async (t) => {
    t.diagnostic(`seed ${SEED}`);
    const { service, callers } = await startSecured(t);
    const root = callers[1] ?? assert.fail();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(async () => agent.destroy());
    const operations = (await requestsTo(service, isNoGuess)).flatMap((requests) =>
      fc.sample(requests, { seed: SEED, numRuns: 1 }),
    );
    assert.ok(operations.length > 60, String(operations.length));

    async function cpuTimeOf(request: FuzzRequest): Promise<number> {
      const before = process.cpuUsage();
      const { status } = await send(service.origin, request, root.credential, agent);
      const { user, system } = process.cpuUsage(before);
      if (status === 401) await root.renew();
      assert.ok(status < 500, `${status} for ${textOf(request)}`);
      return (user + system) / 1000;
    }

    const requests = operations.flatMap(repeatedIn);
    const samples = fc.tuple(fc.constantFrom(...requests), CUT);
    for (const [requestWith, cut] of fc.sample(samples, { seed: SEED, numRuns: count })) {
      const request = requestWith(cut);
      let cpuMs = await cpuTimeOf(request);
      // Measure again, in case the compiler or the garbage collector took the time.
      if (cpuMs > MAX_CPU_MS) cpuMs = await cpuTimeOf(request);
      assert.ok(cpuMs <= MAX_CPU_MS, `${Math.round(cpuMs)} ms of CPU time for ${textOf(request)}`);
    }
  });
}

/** Where a value is cut, how many of its tokens are repeated, and what follows them. */
interface Cut {
  at: number;
  count: number;
  end: string;
}

const CUT = fc.record<Cut>({
  at: fc.nat(),
  count: fc.integer({ min: 1, max: 3 }),
  end: fc.constantFrom('', 'x', ' ', '"', ',', ';', '='),
});

/** The request with each of the values in its place, one at a time. */
function repeatedIn(request: FuzzRequest): readonly ((cut: Cut) => FuzzRequest)[] {
  const { path, headers, body } = request;
  const inHeaders = Object.entries(HEADERS).flatMap(([name, values]) =>
    values.map((value) => (cut: Cut) => ({ ...request, headers: { ...headers, [name]: repeat(value, cut) } })),
  );
  const inQuery = QUERIES.map((value) => (cut: Cut) => ({
    ...request,
    path: `${path.split('?')[0]}?${repeat(value, cut).replaceAll(/[ "]/g, (character) => encodeURIComponent(character))}`,
  }));
  const inBody = BODIES.map(([mediaType, value]) => (cut: Cut) => ({
    ...request,
    headers: { ...headers, 'content-type': mediaType },
    body: Buffer.from(repeat(value, cut)),
  }));
  return [...inHeaders, ...inQuery, ...(body === undefined ? [] : inBody)];
}

function repeat(value: string, { at, count, end }: Cut): string {
  const tokens = value.match(/\w+|\s+|[^\w\s]/g) ?? [];
  const first = at % tokens.length;
  const piece = tokens.slice(first, first + count).join('');
  return tokens.slice(0, first).join('') + piece.repeat(LENGTH / piece.length) + end;
}
