import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { setTimeout as delay } from 'node:timers/promises';
import { watchStolenTime } from './stolen-time.ts';

/*
 * The tests: `npm test` runs all of them, `npm test -- test/web` those that lie there. `node --test FILE` runs one file just as well.
 */

type TestEvent = { type: string; data: { nesting?: number; file?: string; message?: string; duration_ms?: number } };

/** They are about how long things take, so nothing else is to run beside them. */
const ALONE = [
  'test/cli/serve.test.ts',
  'test/cli/workers.test.ts',
  'test/faults/cut-off-followers.test.ts',
  'test/faults/failover.test.ts',
  'test/faults/frozen-database.test.ts',
  'test/faults/killed-database.test.ts',
  'test/faults/lost-nodes.test.ts',
  'test/faults/refused-starts.test.ts',
  'test/http/no-enumeration.test.ts',
  'test/http/stopping.test.ts',
  'test/postgres/connections.test.ts',
  'test/postgres/standby-reads.test.ts',
];

/** Most tests wait for half of their time, and start programs that need the other half. More than these are in each other's way. */
const CONCURRENCY = Math.max(2, Math.min(availableParallelism() - 1, 8));

/**
 * Where others on the same hardware take more than this part of a virtual machine, it stands still for moments: those that compare times wait until that is
 * over, so long at most.
 */
const CALM = 0.03;
const LONGEST_WAIT_FOR_CALM_MS = 60_000;
const SAMPLE_MS = 500;

/** So many of the files that took longest are told at the end: that is where time can be saved. */
const LONGEST = 12;

/** With it, each test file and each program that tests start is translated from TypeScript once, and not each time. */
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/menagerie-tests');

const asked = process.argv.slice(2);
const files = (asked.length === 0 ? ['test'] : asked).flatMap((place) => {
  return place.endsWith('.ts') ? [place] : globSync(`${place}/**/*.test.ts`).toSorted();
});
const isAlone = (file: string) => ALONE.includes(file.replaceAll('\\', '/'));

process.exitCode = files.length === 0 ? 1 : 0;
Readable.from(runAll()).compose(spec).pipe(process.stdout);

async function* runAll(): AsyncGenerator<TestEvent> {
  const totals = new Map<string, number>();
  const took: [file: string, seconds: number][] = [];
  for await (const event of runTogetherThenAlone()) {
    if (event.type === 'test:fail') process.exitCode = 1;
    const { file, duration_ms: tookMs = 0 } = event.data;
    if (event.type === 'test:summary' && file !== undefined) took.push([file, Math.round(tookMs / 1000)]);
    if (!isTotal(event, totals)) yield event;
  }
  const longest = took.toSorted(([, one], [, other]) => other - one).slice(0, LONGEST);
  const told = longest.map(([file, seconds]) => `${relative(process.cwd(), file)} ${seconds} s`);
  for (const message of [...[...totals].map(([name, total]) => `${name} ${total}`), `longest: ${told.join(', ')}`])
    yield { type: 'test:diagnostic', data: { nesting: 0, message } };
}

async function* runTogetherThenAlone(): AsyncGenerator<TestEvent> {
  yield* run({ files: mixed(files.filter((file) => !isAlone(file))), concurrency: CONCURRENCY });
  for (const file of files.filter(isAlone)) {
    await untilCalm();
    yield* run({ files: [file], concurrency: 1 });
  }
}

async function untilCalm(): Promise<void> {
  const untilMs = Date.now() + LONGEST_WAIT_FOR_CALM_MS;
  for (;;) {
    const stolenSince = watchStolenTime();
    await delay(SAMPLE_MS);
    if (stolenSince() <= CALM || Date.now() > untilMs) return;
  }
}

/** Each group ends with a line for each of its totals; they are added up. */
function isTotal({ type, data }: TestEvent, totals: Map<string, number>): boolean {
  const [, name, value] = /^([a-z_]+) (\d+(?:\.\d+)?)$/.exec(data.message ?? '') ?? [];
  if (type !== 'test:diagnostic' || data.nesting !== 0 || data.file !== undefined || name === undefined) return false;
  totals.set(name, (totals.get(name) ?? 0) + Number(value));
  return true;
}

/** Those with a browser compute, the others mostly wait: evenly among each other, neither keep the machine to themselves. */
function mixed(all: readonly string[]): string[] {
  const computing = all.filter((file) => /^test\W(?:web|stores)\W/.test(file));
  const waiting = all.filter((file) => !computing.includes(file));
  const places = [computing, waiting].flatMap((part) =>
    part.map((file, index) => ({ file, place: (index + 0.5) / part.length })),
  );
  return places.toSorted((one, other) => one.place - other.place).map(({ file }) => file);
}
