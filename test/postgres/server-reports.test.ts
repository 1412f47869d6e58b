import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatabaseServer } from '../../src/domain/health/database-servers.ts';
import { serverFamilies } from '../../src/server/metrics/server-families.ts';
import { findServerProblems } from '../../src/server/health/servers-check.ts';
import { ServerReports } from '../../src/storage/postgres/engine/server-reports.ts';
import type { ServerPosition } from '../../src/storage/postgres/engine/server-state.ts';

const URLS = ['postgres://pets:secret@db1/pets', 'postgres://pets:secret@db2:5433/pets?sslmode=require'];
const IDLE_SECONDS = 600;

const primaryAt = (walBytes: number, timeline = 1): ServerPosition => ({
  isStandby: false,
  timeline,
  walBytes,
  sinceCommitSeconds: null,
});

const standbyAt = (walBytes: number, sinceCommitSeconds: number | null = IDLE_SECONDS): ServerPosition => ({
  isStandby: true,
  timeline: 1,
  walBytes,
  sinceCommitSeconds,
});

type Positions = readonly (ServerPosition | undefined)[];

/** Each look is two seconds after the one before. */
function lookAt(...looks: readonly Positions[]): readonly DatabaseServer[] {
  const reports = new ServerReports(URLS);
  looks.forEach((positions, index) => {
    const found = positions.map((position) =>
      position === undefined ? { error: new Error('timeout') } : { isWritable: !position.isStandby },
    );
    reports.note(found, positions, index * 2000);
  });
  return reports.servers;
}

const lagOf = (...looks: readonly Positions[]) => lookAt(...looks)[1]?.lag;

void test('servers: have names without credentials, roles and timelines', () => {
  assert.deepEqual(lookAt([primaryAt(100, 3), standbyAt(100)]), [
    { name: 'db1:5432', isReachable: true, role: 'primary', timeline: 3, lag: undefined },
    { name: 'db2:5433', isReachable: true, role: 'standby', timeline: 1, lag: { bytes: 0, seconds: 0 } },
  ]);
});

void test('standby of an idle primary: has no lag, and a short one after a change', () => {
  const idle = [primaryAt(100), standbyAt(100)] as const;
  assert.deepEqual(lagOf(idle, idle, idle), { bytes: 0, seconds: 0 });
  assert.deepEqual(lagOf(idle, idle, [primaryAt(150), standbyAt(100)]), { bytes: 50, seconds: 0 });
  // It was asked later than the primary.
  assert.deepEqual(lagOf([primaryAt(100), standbyAt(130)]), { bytes: 0, seconds: 0 });
});

void test('standby that does not replay: is as late as its oldest missing change', () => {
  const looks = [100, 150, 150, 170].map((walBytes) => [primaryAt(walBytes), standbyAt(100)] as const);
  assert.deepEqual(lagOf(...looks), { bytes: 70, seconds: 4 });
  assert.deepEqual(lagOf(...looks, [primaryAt(170), standbyAt(160)]), { bytes: 10, seconds: 2 });
  assert.deepEqual(lagOf(...looks, [primaryAt(170), standbyAt(170)]), { bytes: 0, seconds: 0 });
});

void test('standby that is behind at the first look: its last replayed commit counts', () => {
  const behind = [primaryAt(200), standbyAt(100)] as const;
  assert.deepEqual(lagOf(behind), { bytes: 100, seconds: IDLE_SECONDS });
  assert.deepEqual(lagOf([primaryAt(200), standbyAt(100, null)], [primaryAt(200), standbyAt(100, null)]), {
    bytes: 100,
    seconds: 2,
  });
});

void test('promoted standby: positions of the old primary no longer count', () => {
  const old = [primaryAt(900), standbyAt(100)] as const;
  const promoted = [standbyAt(110), primaryAt(120, 2)] as const;
  const [first, second] = lookAt(old, old, promoted, promoted);
  assert.deepEqual(first?.lag, { bytes: 10, seconds: IDLE_SECONDS });
  assert.equal(second?.role, 'primary');
});

void test('primary that does not respond: the lag is unknown', () => {
  const [primary, standby] = lookAt([primaryAt(200), standbyAt(100)], [undefined, standbyAt(100)]);
  assert.deepEqual(primary, {
    name: 'db1:5432',
    isReachable: false,
    role: undefined,
    timeline: undefined,
    lag: undefined,
  });
  assert.equal(standby?.lag, undefined);
});

void test('server that does not say where it is: has a role', () => {
  const reports = new ServerReports(URLS);
  reports.note([{ isWritable: true }, { isWritable: false }], [undefined, undefined], 0);
  assert.deepEqual(
    reports.servers.map(({ role, timeline }) => [role, timeline]),
    [
      ['primary', undefined],
      ['standby', undefined],
    ],
  );
});

const sound = { name: 'db1:5432', isReachable: true, role: 'primary', timeline: 2, lag: undefined } as const;
const standby = { ...sound, name: 'db2:5432', role: 'standby', lag: { bytes: 10, seconds: 30 } } as const;

const problemsOf = (...servers: readonly DatabaseServer[]) =>
  findServerProblems(servers).map(({ problem, subjects }) => [problem, ...subjects]);

void test('doctor: finds unreachable servers, two primaries, late standbys and other timelines', () => {
  assert.deepEqual(problemsOf(sound, standby), []);
  const away = { name: 'db2:5432', isReachable: false, role: undefined, timeline: undefined, lag: undefined };
  assert.deepEqual(problemsOf(sound, away), [['server-unreachable', 'db2:5432']]);
  assert.deepEqual(problemsOf(sound, { ...sound, name: 'db3:5432', timeline: 1 }), [
    ['server-primaries', 'db1:5432 (timeline 2)', 'db3:5432 (timeline 1)'],
  ]);
  assert.deepEqual(problemsOf(sound, { ...standby, lag: { bytes: 10, seconds: 31 } }), [['server-behind', 'db2:5432']]);
  assert.deepEqual(problemsOf(sound, { ...standby, timeline: 1 }), [['server-timeline', 'db2:5432 (timeline 1)']]);
  assert.deepEqual(problemsOf({ ...standby, timeline: 1 }), [], 'without a primary, its timeline is unknown');
});

const labelsOf = (areNamed: boolean) =>
  new Set(
    serverFamilies([sound, standby], areNamed).flatMap(({ values }) => values.map(({ labels }) => labels['server'])),
  );

void test('metrics: name the servers only if they are private', () => {
  assert.deepEqual(labelsOf(true), new Set(['db1:5432', 'db2:5432']));
  assert.deepEqual(labelsOf(false), new Set(['1', '2']));
  assert.deepEqual(serverFamilies([], true), []);
});
