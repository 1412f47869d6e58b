import autocannon from 'autocannon';

/*
 * The same load as load.lua, for machines without wrk. It takes more of its core, so its figures are lower; ratios still hold.
 * Called as: node autocannon-load.ts ORIGIN SECONDS CONNECTIONS get HIGHEST_ID | post
 */

const [origin = '', seconds = '1', connections = '64', kind, highest = '1'] = process.argv.slice(2);
const newPet = JSON.stringify({
  category: { id: 1, name: 'Dogs' },
  name: 'doggie',
  photoUrls: ['https://pets.example.org/1.jpg'],
  tags: [
    { id: 1, name: 'friendly' },
    { id: 2, name: 'small' },
  ],
  status: 'available',
});

const result = await autocannon({
  url: origin,
  duration: Number(seconds),
  connections: Number(connections),
  requests: [
    kind === 'post'
      ? { method: 'POST', path: '/v2/pet', body: newPet, headers: { 'content-type': 'application/json' } }
      : {
          setupRequest: (request) => ({
            ...request,
            path: `/v2/pet/${1 + Math.floor(Math.random() * Number(highest))}`,
          }),
        },
  ],
});
const errors = result.non2xx + result.errors + result.timeouts;
const durationUs = Math.round(result.duration * 1e6);
console.log(
  `RESULT ${JSON.stringify({ requests: result.requests.total, durationUs, errors, p99Us: result.latency.p99 * 1000 })}`,
);
