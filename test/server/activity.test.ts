import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { Distribution, quantileOf } from '../../src/domain/activity.ts';
import { ACTIVITY_MINUTES } from '../../src/domain/activity-history.ts';
import type { LogEntry } from '../../src/domain/log.ts';
import { RecentLog } from '../../src/server/system/recent-log.ts';
import { watchLog } from '../../src/server/log/watched-log.ts';
import { ActivityMinutes } from '../../src/server/metrics/activity-minutes.ts';
import { ProcessRecords } from '../../src/server/system/process-records.ts';

/* The log of an hour and the activity of a day, which a node keeps in memory. */

const MINUTE_MS = 60_000;

const entryAt = (atMs: number, other: Partial<LogEntry> = {}): LogEntry => ({
  atMs,
  level: 'info',
  message: `entry at ${atMs}`,
  ...other,
});

function newLog(level = 'info') {
  const entries: LogEntry[] = [];
  const lines: string[] = [];
  const plain = pino({ level }, { write: (line: string) => void lines.push(line) });
  return { entries, lines, log: watchLog(plain, (entry) => entries.push(entry)) };
}

void test('watched log: request, error and fields are named, and the message of an error is not kept', () => {
  const { entries, lines, log } = newLog();
  const err = Object.assign(new RangeError('the password is 12345'), { code: 'ERR_SECRET' });
  log.error({ err, requestId: 'r1', method: 'GET', route: '/v2/pet/:petId' }, 'unexpected error');
  log.fatal('the end');
  log.info({ pets: 20, cause: err, ids: [1n, 2n], nothing: undefined }, 'added');
  assert.equal(lines.length, 3, 'the log is complete');
  assert.match(lines[0] ?? '', /12345/);
  const [first, second, third] = entries.map(({ atMs, ...entry }) => {
    assert.ok(atMs <= Date.now());
    return entry;
  });
  assert.deepEqual(first, {
    level: 'error',
    message: 'unexpected error',
    detail: 'RangeError (ERR_SECRET)',
    operation: 'GET /v2/pet/{petId}',
    requestId: 'r1',
    fields: undefined,
  });
  assert.equal(second?.message, 'the end');
  assert.equal(third?.fields, 'pets=20 cause=RangeError (ERR_SECRET) ids=["1","2"]');
});

void test('watched log: levels that it does not write cost nothing', () => {
  const { entries, lines, log } = newLog('warn');
  for (const level of ['debug', 'info'] as const) {
    assert.equal(log[level].name, 'noop');
    log[level]('not written');
  }
  log.warn('written');
  assert.deepEqual([entries.length, lines.length], [1, 1]);
  const silent = newLog('silent');
  silent.log.error('not written');
  assert.equal(silent.entries.length, 0);
});

void test('recent errors: only the newest are kept', () => {
  const records = new ProcessRecords(() => 7);
  records.addEntry(entryAt(0));
  for (let index = 0; index < 60; index++) records.addEntry(entryAt(index, { level: 'error' }));
  const { errors } = records.read();
  assert.deepEqual([errors.length, errors[0]?.atMs, errors.at(-1)?.atMs], [50, 59, 10]);
});

void test('recent log: a request for it is no entry', () => {
  const records = new ProcessRecords(() => 7);
  for (const operation of ['GET /v2/admin/log', 'GET /v2/pet/{petId}'])
    records.addEntry(entryAt(7, { level: 'debug', message: 'request', operation }));
  assert.deepEqual(
    records.log.read({ limit: 10 }).entries.map(({ operation }) => operation),
    ['GET /v2/pet/{petId}'],
  );
});

