import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { NEW_PET } from '../tools/sample-pets.ts';
import { countResponse, inLanes, printResult, send } from './lanes.ts';

/*
 * Receives webhooks, and answers each in 5 ms. Prints the deliveries a second, or the delay from a change to its
 * delivery.
 * Usage: node webhook-client.ts ORIGIN COOKIE backlog|steady COUNT
 *        node webhook-client.ts - - bare COUNT: sends the same bodies itself
 */

const [origin = '', cookie = '', mode = 'bare', count = '0'] = process.argv.slice(2);
const wanted = Number(count);

const ANSWER_MS = 5;

/** As many deliveries as the service sends concurrently. */
const LANES = 16;

/** Changes a second of the mode `steady`. */
const STEADY_RATE = 200;

/** An event with such a pet, about. */
const BODY = JSON.stringify({ type: 'pet.added', timestamp: new Date().toISOString(), data: NEW_PET });

const changedMs = new Map<string, number>();
const delaysMs: number[] = [];
const seen = new Set<string>();
let firstMs = 0;
const { promise: all, resolve: onAll } = Promise.withResolvers<undefined>();
const receiver = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    firstMs ||= performance.now();
    seen.add(String(request.headers['webhook-id'] ?? seen.size));
    const changed = changedMs.get(/"data":.*"id":(\d+),"pet":/.exec(body)?.[1] ?? '');
    if (changed !== undefined) delaysMs.push(performance.now() - changed);
    setTimeout(() => response.writeHead(204).end(), ANSWER_MS);
    if (seen.size === wanted) onAll(undefined);
  });
});
await once(receiver.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
const headers = { 'content-type': 'application/json', cookie, 'sec-fetch-site': 'same-origin' };

if (mode === 'bare') {
  let sent = 0;
  await inLanes(
    String(LANES),
    () => send(url, { method: 'POST' }, BODY, [204]).then(() => {}),
    () => sent++ < wanted,
  );
  printResult({ rate: wanted / ((performance.now() - firstMs) / 1000) });
} else {
  const call = async (method: string, path: string, body: object) =>
    JSON.parse((await send(`${origin}/v2/${path}`, { method, headers }, JSON.stringify(body))).body.toString()) as {
      id: string;
    };
  const { id } = await call('POST', 'admin/webhooks', { url, events: ['pet.*'] });
  const setPaused = (paused: boolean) => call('PATCH', `admin/webhooks/${id}`, { paused });
  const addPet = async () => {
    const startMs = performance.now();
    const response = await send(`${origin}/v2/pet`, { method: 'POST', headers }, NEW_PET);
    changedMs.set(/^\{"id":(\d+)/.exec(response.body.toString())?.[1] ?? '', startMs);
    countResponse();
  };
  if (mode === 'backlog') {
    await setPaused(true);
    let added = 0;
    await inLanes('64', addPet, () => added++ < wanted);
    changedMs.clear();
    await setPaused(false);
  } else {
    // A service without webhooks looks for them every two seconds.
    await delay(3000);
    const startMs = performance.now();
    const pending: Promise<void>[] = [];
    for (let number = 0; number < wanted; number++) {
      await delay(Math.max(0, startMs + (number * 1000) / STEADY_RATE - performance.now()));
      pending.push(addPet());
    }
    await Promise.all(pending);
  }
  await all;
  const rate = wanted / ((performance.now() - firstMs) / 1000);
  const sorted = delaysMs.toSorted((one, other) => one - other);
  const p99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  await send(`${origin}/v2/admin/webhooks/${id}`, { method: 'DELETE', headers });
  printResult({ rate, p99Ms, maxMs: sorted.at(-1) ?? 0, medianMs: sorted[sorted.length >> 1] ?? 0 });
}
receiver.closeAllConnections();
receiver.close();
process.exit();
