import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { Clearing, type ClearingDeps } from '../../src/server/process/clearing.ts';
import { ProcessRecords } from '../../src/server/system/process-records.ts';
import { STAMP } from '../support/changes.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const START_MS = Date.UTC(2026, 10, 23, 9);

const ENTRY = { id: 1n, action: 'access', subject: null, outcome: 'done', details: null } as const;

interface ClearingOptions {
  /** Steps that fail. */
  fail?: readonly ('sessions' | 'entries')[];
  /** Times of the entries in the audit log, newest first. */
  entriesAtMs?: readonly number[];
}

function startClearing(t: TestContext, { fail = [], entriesAtMs = [] }: ClearingOptions = {}) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const turns = {
    sessions: 0,
    steps: 0,
    keys: 0,
    counts: 0,
    entries: 0,
    changes: 0,
    requests: 0,
    mail: 0,
    searches: 0,
    photos: 0,
  };
  const failing = new Set<keyof typeof turns>(fail);
  const onTurn: { of?: keyof typeof turns; call?: () => void } = {};
  const step = async (name: keyof typeof turns): Promise<void> => {
    turns[name]++;
    if (onTurn.of === name) onTurn.call?.();
    if (failing.has(name)) throw new Error(`${name} are unavailable`);
  };
  const lines: string[] = [];
  const time = { nowMs: START_MS, uptimeMs: 5000 };
  const deps: ClearingDeps = {
    authentication: { deleteEndedSessions: () => step('sessions'), deleteExpiredKeys: () => step('keys') },
    steps: { deleteExpired: () => step('steps') },
    limits: { apply: () => step('counts').then(() => 0) },
    auditLog: { deleteExpired: () => step('entries') },
    changeFeed: { apply: () => step('changes').then(() => 0) },
    mail: { apply: () => step('mail').then(() => []) },
    ofFeatures: { searches: () => step('searches').then(() => 0) },
    accountChangesKeptMs: YEAR_MS,
    idempotency: { deleteExpired: () => step('requests') },
    photoFiles: { clearUnused: () => step('photos').then(() => 0) },
    audit: {
      list: async ({ untilMs = Infinity }: { untilMs?: number }) =>
        entriesAtMs.filter((atMs) => atMs < untilMs).map((atMs) => ({ ...ENTRY, stamp: { ...STAMP, atMs } })),
    },
    clock: () => time.nowMs,
    uptimeMs: () => time.uptimeMs,
    records: new ProcessRecords(() => time.nowMs),
    log: pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) }),
  };
  const clearing = new Clearing(deps);
  return {
    turns,
    failing,
    lines,
    onTurn,
    time,
    stop: () => clearing.stop(),
    pass: async (ms: number): Promise<void> => {
      await settled();
      time.nowMs += ms;
      time.uptimeMs += ms;
      t.mock.timers.tick(ms);
      await settled();
    },
  };
}

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Photos are cleared from an hour after the start. */
const each = (count: number, photos = Math.max(0, count - 1)) => ({
  sessions: count,
  steps: count,
  keys: count,
  counts: count,
  entries: count,
  changes: count,
  requests: count,
  mail: count,
  searches: count,
  photos,
});

void test('clearing: everything but photos at the start, then everything once an hour', async (t) => {
  const { turns, lines, pass, stop } = startClearing(t);
  await pass(HOUR_MS - 1);
  assert.deepEqual(turns, each(1));
  await pass(1);
  assert.deepEqual(turns, each(2));
  await pass(HOUR_MS);
  assert.deepEqual(turns, each(3));
  assert.deepEqual(lines, []);
  await stop();
  await pass(10 * HOUR_MS);
  assert.deepEqual(turns, each(3));
});

