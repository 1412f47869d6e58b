import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clientOf } from '../support/client.ts';
import { followEvents } from '../support/event-client.ts';
import { startServer } from '../support/menagerie-process.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

/* Clients that follow events while the service is killed receive the whole history in order, without repetitions. */

const ROUNDS = 4;
const PATIENCE_MS = 30_000;

void test('event streams: killing the server during changes leaves no gap', async (t) => {
  const dataDir = await temporaryFolder(t);
  let server = await startServer(t, dataDir);
  const clients = Array.from({ length: 5 }, () =>
    followEvents(() => `${server.base}/events`, { lastEventId: '0', retryMs: 50 }),
  );
  t.after(() => clients.forEach((client) => client.close()));
  let acknowledged = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { base } = server;
    await until('all follow', async () => clients.every(({ statuses }) => statuses.length > round), PATIENCE_MS);
    const writing = Promise.all(
      Array.from({ length: 8 }, async () => {
        const call = clientOf(base);
        for (;;) {
          const response = await call('POST', 'pet', { json: { name: 'Rex', photoUrls: [] } }).catch(() => undefined);
          if (response?.status !== 200) return;
          acknowledged++;
        }
      }),
    );
    await delay(400 + round * 50);
    await server.end('SIGKILL');
    await writing;
    server = await startServer(t, dataDir);
  }
  await clientOf(server.base)('POST', 'pet', { json: { id: 1_000_000, name: 'The last', photoUrls: [] } });
  for (const client of clients) {
    await until('the last event', async () => client.events.at(-1)?.data.includes('The last') === true, PATIENCE_MS);
    const ids = client.events.map(({ id }) => Number(id));
    assert.deepEqual(
      ids,
      Array.from({ length: ids.length }, (_, index) => index + 1),
    );
    assert.ok(ids.length > acknowledged, `${acknowledged} were acknowledged, ${ids.length} received`);
    assert.ok(client.statuses.length > ROUNDS);
  }
  t.diagnostic(`${acknowledged} acknowledged, ${clients[0]?.events.length} received, killed ${ROUNDS} times`);
});
