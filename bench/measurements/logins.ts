import { readsOf } from '../tools/load.ts';
import { whileDisturbed } from './latency.ts';
import type { Bench, Measurement, Rounds } from '../tools/measurement.ts';
import { serverOnAllCores } from './photos.ts';

const CONCURRENT_LOGINS = 50;

export const LOGINS: readonly Measurement[] = [
  {
    name: 'login-latency',
    title: () => 'p99 of pet by id during a flood of wrong passwords / without',
    claim: { atMost: 4, reachFor: 2 },
    run: whileLoggingIn,
  },
];

async function whileLoggingIn(bench: Bench): Promise<Rounds> {
  // Open access does not throttle addresses, so every attempt is hashed.
  const { origin } = await serverOnAllCores(bench);
  return whileDisturbed(bench, {
    origin,
    what: readsOf(bench.scale.medium),
    cores: 'all cores',
    client: () => ['login-client.ts', [origin, String(CONCURRENT_LOGINS)]],
  });
}