void test('clearing: a failed step does not stop the others, and is retried with growing delays', async (t) => {
  const { turns, failing, lines, pass, stop } = startClearing(t, { fail: ['sessions', 'entries'] });
  await pass(MINUTE_MS - 1);
  assert.deepEqual(turns, each(1));
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /"what":"sessions"/);
  assert.match(lines[1] ?? '', /entries are unavailable/);
  await pass(1);
  assert.deepEqual(turns, each(2, 0));
  await pass(2 * MINUTE_MS - 1);
  assert.deepEqual(turns, each(2, 0));
  await pass(1);
  assert.deepEqual(turns, each(3, 0));
  for (let round = 4; round <= 20; round++) {
    await pass(HOUR_MS);
    assert.ok(turns.sessions >= round, 'at least once an hour');
  }
  failing.clear();
  await pass(HOUR_MS);
  const done = turns.sessions;
  await pass(HOUR_MS - 1);
  assert.equal(turns.sessions, done);
  await pass(1);
  assert.equal(turns.sessions, done + 1);
  await stop();
});

void test('clearing: no step starts after stop', async (t) => {
  const { turns, onTurn, pass, stop } = startClearing(t);
  await pass(HOUR_MS - 1);
  onTurn.of = 'keys';
  onTurn.call = () => void stop();
  await pass(1);
  await pass(10 * HOUR_MS);
  assert.deepEqual(turns, { ...each(1), sessions: 2, steps: 2, keys: 2 });
});

for (const [how, jumpMs] of [
  ['ahead', YEAR_MS],
  ['back', -YEAR_MS],
] as const) {
  void test(`clock that jumps ${how}: nothing is cleared for a day, with one log entry`, async (t) => {
    const { turns, lines, time, pass, stop } = startClearing(t);
    await pass(HOUR_MS);
    assert.deepEqual(turns, each(2));
    time.nowMs += jumpMs;
    for (let hour = 0; hour < 24; hour++) await pass(HOUR_MS);
    assert.deepEqual(turns, each(2));
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /"level":50,"jumpSeconds":-?31536000,.*expired data is kept/);
    await pass(HOUR_MS);
    assert.deepEqual(turns, each(3));
    await stop();
  });
}

void test('clock that jumps ahead and is corrected: nothing is cleared for a day after the correction', async (t) => {
  const { turns, lines, time, pass, stop } = startClearing(t);
  await pass(HOUR_MS);
  time.nowMs += YEAR_MS;
  await pass(HOUR_MS);
  time.nowMs -= YEAR_MS;
  for (let hour = 0; hour < 24; hour++) await pass(HOUR_MS);
  assert.deepEqual(turns, each(2));
  assert.equal(lines.length, 2);
  await pass(HOUR_MS);
  assert.deepEqual(turns, each(3));
  await stop();
});

void test('clock that jumps between two steps: the next step waits', async (t) => {
  const { turns, onTurn, time, pass, stop } = startClearing(t);
  await pass(HOUR_MS - 1);
  onTurn.of = 'counts';
  onTurn.call = () => {
    time.nowMs += YEAR_MS;
  };
  await pass(1);
  assert.deepEqual(turns, { ...each(1), sessions: 2, steps: 2, keys: 2, counts: 2 });
  await stop();
});

void test('clock adjusted by minutes, machine asleep for days: clearing continues', async (t) => {
  const { turns, lines, time, pass, stop } = startClearing(t);
  time.nowMs -= 4 * MINUTE_MS;
  await pass(HOUR_MS);
  time.nowMs += 3 * DAY_MS;
  time.uptimeMs += 3 * DAY_MS;
  await pass(HOUR_MS);
  assert.deepEqual(turns, each(3));
  assert.deepEqual(lines, []);
  await stop();
});

void test('start more than a week after the last entry of the audit log: nothing is cleared for a day', async (t) => {
  // The entry of the last hour may come from the wrong clock.
  const entriesAtMs = [START_MS - HOUR_MS, START_MS - YEAR_MS];
  const { turns, lines, pass, stop } = startClearing(t, { entriesAtMs });
  for (let hour = 0; hour < 23; hour++) await pass(HOUR_MS);
  assert.deepEqual(turns, each(0));
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /"level":50,"gapDays":365,"now":"2026-11-23T09:00:00.000Z"/);
  await pass(HOUR_MS);
  assert.deepEqual(turns, each(1, 1));
  await stop();
});

void test('start some days after the last entry of the audit log: everything is cleared', async (t) => {
  const { turns, lines, pass, stop } = startClearing(t, { entriesAtMs: [START_MS - 6 * DAY_MS] });
  await pass(1);
  assert.deepEqual(turns, each(1));
  assert.deepEqual(lines, []);
  await stop();
});
