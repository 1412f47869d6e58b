import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { clearFromTimeToTime } from '../../src/main/clearing.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

type Needs = Parameters<typeof clearFromTimeToTime>[0];

/** Steps that are counted, and fail while they are told to; hours pass at will. */
function startClearing(t: TestContext, ...fail: ('sessions' | 'entries')[]) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const turns = { sessions: 0, keys: 0, counts: 0, entries: 0, changes: 0, requests: 0, pictures: 0 };
  const failing = new Set<keyof typeof turns>(fail);
  const onTurn: { of?: keyof typeof turns; call?: () => void } = {};
  const step = async (name: keyof typeof turns): Promise<void> => {
    turns[name]++;
    if (onTurn.of === name) onTurn.call?.();
    if (failing.has(name)) throw new Error(`${name} are out of reach`);
  };
  const lines: string[] = [];
  const needs = {
    signIn: { forgetSessions: () => step('sessions'), forgetKeys: () => step('keys') },
    limits: { apply: () => step('counts').then(() => 0) },
    auditTrail: { forgetOld: () => step('entries') },
    accountChanges: { forgetOld: () => step('changes') },
    idempotency: { forgetOld: () => step('requests') },
    gallery: { clearUnused: () => step('pictures').then(() => 0) },
    clock: () => 0,
    log: pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) }),
  };
  return {
    turns,
    failing,
    lines,
    onTurn,
    stop: clearFromTimeToTime(needs as unknown as Needs),
    pass: async (ms: number): Promise<void> => {
      await settled();
      t.mock.timers.tick(ms);
      await settled();
    },
  };
}

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

const each = (count: number) => ({
  sessions: count,
  keys: count,
  counts: count,
  entries: count,
  changes: count,
  requests: count,
  pictures: count,
});

void test('everything is cleared at the start, and then once an hour', async (t) => {
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

void test('one step that fails keeps no other from its turn, and is tried again soon, then more and more seldom', async (t) => {
  const { turns, failing, lines, pass, stop } = startClearing(t, 'sessions', 'entries');
  await pass(MINUTE_MS - 1);
  assert.deepEqual(turns, each(1));
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /"what":"sessions"/);
  assert.match(lines[1] ?? '', /entries are out of reach/);
  await pass(1);
  assert.deepEqual(turns, each(2));
  await pass(2 * MINUTE_MS - 1);
  assert.deepEqual(turns, each(2));
  await pass(1);
  assert.deepEqual(turns, each(3));
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

void test('no step begins when the service is to stop', async (t) => {
  const { turns, onTurn, pass, stop } = startClearing(t);
  await pass(HOUR_MS - 1);
  onTurn.of = 'keys';
  onTurn.call = () => void stop();
  await pass(1);
  await pass(10 * HOUR_MS);
  assert.deepEqual(turns, { sessions: 2, keys: 2, counts: 1, entries: 1, changes: 1, requests: 1, pictures: 1 });
});
