import { load, type Load, type LoadResult } from '../tools/load.ts';
import { startClient } from '../tools/servers.ts';
import { inTurn, type Bench, type Rounds } from '../tools/measurement.ts';

interface Disturbance {
  origin: string;
  what: Load;
  /** Cores of the load and of the disturbing client. */
  cores: 'load core' | 'all cores';
  /** Script and arguments of the disturbing client. */
  client: () => readonly [script: string, args: readonly string[]];
  /** By default, the 99th percentile. */
  figure?: keyof LoadResult;
  /** Of a round. */
  seconds?: number;
}

/** Fewer than in other measurements: with 64, requests mostly wait for each other. */
const CONNECTIONS = 16;

/** A load with / without a disturbing client, alternately. */
export async function whileDisturbed(bench: Bench, disturbance: Disturbance): Promise<Rounds> {
  const { origin, what, cores, client, figure = 'p99Ms', seconds = bench.seconds } = disturbance;
  const measure = async (seconds: number, mayStarve = false) =>
    (await load(origin, what, { seconds, cores, connections: CONNECTIONS, mayStarve }))[figure];
  return inTurn(bench, {
    unit: figure === 'p99Ms' ? 'ms' : '/s',
    seconds,
    theirs: (seconds) => measure(seconds),
    ours: async (seconds) => {
      const disturbing = await startClient(...client(), cores);
      const result = await measure(seconds, true);
      await disturbing.stop();
      // Fails if the client failed, and so did not disturb.
      await disturbing.result();
      return result;
    },
  });
}
