import { Agent, request } from 'node:http';

/*
 * Logs in with wrong passwords in parallel lanes, until SIGTERM. Each attempt uses another unknown username: it costs
 * as much as for an existing user,
 * and repeated attempts for one user would be throttled and cost the server nothing.
 * Usage: node login-client.ts ORIGIN LANES
 */

const [origin = '', lanes = '1'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(lanes) });
const run = crypto.randomUUID();
let attempts = 0;
/** Attempts that were checked, and those that were refused because of too many. */
const responses = { count: 0, refused: 0 };

function tryPassword(): Promise<void> {
  const body = JSON.stringify({
    username: `unknown-${run}-${attempts++}`,
    password: 'a wrong password, and a long one',
  });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}/v2/user/login`, { agent, method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 400) responses.count++;
        else if (response.statusCode === 429) responses.refused++;
        else return reject(new Error(`A wrong password got status ${response.statusCode}.`));
        if (responses.count === 1) console.log('STARTED');
        resolve();
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const state = { isEnding: false };
// Pending requests are completed: otherwise the server would still process them during the next measurement.
process.once('SIGTERM', () => {
  state.isEnding = true;
});
await Promise.all(
  Array.from({ length: Number(lanes) }, async () => {
    while (!state.isEnding) await tryPassword();
  }),
);
agent.destroy();
console.log(`RESULT ${JSON.stringify(responses)}`);
