import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openConnection } from '../support/connection.ts';
import { loadOver, succeed } from '../support/load.ts';
import { startServer } from '../support/menagerie-process.ts';
import { openRequest } from '../support/open-request.ts';
import { temporaryFolder } from '../support/service.ts';
import { startTwoWorkers, untilGone } from '../support/workers.ts';
import { until } from '../support/until.ts';

const options = { skip: process.platform !== 'linux' && 'needs the /proc of Linux to find the processes' };

async function statusOf(open: ClientRequest): Promise<number | undefined> {
  try {
    const [response] = (await once(open, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  } catch {
    return undefined;
  }
}

/** A faster stop has not waited for the timeout. */
const STOP_TIMEOUT = ['--stop-timeout-seconds', '24'];
const MAX_STOP_MS = 20_000;

void describe('shutdown of several workers', options, () => {
  const ways = [
    { signal: 'SIGTERM', target: 'the first' },
    // Ctrl-C and closing a terminal signal the whole group; a service manager may as well.
    { signal: 'SIGINT', target: 'all' },
    { signal: 'SIGTERM', target: 'all' },
    { signal: 'SIGHUP', target: 'all' },
  ] as const;
  for (const { signal, target } of ways) {
    void it(`${signal} to ${target}: responds to open requests, keeps acknowledged changes, and leaves no process`, async (t) => {
      const dataDir = await temporaryFolder(t);
      const server = await startTwoWorkers(t, dataDir, STOP_TIMEOUT);
      const workers = await server.workers();
      const load = loadOver(t, server.base, 8);
      await load.untilMore(100);
      const bodies = Array.from({ length: 4 }, (_, index) => JSON.stringify({ id: 70 + index, name: 'Just in time' }));
      const open = await Promise.all(bodies.map((body) => openRequest(server.base, body)));
      const responses = Promise.all(open.map(statusOf));
      const startedAt = performance.now();
      for (const pid of target === 'all' ? [server.pid, ...workers] : [server.pid]) process.kill(pid, signal);
      await delay(200);
      open.forEach((each, index) => each.end(bodies[index]?.slice(5)));
      assert.deepEqual(await responses, [200, 200, 200, 200]);
      const { code, signal: killedBy, stderr } = await server.ended;
      assert.deepEqual([code, killedBy], [0, null], stderr);
      const tookMs = performance.now() - startedAt;
      assert.ok(tookMs < MAX_STOP_MS, `it took ${Math.round(tookMs)} ms`);
      await untilGone([server.pid, ...workers]);
      await load.end();
      assert.deepEqual(load.failures, []);
      const again = await startServer(t, dataDir);
      const connection = openConnection(again.base);
      t.after(async () => connection.close());
      await load.check([connection.call]);
      for (const id of [70, 71, 72, 73]) await succeed(connection.call('GET', `pet/${id}`));
    });
  }

  void it('drains for --drain-seconds: is not ready, but responses', async (t) => {
    const server = await startTwoWorkers(t, await temporaryFolder(t), ['--drain-seconds', '4']);
    const startedAt = performance.now();
    const ended = server.end('SIGTERM');
    // A connection for each request, so that both workers get some.
    const ask = (path: string) => fetch(`${server.origin}${path}`, { headers: { connection: 'close' } });
    await until('not ready', async () => (await ask('/readyz')).status === 503);
    for (let count = 0; count < 10; count++) assert.equal((await ask('/v2')).status, 200);
    assert.equal((await ended).code, 0);
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs >= 4000, `it took ${Math.round(tookMs)} ms`);
  });

  void it('does not wait for a worker that is starting', async (t) => {
    const server = await startTwoWorkers(t, await temporaryFolder(t), STOP_TIMEOUT);
    const before = await server.workers();
    process.kill(before[0] ?? assert.fail(), 'SIGKILL');
    const hasReplacement = async () => (await server.workers()).some((worker) => !before.includes(worker));
    await until('a replacement is started', hasReplacement);
    const startedAt = performance.now();
    assert.equal((await server.end('SIGTERM')).code, 0);
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs < MAX_STOP_MS, `it took ${Math.round(tookMs)} ms`);
  });
});
