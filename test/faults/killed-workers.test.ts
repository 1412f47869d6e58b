import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { openConnection } from '../support/connection.ts';
import { idOf, isReady, loadOver, PATIENCE_MS, succeed } from '../support/load.ts';
import { readMetrics, requestsOf } from '../support/metrics.ts';
import { startServer, type RunningServer } from '../support/menagerie-process.ts';
import { temporaryFolder } from '../support/service.ts';
import { isRunning, openKnown, openToBoth, startTwoWorkers, untilGone } from '../support/workers.ts';
import { until } from '../support/until.ts';

/* A service of several processes, one of which is killed. */

/** 30 s and one heartbeat interval, twice that on a busy machine. */
const MAX_BLOCKED_MS = 75_000;

const options = { skip: process.platform !== 'linux' && 'needs the /proc of Linux to find the processes' };

void describe('killed process', options, () => {
  void it('a worker: is replaced; the other continues, and no acknowledged change is lost', async (t) => {
    const server = await startTwoWorkers(t, await temporaryFolder(t));
    const { base, origin } = server;
    const [[one], [other]] = await openToBoth(t, base, 1);
    const load = loadOver(t, base, 12);
    await load.untilMore(200);
    const before = await server.workers();
    process.kill(before[0] ?? assert.fail(), 'SIGKILL');
    // One of the two connections is broken, the other unaffected.
    const results = await Promise.allSettled(
      [one, other].map((connection) => connection?.call('POST', 'pet', { json: { name: 'Next' } }) ?? assert.fail()),
    );
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const survivor = (results[0]?.status === 'fulfilled' ? one : other) ?? assert.fail();
    const startedAt = performance.now();
    for (let count = 0; count < 20; count++) {
      const added = await succeed(survivor.call('POST', 'pet', { json: { name: 'Next' } }));
      await succeed(survivor.call('GET', `pet/${idOf(added)}`));
    }
    assert.ok(performance.now() - startedAt < PATIENCE_MS, 'the other worker must not be delayed');
    await load.untilMore(200);
    await until('a replacement responds', () => isAnotherResponding(base, [one?.process, other?.process]));
    await load.untilMore(200);
    for (let count = 0; count < 6; count++) assert.ok(await isReady(origin));
    await load.end();
    assert.deepEqual(load.failures, []);
    await load.check((await openToBoth(t, base, 4)).flat().map(({ call }) => call));
    assert.deepEqual(await Promise.all(before.map(isRunning)), [false, true]);
    assert.equal((await server.end('SIGTERM')).code, 0);
  });

  void it('all workers: are replaced at the same address, and their counters are kept', async (t) => {
    const server = await startTwoWorkers(t, await temporaryFolder(t));
    for (const [connection] of await openToBoth(t, server.base, 1))
      for (let count = 0; count < 5; count++) await succeed(connection?.call('GET', 'tags') ?? assert.fail());
    const counted = await readMetrics(server.origin);
    assert.equal(requestsOf(counted, 'listTags'), 10);
    for (const worker of await server.workers()) process.kill(worker, 'SIGKILL');
    await until('ready again', () => isReady(server.origin));
    // They may start at different times.
    const found = new Set<string>();
    const haveBothResponded = async () => {
      const connection = await openKnown(server.base, PATIENCE_MS);
      connection.close();
      return found.add(connection.process).size === 2;
    };
    await until('both respond', haveBothResponded);
    const series = await readMetrics(server.origin);
    assert.equal(requestsOf(series, 'listTags'), 10);
    const counters = [...counted].filter(([name]) => /^menagerie_\w+_(?:total|count|bucket)\b/.test(name));
    assert.deepEqual(
      counters.filter(([name, value]) => (series.get(name) ?? 0) < value),
      [],
      'no counter has decreased',
    );
  });

  void it('a worker with a blocked event loop: killed after 30 s, logged and replaced', async (t) => {
    const server = await startTwoWorkers(t, await temporaryFolder(t));
    const [[one], [other]] = await openToBoth(t, server.base, 1);
    const before = await server.workers();
    const blocked = before[0] ?? assert.fail();
    process.kill(blocked, 'SIGSTOP');
    await until('it is killed', async () => !(await isRunning(blocked)), MAX_BLOCKED_MS);
    assert.match(server.written.stderr, /"msg":"worker event loop blocked; killing the worker"/);
    await until('a replacement responds', () => isAnotherResponding(server.base, [one?.process, other?.process]));
    assert.equal((await server.workers()).filter((worker) => before.includes(worker)).length, 1);
    assert.equal((await server.end('SIGTERM')).code, 0);
  });

  void it('the first process: the workers exit, and a new start on the same port has everything', async (t) => {
    const dataDir = await temporaryFolder(t);
    const server = await startTwoWorkers(t, dataDir);
    const workers = await server.workers();
    const load = loadOver(t, server.base, 12);
    await load.untilMore(400);
    // The event `exit`, since `close` would wait for streams that the workers also hold.
    const exited = once(server.child, 'exit');
    server.child.kill('SIGKILL');
    await exited;
    const again = startTwoWorkers(t, dataDir, ['--port', new URL(server.origin).port]);
    await untilGone(workers);
    await load.end();
    assert.deepEqual(load.failures, []);
    const next = await again;
    await load.check((await openToBoth(t, next.base, 4)).flat().map(({ call }) => call));
    assert.equal((await next.end('SIGTERM')).code, 0);
  });
});

/** Runs in every process: a request with this header pauses before its write until the parent process is gone. */
const HELD_REQUESTS = `
  import { subscribe } from 'node:diagnostics_channel';
  import { writeSync } from 'node:fs';
  const first = process.ppid;
  const hold = () => {
    writeSync(2, 'held');
    while (process.ppid === first);
  };
  subscribe('http.server.request.start', ({ request }) => {
    if (request.headers['x-held'] !== undefined) setImmediate(() => setImmediate(hold));
  });`;

void describe('worker about to write when the first process is killed', options, () => {
  void it('exits without writing', async (t) => {
    const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(HELD_REQUESTS)}` };
    const server = await startServer(t, await temporaryFolder(t), ['--empty', '--workers', '2'], { environment });
    const connection = openConnection(server.base);
    t.after(async () => connection.close());
    const response = connection.call('POST', 'pet', { headers: { 'x-held': 'yes' }, json: { name: 'Rex' } });
    await Promise.all([assert.rejects(response), killWhenHeld(server)]);
    // Its streams close when the workers have exited as well.
    assert.equal((await server.ended).stderr, 'held');
  });
});

async function killWhenHeld({ child, written }: RunningServer): Promise<void> {
  while (!written.stderr.includes('held')) await once(child.stderr ?? child, 'data');
  child.kill('SIGKILL');
}

async function isAnotherResponding(base: string, known: readonly (string | undefined)[]): Promise<boolean> {
  const connection = await openKnown(base, PATIENCE_MS).catch(() => undefined);
  connection?.close();
  return connection !== undefined && !known.includes(connection.process);
}
