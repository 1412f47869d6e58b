import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisOf, firstDayOf, isSpan, periodsOf, SPANS, type DayNumbers } from '../../src/web/dashboard/periods.ts';
import { csvText } from '../../src/web/service/files.ts';

const day = (name: string, added: number, adopted = 0): DayNumbers => ({
  day: name,
  added,
  adopted,
  changed: 0,
  deleted: 1,
});

void test('axis: has round steps from 0 to at least the maximum, and never more than six lines', () => {
  assert.deepEqual(axisOf(0), [0, 1]);
  assert.deepEqual(axisOf(3), [0, 1, 2, 3]);
  assert.deepEqual(axisOf(7), [0, 2, 4, 6, 8]);
  assert.deepEqual(axisOf(20), [0, 5, 10, 15, 20]);
  assert.deepEqual(axisOf(1001), [0, 500, 1000, 1500]);
  for (let max = 1; max < 20_000; max += 7) {
    const ticks = axisOf(max);
    assert.ok(ticks.length <= 6 && (ticks.at(-1) ?? 0) >= max, `${max}: ${ticks.join()}`);
  }
});

void test('periods: group days from the newest backwards, without losing any', () => {
  const days = ['01', '02', '03', '04', '05'].map((name, index) => day(`2026-01-${name}`, index + 1, index));
  assert.deepEqual(periodsOf(days, 2), [
    { from: '2026-01-01', until: '2026-01-01', added: 1, adopted: 0, deleted: 1 },
    { from: '2026-01-02', until: '2026-01-03', added: 5, adopted: 3, deleted: 2 },
    { from: '2026-01-04', until: '2026-01-05', added: 9, adopted: 7, deleted: 2 },
  ]);
});

void test('periods: none without days', () => {
  assert.deepEqual(periodsOf([], 7), []);
});

void test('first day of a span: counts today, in UTC', () => {
  const lateInTheEvening = Date.parse('2026-03-01T23:59:59.999Z');
  assert.equal(firstDayOf('month', lateInTheEvening), '2026-01-31');
  for (const { days, daysPerPeriod } of Object.values(SPANS)) assert.ok(days / daysPerPeriod <= 31);
});

void test('isSpan: rejects unknown values', () => {
  assert.equal(isSpan('year'), true);
  for (const other of ['toString', '', undefined, 1]) assert.equal(isSpan(other), false);
});

void test('CSV: quotes commas, quotes and line breaks, and escapes formulas', () => {
  const text = csvText([
    ['Tag', 'Pets'],
    ['a, "b"\nc', 3],
    ['=HYPERLINK("http://example.org")', -1],
    ['-2', 0],
  ]);
  assert.equal(text, '\uFEFFTag,Pets\r\n"a, ""b""\nc",3\r\n"\'=HYPERLINK(""http://example.org"")",-1\r\n\'-2,0\r\n');
});
