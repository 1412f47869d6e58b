import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContext, Script } from 'node:vm';
import * as fc from 'fast-check';
import { patternsInSource, type Pattern } from '../../scripts/patterns.ts';

/*
 * Every regular expression in src/ on 16 KiB of repeated pieces of its own text. To repeat a run, set
 * MENAGERIE_FUZZ_SEED to its seed.
 */

const SEED = Number(process.env['MENAGERIE_FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const LENGTH = 16 * 1024;
const TEXTS_PER_PATTERN = 60;

/** In one pass, 16 KiB take less than a millisecond. */
const MAX_CPU_MS = 100;
const TIMEOUT_MS = 10_000;

const context: { pattern?: RegExp; texts?: readonly string[] } = createContext({});
const script = new Script('for (const text of texts) { pattern.lastIndex = 0; pattern.test(text); }');

/** A slice of the text to repeat, with what precedes it. */
const CUT = fc.record({
  start: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 4 }),
  end: fc.constantFrom('', '!', ' ', '\n', '\0'),
});

/** The time for all texts together, in milliseconds: each call of `runInContext` starts a thread for its timeout. */
function cpuTimeOf(pattern: RegExp, texts: readonly string[]): number {
  Object.assign(context, { pattern, texts });
  const before = process.cpuUsage();
  try {
    script.runInContext(context, { timeout: TIMEOUT_MS });
  } catch {
    return TIMEOUT_MS;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The literal characters of a pattern in order: a text that matches it, or nearly. */
function textOf({ source }: Pattern): string {
  return source
    .replaceAll(/\\[dD]/g, '1')
    .replaceAll(/\\[sS]/g, ' ')
    .replaceAll(/\\[wWbB]/g, 'a')
    .replaceAll(/[\\^$()?:|*+[\]{}]/g, '');
}

void test('regular expressions in src/: 16 KiB of repeated pieces take linear time', (t) => {
  t.diagnostic(`seed ${SEED}`);
  const patterns = patternsInSource();
  assert.ok(patterns.length > 80, String(patterns.length));
  const cuts = fc.sample(CUT, { seed: SEED, numRuns: TEXTS_PER_PATTERN });
  for (const pattern of patterns) {
    const expression = new RegExp(pattern.source, pattern.flags);
    const whole = textOf(pattern) || ' ';
    const samples = cuts.map(({ start, length, end }) => {
      const from = Math.floor(start * (whole.length - 1));
      const piece = whole.slice(from, from + length);
      return { before: whole.slice(0, from), piece, end };
    });
    const textFrom = ({ before, piece, end }: (typeof samples)[number]) =>
      before + piece.repeat(LENGTH / piece.length) + end;
    if (cpuTimeOf(expression, samples.map(textFrom)) <= MAX_CPU_MS) continue;
    for (const sample of samples) {
      const texts = [textFrom(sample)];
      const cpuMs = Math.min(cpuTimeOf(expression, texts), cpuTimeOf(expression, texts));
      const { before, piece, end } = sample;
      const { file, line, source, flags } = pattern;
      const description = `${file}:${line}: /${source}/${flags} on ${JSON.stringify(piece)} repeated, after ${JSON.stringify(before)}, before ${JSON.stringify(end)}`;
      assert.ok(cpuMs <= MAX_CPU_MS, `${Math.round(cpuMs)} ms of CPU time for ${description}`);
    }
  }
});
