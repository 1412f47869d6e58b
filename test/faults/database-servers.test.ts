import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Health } from '../../src/api/records/health.ts';
import { readDatabaseUrl, type DatabaseAddress } from '../../src/storage/postgres/engine/connection-url.ts';
import { probesOf } from '../../src/storage/postgres/engine/server-probes.ts';
import { openOperatorDesk } from '../../src/server/operator.ts';
import { runMenagerie } from '../support/menagerie-process.ts';
import { readMetrics } from '../support/metrics.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { logIn, ROOT, serveOn } from '../support/rich-installation.ts';
import { temporaryFolder, testConfig } from '../support/service.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { until } from './served-database.ts';

/* The reports of a node about the servers of its database. */

const DEADLINE_MS = 30_000;

type Server = Health['databaseServers'][number];

async function serveSecured(t: Lifetime, url: string) {
  const dataDir = await temporaryFolder(t);
  const flags = ['--database-url', url];
  const desk = await openOperatorDesk(testConfig(dataDir, flags), true);
  await desk.administration.createUser(desk.operator, { ...ROOT, role: 'admin' });
  await desk.close();
  return { ...(await serveOn(t, dataDir, flags)), dataDir };
}

void test('servers: their role, timeline and lag are read in every state, and their names stay private', async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  const url = `${primary.url.replace(/\/[^/]*$/, '')},127.0.0.1:${standby.port}/${primary.url.split('/').at(-1)}`;
  const { call, origin, dataDir } = await serveSecured(t, url);
  const headers = { authorization: `Bearer ${await logIn(call)}` };
  let servers: readonly Server[] = [];
  const untilServers = (condition: string, isMet: (first: Server, second: Server) => boolean) =>
    until(
      async () => {
        const { text } = await call('GET', 'admin/health', { headers });
        servers = (JSON.parse(text) as Health).databaseServers;
        const [first, second] = servers;
        return first !== undefined && second !== undefined && isMet(first, second);
      },
      DEADLINE_MS,
      condition,
    ).catch((error: unknown) => assert.fail(`${String(error)} ${JSON.stringify(servers)}`));

  await untilServers('a current standby', (_first, { replayLagBytes }) => replayLagBytes === 0);
  const same = { reachable: true, timeline: 1 };
  assert.deepEqual(servers, [
    { ...same, name: `127.0.0.1:${primary.port}`, role: 'primary', replayLagSeconds: null, replayLagBytes: null },
    { ...same, name: `127.0.0.1:${standby.port}`, role: 'standby', replayLagSeconds: 0, replayLagBytes: 0 },
  ]);
  assert.ok(!(await (await fetch(`${origin}/readyz`)).text()).includes(String(standby.port)));
  const ofServer = async (name: string, { port }: { port: number }) =>
    (await readMetrics(origin, headers)).get(`menagerie_database_server_${name}{server="127.0.0.1:${port}"}`);
  assert.equal(await ofServer('primary', primary), 1);
  assert.equal(await ofServer('primary', standby), 0);
  assert.equal(await ofServer('timeline', standby), 1);
  assert.equal(await ofServer('replay_lag_seconds', primary), 0);

  await standby.query('select pg_wal_replay_pause()');
  assert.equal((await call('POST', 'pet', { headers, json: { name: 'Rex' } })).status, 200);
  await untilServers('a lag', (_first, { replayLagSeconds }) => (replayLagSeconds ?? 0) > 1);
  assert.ok(((await ofServer('replay_lag_bytes', standby)) ?? 0) > 0);
  await standby.query('select pg_wal_replay_resume()');
  await untilServers('no lag', (_first, { replayLagSeconds }) => replayLagSeconds === 0);

  await standby.freeze();
  await untilServers('an unreachable standby', (_first, { reachable }) => !reachable);
  assert.equal(await ofServer('up', standby), 0);
  assert.equal(await ofServer('replay_lag_bytes', standby), undefined);
  await standby.thaw();
  await untilServers('a reachable standby', (_first, { reachable }) => reachable);

  await primary.kill();
  await standby.promote();
  await untilServers('a promoted standby', (first, { role, timeline }) => {
    return !first.reachable && role === 'primary' && timeline === 2;
  });
  await primary.restart();
  await untilServers('two primaries', (first, { role }) => first.role === 'primary' && role === 'primary');
  const environment = { MENAGERIE_DATABASE_URL: url };
  const { stdout } = await runMenagerie(t, ['doctor', '--quick', '--data-dir', dataDir], { environment });
  assert.match(stdout, /^ERROR {4}Servers of the database that act as primary, although only one may: 2\.$/m);
  assert.match(stdout, new RegExp(`^127\\.0\\.0\\.1:${primary.port}: primary, timeline 1$`, 'm'));
  assert.match(stdout, new RegExp(`^127\\.0\\.0\\.1:${standby.port}: primary, timeline 2$`, 'm'));
});

void test('servers of two settings: are read together, each once, and compared', async (t) => {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  const probes = probesOf([primary.url, standby.url, primary.url].map(addressOf));
  const haveRead = async () => {
    const servers = await probes.readNow();
    const roles = servers.map(({ role, lag }) => [role, lag?.bytes]);
    return isDeepStrictEqual(roles, [
      ['primary', undefined],
      ['standby', 0],
    ]);
  };
  await until(haveRead, DEADLINE_MS, 'both servers');
});

function addressOf(url: string): DatabaseAddress {
  const address = readDatabaseUrl(url);
  assert.ok(typeof address !== 'string');
  return address;
}
