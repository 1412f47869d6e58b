import autocannon from 'autocannon';
import { NEW_PET } from './new-pet.ts';

/*
 * The same load as load.lua, for machines without wrk. It takes more of its core, so its figures are lower; ratios still hold.
 * Called as: node autocannon-load.ts ORIGIN SECONDS CONNECTIONS get HIGHEST_ID [COOKIE] | post
 */

const [origin = '', seconds = '1', connections = '64', kind, highest = '1', cookie] = process.argv.slice(2);

const result = await autocannon({
  url: origin,
  duration: Number(seconds),
  connections: Number(connections),
  requests: [
    kind === 'post'
      ? { method: 'POST', path: '/v2/pet', body: NEW_PET, headers: { 'content-type': 'application/json' } }
      : {
          ...(cookie !== undefined && { headers: { cookie } }),
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