void test('recent log: has the newest first, by level and text, and forgets after an hour', () => {
  const time = { nowMs: 1000 };
  const log = new RecentLog(() => time.nowMs);
  log.add(entryAt(1000));
  log.add(entryAt(2000, { level: 'warn', fields: 'site=Petfinder' }));
  log.add(entryAt(3000, { level: 'error', requestId: 'abc-7' }));
  const read = (filter: object) => log.read({ limit: 10, ...filter }).entries.map(({ atMs }) => atMs);
  assert.deepEqual(read({}), [3000, 2000, 1000]);
  assert.deepEqual(read({ limit: 2 }), [3000, 2000]);
  assert.deepEqual(read({ level: 'warn' }), [3000, 2000]);
  assert.deepEqual(read({ text: 'PETFINDER' }), [2000]);
  assert.deepEqual(read({ text: 'abc-7' }), [3000]);
  assert.deepEqual(read({ text: 'abc-7\nsite' }), []);
  assert.equal(log.read({ limit: 1 }).sinceMs, 1000);
  time.nowMs = 60 * MINUTE_MS + 2500;
  assert.deepEqual(read({}), [3000]);
  assert.equal(log.read({ limit: 1 }).sinceMs, 2500);
});

void test('recent log: a storm of long entries takes at most 1 MiB, and says since when it is complete', () => {
  const log = new RecentLog(() => 0);
  const long = 'x'.repeat(100_000);
  for (let index = 0; index < 20_000; index++) log.add(entryAt(index, { fields: long }));
  const { sinceMs, entries } = log.read({ limit: 100_000 });
  assert.ok(entries.length > 300 && entries.length < 500, `${entries.length} entries`);
  assert.equal(entries[0]?.fields?.length, 1003);
  assert.equal(sinceMs, entries.at(-1)?.atMs);
});

void test('quantile: is between the bounds of its values', () => {
  assert.equal(quantileOf([1, 2, 4], [0, 0, 0, 0], 0.99), undefined);
  assert.equal(quantileOf([1, 2, 4], [0, 10, 0, 0], 0.5), 1.5);
  assert.equal(quantileOf([1, 2, 4], [50, 0, 50, 0], 0.75), 3);
  assert.equal(quantileOf([1, 2, 4], [0, 0, 0, 3], 0.99), 4, 'beyond all bounds');
});

void test('activity: each minute has its requests, and the highest of its gauges', () => {
  const time = { nowMs: 10 * MINUTE_MS };
  const minutes = new ActivityMinutes(() => time.nowMs);
  const durations = Distribution.ofDurations();
  const counted = { requests: 5, errors: 1 };
  const gauges = { memoryBytes: 1, waitingChanges: 0, waitingPhotos: 0, waitingPasswords: 0, waitingSearches: 0 };
  const readings = {
    totals: () => ({ ...counted, durations: durations.counts.slice() }),
    gauges: () => ({ ...gauges }),
  };
  minutes.sampleFrom(readings)();
  assert.deepEqual(minutes.read().series.requests, []);
  const pass = (ms: number) => {
    time.nowMs += ms;
    minutes.sample(readings);
  };
  gauges.waitingChanges = 7;
  pass(5000);
  gauges.waitingChanges = 2;
  counted.requests += 3;
  counted.errors += 2;
  for (let index = 0; index < 3; index++) durations.add(0.3);
  pass(MINUTE_MS);
  pass(MINUTE_MS);
  const { sinceMs, series } = minutes.read();
  assert.equal(sinceMs, 10 * MINUTE_MS);
  assert.deepEqual(series.requests, [3, 0]);
  assert.deepEqual(series.errors, [2, 0]);
  assert.deepEqual(series.waitingChanges, [7, 2]);
  const [p99, none] = series.p99Ms;
  assert.ok(p99 !== null && p99 !== undefined && p99 > 250 && p99 <= 500, `${p99} ms`);
  assert.equal(none, null);
  // The machine slept.
  counted.requests += 9;
  pass(3 * MINUTE_MS);
  assert.deepEqual(minutes.read().series.requests, [3, 0, 9, null, null]);
  pass(2 * ACTIVITY_MINUTES * MINUTE_MS);
  const day = minutes.read();
  assert.equal(day.series.requests.length, ACTIVITY_MINUTES - 1);
  assert.ok(day.series.requests.every((value) => value === null));
  assert.equal(day.sinceMs, time.nowMs - (time.nowMs % MINUTE_MS) - (ACTIVITY_MINUTES - 1) * MINUTE_MS);
  // The clock is set back.
  time.nowMs = MINUTE_MS;
  pass(0);
  pass(MINUTE_MS);
  assert.deepEqual([minutes.read().sinceMs, minutes.read().series.requests], [MINUTE_MS, [0]]);
});
