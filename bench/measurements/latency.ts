import { load, readsOf, type LoadResult } from '../load.ts';
import { startClient } from '../servers.ts';
import { inTurn, type Bench, type Rounds } from './measurement.ts';

export interface Disturbance {
  origin: string;
  highestId: number;
  /** Cores of the load and of the disturbing client. */
  cores: 'load core' | 'all cores';
  /** Script and arguments of the disturbing client. */
  client: () => readonly [script: string, args: readonly string[]];
  /** By default, the 99th percentile. */
  figure?: keyof LoadResult;
}

/** Fewer than in other measurements: with 64, requests mostly wait for each other. */
const CONNECTIONS = 16;

/** Reads by ID with / without a disturbing client, alternately. */
export async function whileDisturbed(bench: Bench, disturbance: Disturbance): Promise<Rounds> {
  const { origin, highestId, cores, client, figure = 'p99Ms' } = disturbance;
  const measure = async (seconds: number, mayStarve = false) =>
    (await load(origin, readsOf(highestId), { seconds, cores, connections: CONNECTIONS, mayStarve }))[figure];
  return inTurn(bench, {
    unit: figure === 'p99Ms' ? 'ms' : '/s',
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
