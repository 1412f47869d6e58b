import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../src/server/configuration/config.ts';
import { startService } from '../src/server/service.ts';

/*
 * The cost of an idempotency key: adds pets with and without a key, alternately, on a service in this process. Prints
 * the ratio of each round.
 *
 *     node bench/keyed-posts.ts
 */

const ROUNDS = 5;
const ROUND_MS = 2000;
const CONNECTIONS = 32;
const BODY = JSON.stringify({ name: 'Rex', photoUrls: [], tags: [{ name: 'good' }], status: 'available' });

const folder = await mkdtemp(join(tmpdir(), 'menagerie-bench-'));
const config = readConfig(['--port', '0', '--data-dir', folder, '--empty', '--log-level', 'silent'], {});
if ('problems' in config) throw new Error(config.problems.join(' '));
const service = await startService(config.config, pino({ level: 'silent' }));
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

function post(isKeyed: boolean): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(isKeyed && { 'idempotency-key': randomUUID() }) };
  return new Promise((resolve, reject) => {
    const sent = request(`${service.origin}/v2/pet`, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`The service responded with status ${response.statusCode}.`));
      response.resume().on('end', resolve);
    });
    sent.on('error', reject).end(BODY);
  });
}

async function perSecond(isKeyed: boolean): Promise<number> {
  const startedMs = performance.now();
  let count = 0;
  const client = async () => {
    for (; performance.now() - startedMs < ROUND_MS; count++) await post(isKeyed);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return (count / (performance.now() - startedMs)) * 1000;
}

await perSecond(false);
await perSecond(true);
for (let round = 1; round <= ROUNDS; round++) {
  const without = await perSecond(false);
  const keyed = await perSecond(true);
  console.log(
    `round ${round}: ${Math.round(without)}/s without, ${Math.round(keyed)}/s with a key, ratio ${(keyed / without).toFixed(2)}`,
  );
}
agent.destroy();
await service.stop();
await rm(folder, { recursive: true });
