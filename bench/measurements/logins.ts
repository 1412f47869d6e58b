import { whileDisturbed } from './latency.ts';
import type { Measurement } from './measurement.ts';
import { serverOnAllCores } from './pictures.ts';

const LOGINS_AT_ONCE = 50;

export const LOGINS: readonly Measurement[] = [
  {
    name: 'login-latency',
    title: () => 'p99 of pet by id during a flood of wrong passwords / without',
    claim: { atMost: 4, reachFor: 2 },
    run: async (bench) => {
      // In open access, where no address is made to wait: nothing keeps the flood from the hashing.
      const { origin } = await serverOnAllCores(bench);
      return whileDisturbed(bench, {
        origin,
        highestId: bench.scale.medium,
        cores: 'all cores',
        client: () => ['login-client.ts', [origin, String(LOGINS_AT_ONCE)]],
      });
    },
  },
];
