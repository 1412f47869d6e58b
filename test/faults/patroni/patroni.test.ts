import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { followEvents } from '../../support/event-client.ts';
import { clientOf } from '../../support/client.ts';
import { readMetrics } from '../../support/metrics.ts';
import { runMenagerie, startServer, type RunningServer } from '../../support/menagerie-process.ts';
import { queryOnce } from '../../support/postgres-server.ts';
import { temporaryFolder } from '../../support/service.ts';
import { assertOnlyUnavailable, MixedLoad, slowest, type LoadResponse } from '../mixed-load.ts';
import { askOnce, assertSound, until } from '../served-database.ts';
import { startCluster, type Cluster, type ClusterServer } from './cluster.ts';

/*
 * Two nodes on a cluster of PostgreSQL under Patroni, while its servers fail in turn. In every fault, no acknowledged
 * change is lost, doubled or half, and requests get 200 or 503. How long changes pause depends on Patroni's settings,
 * so it is a report and not a limit.
 */

const GUIDE = join(import.meta.dirname, '..', '..', '..', 'docs', 'guides', 'cluster.md');
const FIRST_PET = { id: 1, name: 'Rex', photoUrls: [], tags: [] };
const DEADLINE_MS = 90_000;
const ETCD_AWAY_MS = 30_000;

interface Fault {
  name: string;
  strike: (leader: ClusterServer, standby: ClusterServer, cluster: Cluster) => Promise<void>;
  /** Ends the fault, after changes are possible again. */
  mend?: (leader: ClusterServer, cluster: Cluster) => Promise<void> | void;
  /** Patroni may keep the leader: on a busy machine, the standby may be first to get the lock when etcd is back. */
  mayKeepLeader?: boolean;
}

const FAULTS: readonly Fault[] = [
  { name: 'PostgreSQL of the leader killed', strike: (leader) => leader.kill('postgres') },
  { name: 'switchover', strike: (leader, standby, cluster) => cluster.switchOver(leader, standby) },
  {
    name: 'Patroni of the leader killed, its PostgreSQL left alone',
    strike: (leader) => leader.kill('patroni'),
    mend: (leader) => leader.startPatroni(),
  },
  {
    name: 'Patroni and PostgreSQL of the leader killed',
    strike: (leader) => leader.kill('both'),
    mend: (leader) => leader.startPatroni(),
  },
  { name: 'leader frozen', strike: (leader) => leader.freeze(), mend: (leader) => leader.thaw() },
  {
    name: 'link of the leader down',
    strike: (leader) => leader.host.cutOff(),
    mend: (leader) => leader.host.reconnect(),
  },
  {
    name: `etcd unavailable for ${ETCD_AWAY_MS / 1000} s`,
    strike: async (_leader, _standby, { servers }) => {
      for (const server of servers) server.freezeEtcd();
      await delay(ETCD_AWAY_MS);
    },
    mend: (_leader, { servers }) => {
      for (const server of servers) server.thawEtcd();
    },
    mayKeepLeader: true,
  },
];

void test('Patroni: nothing acknowledged is lost, doubled or half in any fault', async (t) => {
  const cluster = await startCluster(t);
  if ('missing' in cluster) return t.skip(cluster.missing);
  const nodes = await moveTo(t, cluster);
  const bases = nodes.map(({ base }) => base);
  const moved = await clientOf(nodes[0].base)('GET', `pet/${FIRST_PET.id}`);
  assert.equal(moved.text, JSON.stringify(FIRST_PET));
  const load = new MixedLoad(bases, { clients: 8, firstId: FIRST_PET.id + 1 });
  const followers = bases.map((base) => followEvents(() => `${base}/events`, { lastEventId: '0', retryMs: 100 }));
  t.after(async () => followers.forEach((follower) => follower.close()));
  load.start(t);
  await until(() => load.ledger.acknowledged > 100, DEADLINE_MS, 'changes');

  for (const fault of FAULTS) await endure(t, fault, cluster, load);

  await load.stop();
  assertOnlyUnavailable(load.responses);
  for (const base of bases) await load.check(base);
  const { leader } = await cluster.untilHealthy();
  await assertRoles(nodes[0], cluster, leader);
  await assertSound(cluster.urlAt(leader));
  const [{ last_version: lastVersion } = {}] = await askOnce(
    cluster.urlAt(leader),
    'select last_version from change_order',
  );
  for (const follower of followers) {
    await until(() => follower.events.at(-1)?.id === String(lastVersion), DEADLINE_MS, 'the last event');
    assert.deepEqual(
      follower.events.map(({ id }) => Number(id)),
      Array.from({ length: Number(lastVersion) }, (_, index) => index + 1),
    );
  }
  t.diagnostic(`${load.ledger.acknowledged} changes acknowledged, ${load.responses.length} requests`);
});

