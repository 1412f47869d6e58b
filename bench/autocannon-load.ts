import autocannon from 'autocannon';

/*
 * The same load as load.lua, for machines without wrk. It is slower than the servers: about 40,000 requests per second
 * on one core, where wrk sends
 * 100,000, so two fast servers look alike.
 * Usage: node autocannon-load.ts ORIGIN SECONDS CONNECTIONS NAME=VALUE...
 */

const [origin = '', seconds = '1', connections = '64', ...words] = process.argv.slice(2);
const settings = Object.fromEntries(words.map((word) => /^(\w+)=(.*)$/s.exec(word)?.slice(1) ?? []));
const { path = '/', highest = '1', writes = '0', postPath = '/', body = '', cookie, etag } = settings;

const result = await autocannon({
  url: origin,
  duration: Number(seconds),
  connections: Number(connections),
  requests: [
    {
      setupRequest: (request) => {
        if (Math.random() < Number(writes)) {
          return { ...request, method: 'POST', path: postPath, body, headers: { 'content-type': 'application/json' } };
        }
        const id = String(1 + Math.floor(Math.random() * Number(highest)));
        const headers = {
          ...(cookie !== undefined && { cookie }),
          ...(etag !== undefined && { 'if-none-match': etag.replace('{id}', id) }),
        };
        return { ...request, method: 'GET', path: path.replace('{id}', id), headers };
      },
    },
  ],
});
// A 304 is a success.
const failed = result['1xx'] + result['4xx'] + result['5xx'];
const counted = {
  requests: result.requests.total,
  durationUs: Math.round(result.duration * 1e6),
  errors: failed + result.errors + result.timeouts,
  p99Us: result.latency.p99 * 1000,
};
console.log(`RESULT ${JSON.stringify(counted)}`);
