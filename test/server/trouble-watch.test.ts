import assert from 'node:assert/strict';
import { beforeEach, mock, test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { TroubleWatch } from '../../src/server/background/trouble-watch.ts';

let nowMs = 0;
let works = true;
let probes = 0;
let lines: string[] = [];

beforeEach(() => {
  [nowMs, works, probes, lines] = [0, true, 0, []];
});

function watchOf(t: TestContext): TroubleWatch {
  mock.timers.enable({ apis: ['setTimeout'] });
  const log = pino({}, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  const watch = new TroubleWatch({
    log,
    began: 'changes fail',
    ended: 'changes work',
    now: () => nowMs,
    probe: async () => {
      probes++;
      if (!works) throw new Error('the disk is full');
    },
  });
  t.after(() => {
    watch.close();
    mock.timers.reset();
  });
  return watch;
}

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    nowMs += 1000;
    mock.timers.tick(1000);
    // Lets the probe and its handlers run.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
}

void test('trouble watch: the start and the end of a failure are logged once each', async (t) => {
  const watch = watchOf(t);
  works = false;
  for (let second = 0; second < 30; second++) {
    for (let change = 0; change < 100; change++) watch.failed('the disk is full');
    await pass(1);
  }
  assert.deepEqual(lines, ['changes fail: the disk is full']);
  works = true;
  await pass(30);
  assert.deepEqual(lines, ['changes fail: the disk is full', 'changes work']);
  assert.equal(watch.isFailing(), false);
});

void test('trouble watch: a failure is serious after 10 s, until a probe succeeds', async (t) => {
  const watch = watchOf(t);
  works = false;
  watch.failed('the disk is full');
  await pass(9);
  assert.equal(watch.isSerious(), false);
  await pass(1);
  assert.equal(watch.isSerious(), true);
  await pass(60);
  assert.equal(watch.isSerious(), true);
  works = true;
  await pass(1);
  assert.equal(watch.isSerious(), false);
});

void test('trouble watch: a lasting failure is serious immediately', async (t) => {
  const watch = watchOf(t);
  works = false;
  watch.failed('the file was removed', { isLasting: true });
  assert.equal(watch.isSerious(), true);
  await pass(3);
  assert.equal(watch.isSerious(), true);
});

void test('trouble watch: an intermittent failure counts as one', async (t) => {
  const watch = watchOf(t);
  for (let second = 0; second < 120; second++) {
    if (second % 5 === 0) watch.failed('the disk is full');
    await pass(1);
  }
  assert.deepEqual(lines, ['changes fail: the disk is full']);
  assert.equal(watch.isSerious(), false);
});

void test('trouble watch: another reason is logged at most once a minute', async (t) => {
  const watch = watchOf(t);
  for (let second = 0; second < 90; second++) {
    watch.failed(second % 2 === 0 ? 'the disk is full' : 'the disk fails');
    await pass(1);
  }
  assert.deepEqual(lines, ['changes fail: the disk is full', 'changes fail: the disk fails']);
});

void test('trouble watch: a failure that was logged elsewhere is not logged again', async (t) => {
  const watch = watchOf(t);
  watch.failed('unreachable', { isLogged: true });
  await pass(30);
  assert.deepEqual(lines, []);
  assert.ok(probes > 5);
});

void test('trouble watch: probes only during a failure', async (t) => {
  const watch = watchOf(t);
  await pass(30);
  assert.equal(probes, 0);
  watch.failed('the disk is full');
  await pass(30);
  const probesAtEnd = probes;
  await pass(30);
  assert.equal(probes, probesAtEnd);
});

void test('trouble watch: the end has the number of failures, and the level may be a warning', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const entries: { level: number; msg: string; failures?: number }[] = [];
  const log = pino({}, { write: (line: string) => void entries.push(JSON.parse(line) as (typeof entries)[number]) });
  const watch = new TroubleWatch({
    log,
    level: 'warn',
    began: 'it fails',
    ended: 'it works',
    now: () => nowMs,
    probe: async () => {},
  });
  t.after(() => {
    watch.close();
    mock.timers.reset();
  });
  for (let count = 0; count < 7; count++) watch.failed('a backup is reading');
  await pass(30);
  assert.deepEqual(
    entries.map(({ level, msg, failures }) => [level, msg, failures]),
    [
      [40, 'it fails: a backup is reading', undefined],
      [30, 'it works', 7],
    ],
  );
});
