import { launch, menagerieSpec } from '../tools/servers.ts';
import { count, inTurn, type Bench, type Measurement } from '../tools/measurement.ts';

/* The cost of a catalogue before the first request. */

const MIN_STARTS = 5;

export const STARTUP: readonly Measurement[] = [
  {
    name: 'ready',
    title: ({ large }) => `time to the first response with ${count(large)} pets / with none`,
    claim: { atMost: 2, reachFor: 1.2 },
    run: measureReady,
  },
];

async function measureReady(bench: Bench) {
  const { catalogues, scale } = bench;
  const full = await catalogues.own(scale.large, 'started');
  const empty = await catalogues.own(0, 'started');
  return inTurn(bench, {
    unit: 'ms',
    isFresh: true,
    rounds: Math.max(MIN_STARTS, bench.rounds),
    ours: () => timeToReady(full, 200),
    // Without pets, "not found" takes the same path.
    theirs: () => timeToReady(empty, 404),
  });
}

async function timeToReady(folder: string, expectedStatus: number): Promise<number> {
  const startedMs = performance.now();
  const server = await launch(menagerieSpec(folder, []));
  const { status } = await fetch(`${server.origin}/v2/pet/1`);
  const ms = performance.now() - startedMs;
  await server.stop();
  if (status !== expectedStatus)
    throw new Error(`The first response had status ${status} instead of ${expectedStatus}.`);
  return ms;
}
