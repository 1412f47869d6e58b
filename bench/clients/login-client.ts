import { Agent, request } from 'node:http';

/*
 * Tries wrong passwords, so many at a time, until it is ended. Every name is another one that nobody has: a try at it takes as long as at an account
 * that is there, and one account is soon made to wait, so that further tries at it would cost the server nothing.
 * Called as: node login-client.ts ORIGIN LANES
 */

const [origin = '', lanes = '1'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(lanes) });
const run = crypto.randomUUID();
let tried = 0;
/** Tries that were checked, and tries that the server sent away because there were too many. */
const answers = { count: 0, refused: 0 };

function tryPassword(): Promise<void> {
  const body = JSON.stringify({ username: `nobody-${run}-${tried++}`, password: 'a wrong password, and a long one' });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}/v2/user/login`, { agent, method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 400) answers.count++;
        else if (response.statusCode === 429) answers.refused++;
        else return reject(new Error(`A wrong password was answered with ${response.statusCode}.`));
        if (answers.count === 1) console.log('STARTED');
        resolve();
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const state = { isEnding: false };
// What is under way comes to its end: the server would go on with it, and what is measured next would not be without it.
process.once('SIGTERM', () => {
  state.isEnding = true;
});
await Promise.all(
  Array.from({ length: Number(lanes) }, async () => {
    while (!state.isEnding) await tryPassword();
  }),
);
agent.destroy();
console.log(`RESULT ${JSON.stringify(answers)}`);
