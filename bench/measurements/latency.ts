import { load, readsOf } from '../load.ts';
import { startClient } from '../servers.ts';
import { inTurn, type Bench, type Rounds } from './measurement.ts';

export interface Disturbance {
  origin: string;
  highestId: number;
  /** Where the load is; what disturbs is there as well. */
  cores: 'load core' | 'all cores';
  /** The client that disturbs: its script, and what it is called with. */
  client: () => readonly [script: string, args: readonly string[]];
}

/** Fewer than elsewhere: with 64, requests wait mostly for each other. */
const CONNECTIONS = 16;

/** The 99th percentile of reads by id while something else goes on / without it, in turn. */
export async function whileDisturbed(bench: Bench, disturbance: Disturbance): Promise<Rounds> {
  const { origin, highestId, cores, client } = disturbance;
  const p99 = async (seconds: number, mayStarve = false) =>
    (await load(origin, readsOf(highestId), { seconds, cores, connections: CONNECTIONS, mayStarve })).p99Ms;
  return inTurn(bench, {
    unit: 'ms',
    theirs: (seconds) => p99(seconds),
    ours: async (seconds) => {
      const disturbing = await startClient(...client(), cores);
      const result = await p99(seconds, true);
      await disturbing.stop();
      // That something went on is checked as well: a client that failed has no result.
      await disturbing.result();
      return result;
    },
  });
}
