import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { followEvents } from '../support/event-client.ts';
import type { RunningServer } from '../support/menagerie-process.ts';
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { put, serveFrom, until } from './served-database.ts';

/* A standby without acknowledged changes becomes the primary, while a node keeps running. */

const DEADLINE_MS = 30_000;

/** A node on a primary and a standby that receives nothing more. */
async function startWithStaleStandby(t: TestContext) {
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  const url = `postgres://menagerie:${primary.password}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/menagerie`;
  const start = () => serveFrom(t, `${url}?target_session_attrs=read-write`);
  const nodes = [await start(), await start()] as const;
  const cutOff = async () => {
    await standby.awaitReplay();
    await standby.query(`alter system set primary_conninfo = ''`);
    await standby.query('select pg_reload_conf()');
    await until(async () => !(await hasStandby(primary)), DEADLINE_MS, 'a standby without its primary');
  };
  const failOver = async () => {
    await primary.kill();
    await standby.promote();
  };
  return { nodes, cutOff, failOver };
}

async function hasStandby(primary: PostgresServer): Promise<boolean> {
  return (await primary.query('select 1 from pg_stat_replication')).rowCount !== 0;
}

/** Adds pets, as soon as changes are possible. */
async function addPets(base: string, ids: readonly number[], name: string): Promise<void> {
  for (const id of ids)
    await until(async () => (await put(base, 'POST', id, name)).status === 200, DEADLINE_MS, `pet ${id}`);
}

/** Receives so many events, and then follows them no longer. */
async function receive({ base }: RunningServer, count: number): Promise<void> {
  const client = followEvents(() => `${base}/events`, { lastEventId: '0' });
  await until(() => client.events.length >= count, DEADLINE_MS, `${count} events`);
  client.close();
}

/** The metrics and the log of the node name what is lost. */
async function assertReported({ origin, written }: RunningServer): Promise<void> {
  const isCounted = async () =>
    (await (await fetch(`${origin}/metrics`)).text()).includes('\nmenagerie_lost_changes_total 3\n');
  await until(isCounted, DEADLINE_MS, 'lost changes in the metrics');
  assert.match(written.stdout + written.stderr, /"reason":"versions 5 to 7"/);
  assert.equal((await fetch(`${origin}/readyz`)).status, 200);
}

void test('failover that loses changes: followers of events are told, and each node reports them', async (t) => {
  const { nodes, cutOff, failOver } = await startWithStaleStandby(t);
  const [node, quietNode] = nodes;
  const client = followEvents(() => `${node.base}/events`, { lastEventId: '0', retryMs: 50 });
  t.after(() => client.close());
  const untilReceived = (count: number) => until(() => client.events.length >= count, DEADLINE_MS, `${count} events`);
  await addPets(node.base, [1, 2, 3, 4], 'Kept');
  await cutOff();
  await addPets(node.base, [5, 6, 7], 'Lost');
  await untilReceived(7);
  await receive(quietNode, 7);
  await failOver();
  await addPets(node.base, [11, 12, 13, 14, 15], 'New');
  await untilReceived(13);
  const reset = { id: '4', event: 'reset', data: '{"version":4,"type":"reset","lastVersion":7}' };
  assert.deepEqual(client.events[7], reset);
  assert.deepEqual(
    client.events.slice(8).map(({ id, data }) => [id, /"name":"(\w+)"/.exec(data)?.[1]]),
    ['5', '6', '7', '8', '9'].map((id) => [id, 'New']),
  );
  assert.equal(client.statuses.length, 1, 'the stream stays open');

  // A client that was not connected at that time.
  const late = followEvents(() => `${node.base}/events`, { lastEventId: '6' });
  t.after(() => late.close());
  await until(() => late.events.length >= 6, DEADLINE_MS, 'events from before');
  assert.deepEqual([late.events[0], late.events[1]], [reset, client.events[8]]);
  for (const each of nodes) await assertReported(each);
});
