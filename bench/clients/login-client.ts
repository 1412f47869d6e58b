import { countResponse, inLanes, printResult, send } from './lanes.ts';

/*
 * Logs in with wrong passwords in parallel lanes, until SIGTERM. Each attempt uses another unknown username: it costs
 * as much as for an existing user, and repeated attempts for one user would be throttled and cost the server nothing.
 * Usage: node login-client.ts ORIGIN LANES
 */

const [origin = '', lanes = '1'] = process.argv.slice(2);
const run = crypto.randomUUID();
let attempts = 0;
let refused = 0;

const { count } = await inLanes(lanes, async () => {
  const body = JSON.stringify({
    username: `unknown-${run}-${attempts++}`,
    password: 'a wrong password, and a long one',
  });
  const options = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const { status } = await send(`${origin}/v2/user/login`, options, body, [400, 429]);
  // Refused because of too many.
  if (status === 429) refused++;
  else countResponse();
});
printResult({ count, refused });