/** From the embedded database to two nodes on the cluster, with the statements and commands of the guide. */
async function moveTo(t: TestContext, cluster: Cluster): Promise<readonly [RunningServer, RunningServer]> {
  const guide = await readFile(GUIDE, 'utf8');
  const sql = /^```sql\n([^`]+)```/m.exec(guide)?.[1] ?? assert.fail('no SQL');
  const { leader } = await cluster.untilHealthy();
  const statements = sql.replace("'...'", `'${cluster.password}'`).trim().split('\n');
  for (const statement of statements) await queryOnce(cluster.urlAt(leader, 'postgres', 'postgres'), statement, []);

  const [dataFolder, sharedFolder] = [await temporaryFolder(t), await temporaryFolder(t)];
  const single = await startServer(t, dataFolder, ['--empty']);
  assert.equal((await clientOf(single.base)('POST', 'pet', { json: FIRST_PET })).status, 200);
  await single.end('SIGTERM');
  const [backup = '', restore = '', serve = ''] = [...guide.matchAll(/^npx menagerie (.*)$/gm)].map(([, line]) => line);
  const copyFolder = join(await temporaryFolder(t), 'copy');
  const argumentsOf = (command: string) =>
    command.replace('./data', dataFolder).replace('./shared', sharedFolder).replace('./move', copyFolder).split(' ');
  const environment = { MENAGERIE_DATABASE_URL: cluster.url };
  for (const [command, options] of [
    [backup, {}],
    [restore, { environment }],
  ] as const) {
    const { code, stderr } = await runMenagerie(t, argumentsOf(command), options);
    assert.equal(code, 0, stderr);
  }
  assert.deepEqual(argumentsOf(serve), ['serve', '--data-dir', sharedFolder]);
  const start = () => startServer(t, sharedFolder, [], { environment });
  return [await start(), await start()];
}

async function endure(t: TestContext, fault: Fault, cluster: Cluster, load: MixedLoad): Promise<void> {
  const { leader, standby } = await cluster.untilHealthy();
  const struckAtMs = Date.now();
  await fault.strike(leader, standby, cluster);
  const changed = (sinceMs: number) => changesDone(load.responses, sinceMs).length > 0;
  if (!fault.mayKeepLeader)
    await until(async () => (await leaderNow(cluster, leader)) !== leader, DEADLINE_MS, 'a new leader');
  const knownAtMs = Date.now();
  await until(() => changed(knownAtMs), DEADLINE_MS, 'a change');
  await fault.mend?.(leader, cluster);
  const mended = await cluster.untilHealthy();
  const healthyAtMs = Date.now();
  await until(() => changed(healthyAtMs), DEADLINE_MS, 'a change on the healthy cluster');
  const pause = longestPause(changesDone(load.responses, struckAtMs - 1000));
  t.diagnostic(
    `${fault.name}: ${mended.leader === leader ? 'the same' : 'a new'} leader, no change for ${pause} ms, ` +
      `slowest response ${slowest(load.since(struckAtMs - 1000))} ms, ` +
      `healthy after ${((healthyAtMs - struckAtMs) / 1000).toFixed(1)} s`,
  );
}

/** In its metrics, a node says the same about the servers as Patroni. */
async function assertRoles({ origin }: RunningServer, { servers }: Cluster, leader: ClusterServer): Promise<void> {
  const expected = servers.map((server) => ({ up: 1, primary: Number(server === leader), lag: 0 }));
  let found: unknown;
  const haveRoles = async () => {
    const series = await readMetrics(origin);
    const valueOf = (name: string, place: number) =>
      series.get(`menagerie_database_server_${name}{server="${place + 1}"}`);
    found = servers.map((_server, place) => ({
      up: valueOf('up', place),
      primary: valueOf('primary', place),
      lag: valueOf('replay_lag_seconds', place),
    }));
    return isDeepStrictEqual(found, expected);
  };
  await until(haveRoles, DEADLINE_MS, 'the roles of Patroni').catch(() => assert.deepEqual(found, expected));
}

/** The leader that the others report. */
async function leaderNow(cluster: Cluster, old: ClusterServer): Promise<ClusterServer> {
  const members = await cluster.members(cluster.servers.filter((server) => server !== old));
  const name = members.find(({ role }) => role === 'leader')?.name;
  return cluster.servers.find((server) => server.name === name) ?? old;
}

function changesDone(responses: readonly LoadResponse[], sinceMs: number): readonly LoadResponse[] {
  return responses.filter(({ method, status, sentAtMs }) => method !== 'GET' && status === 200 && sentAtMs >= sinceMs);
}

/** The longest time in which no change was acknowledged, in milliseconds. */
function longestPause(changes: readonly LoadResponse[]): number {
  const ends = changes.map(({ sentAtMs, tookMs }) => sentAtMs + tookMs).toSorted((a, b) => a - b);
  return Math.max(...ends.slice(1).map((end, index) => end - (ends[index] ?? end)));
}
