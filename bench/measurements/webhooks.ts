import { createReader, logIn } from '../tools/reader.ts';
import { runScript } from '../tools/servers.ts';
import { inTurn, type Bench, type Measurement, type Rounds } from '../tools/measurement.ts';

/* Deliveries to a webhook whose receiver answers in 5 ms, which shares the load core with the client. */

/** Deliveries of a round. */
const BACKLOG = 3000;

/** Of ten seconds. */
const CHANGES = 2000;

const ROUNDS = 5;

interface ClientResult {
  rate: number;
  p99Ms: number;
}

export const WEBHOOKS = webhookMeasurements('', false);
export const POSTGRES_WEBHOOKS = webhookMeasurements('postgres-', true);

function webhookMeasurements(prefix: string, isOnPostgres: boolean): readonly Measurement[] {
  return [
    {
      name: `${prefix}webhooks`,
      title: () => 'deliveries/s of a backlog to a webhook / by a bare client, 16 at a time',
      claim: { atLeast: 0.3, reachFor: 0.5 },
      run: (bench) => measureBacklog(bench, isOnPostgres),
    },
    {
      name: `${prefix}webhook-delay`,
      title: () => 'p99 from a change to its delivery, at 200 changes/s',
      claim: { atMost: 2000, reachFor: 1000 },
      run: (bench) => measureDelay(bench, isOnPostgres),
    },
  ];
}

async function measureBacklog(bench: Bench, isOnPostgres: boolean): Promise<Rounds> {
  const service = await startService(bench, isOnPostgres);
  return inTurn(bench, {
    unit: '/s',
    rounds: ROUNDS,
    ours: async () => (await runClient([...service, 'backlog', String(BACKLOG)])).rate,
    theirs: async () => (await runClient(['-', '-', 'bare', String(BACKLOG)])).rate,
  });
}

async function measureDelay(bench: Bench, isOnPostgres: boolean): Promise<Rounds> {
  const service = await startService(bench, isOnPostgres);
  const ours: number[] = [];
  while (ours.length < ROUNDS) ours.push((await runClient([...service, 'steady', String(CHANGES)])).p99Ms);
  return { unit: 'ms', ours };
}

/** @returns the origin and the cookie of an administrator */
async function startService(bench: Bench, isOnPostgres: boolean): Promise<readonly [string, string]> {
  const { catalogues, checkout, postgres, scale, servers } = bench;
  const place = isOnPostgres
    ? (await postgres.database(0, 'webhooks')).node('one')
    : ([await catalogues.own(scale.small, 'webhooks'), []] as const);
  const [folder, flags] = place;
  createReader(folder, checkout, flags);
  const secured = ['--access', 'secured', '--webhook-private-addresses', ...flags];
  const { origin } = await servers.menagerie(folder, secured, isOnPostgres ? 'all cores' : 'server core');
  return [origin, await logIn(origin)];
}

function runClient(args: readonly string[]): Promise<ClientResult> {
  return runScript('bench/clients/webhook-client.ts', args, 'load core');
}
