import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { NEW_PET } from './new-pet.ts';
import {
  CONNECTIONS,
  hasWrk,
  load,
  residentBytes,
  runMenagerie,
  startServer,
  type Cores,
  type Load,
  type RunningServer,
} from './processes.ts';

/*
 * `npm run bench`: how fast Menagerie is, as ratios to a bare server in the same run. Machines differ and are noisy; a ratio of two
 * servers that took turns says more than any number of requests.
 */

const isQuick = process.argv.includes('--quick');
// Many short rounds rather than a few long ones: a machine that is slow for a while is so for both of a pair, and the median passes it over.
const ROUNDS = isQuick ? 7 : 15;
const SECONDS = isQuick ? 1 : 3;
const READ_PETS = isQuick ? 20_000 : 100_000;
const LISTED_PETS = isQuick ? 60_000 : 300_000;

/** Who reads in secured access. The account is there as long as the bench runs. */
const READER = { username: 'reader', password: `bench reader ${crypto.randomUUID()}` };

/** A server, and what it is loaded with. */
interface Measured {
  server: RunningServer;
  what: Load;
}

const folder = await mkdtemp(join(tmpdir(), 'menagerie-bench-'));
const servers: RunningServer[] = [];
try {
  console.log(
    `${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}, load by ${hasWrk ? 'wrk' : 'autocannon'}`,
  );
  await measure('one');
  await measure('all');
  await listMemory();
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  await rm(folder, { recursive: true, force: true });
}

async function measure(cores: Cores): Promise<void> {
  console.log(cores === 'one' ? '\nthe server on one core, the load on another' : '\nserver and load on all cores');
  const dataDir = join(folder, cores);
  const bare = await start('bench/bare-server.ts', [], cores);
  const menagerie = await start(
    'src/cli/menagerie.js',
    ['serve', '--port', '0', '--data-dir', dataDir, '--empty', '--log-level', 'warn'],
    cores,
  );
  await fill(menagerie, READ_PETS);
  const reads = { kind: 'get', highestId: READ_PETS } as const;
  await compare(
    'read by id / bare fixed body',
    { server: menagerie, what: reads },
    { server: bare, what: reads },
    0.55,
  );
  const writes = { kind: 'post' } as const;
  const [ours, theirs] = [
    { server: menagerie, what: writes },
    { server: bare, what: writes },
  ];
  await compare('durable new pet / bare parse and echo', ours, theirs, 0.35);
  await Promise.all([bare.stop(), menagerie.stop()]);

  runMenagerie(['user', 'create', READER.username, '--role', 'admin', '--data-dir', dataDir], READER.password);
  const secured = await start(
    'src/cli/menagerie.js',
    ['serve', '--port', '0', '--data-dir', dataDir, '--access', 'secured', '--log-level', 'warn'],
    cores,
  );
  const withSession = { ...reads, cookie: await logIn(secured) };
  const [known, unknown] = [
    { server: secured, what: withSession },
    { server: secured, what: reads },
  ];
  await compare('read by id, secured, with a session / without', known, unknown, 0.85);
  await secured.stop();

  /** Both in turn, A B A B; the median of the ratios of neighbours. */
  async function compare(title: string, ours: Measured, other: Measured, atLeast: number): Promise<void> {
    const once = ({ server, what }: Measured, seconds: number) => load(server.origin, seconds, what, cores);
    // Once each without counting, so that both have compiled what is hot.
    await once(other, 1);
    await once(ours, 1);
    const ratios: number[] = [];
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const theirs = await once(other, SECONDS);
      const own = await once(ours, SECONDS);
      if (theirs.errors + own.errors > 0) throw new Error(`${title}: ${own.errors} answers were errors.`);
      ratios.push(own.perSecond / theirs.perSecond);
      rates.push(own.perSecond);
    }
    const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    const rate = Math.round(median(rates)).toLocaleString('en');
    console.log(
      `${title}: ${median(ratios).toFixed(2)} (${spread}; ${rate}/s, ${CONNECTIONS} connections; wanted: ${atLeast})`,
    );
  }
}

/** Logs in, and gives the cookie as a browser sends it. */
async function logIn({ origin }: RunningServer): Promise<string> {
  const response = await fetch(`${origin}/v2/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(READER),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error('The reader could not log in.');
  return cookie;
}

async function start(script: string, args: readonly string[], cores: Cores): Promise<RunningServer> {
  const server = await startServer(script, args, cores);
  servers.push(server);
  return server;
}

/** Adds pets until there are so many in all. */
async function fill({ origin }: RunningServer, total: number): Promise<void> {
  const known = await countPets(origin);
  if (known >= total) return;
  process.stdout.write(`filling up to ${total.toLocaleString('en')} pets ... `);
  const { non2xx } = await autocannon({
    url: `${origin}/v2/pet`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: NEW_PET,
    connections: CONNECTIONS,
    amount: total - known,
  });
  if (non2xx > 0) throw new Error(`${non2xx} pets were not taken.`);
  console.log('done');
}

/** Ids are assigned upwards without a gap here, so the last one is the count. */
async function countPets(origin: string): Promise<number> {
  let [low, high] = [0, 16_777_216];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const { ok } = await fetch(`${origin}/v2/pet/${middle}`, { method: 'HEAD' });
    if (ok) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** How much memory a complete list takes while it is on its way to a client. */
async function listMemory(): Promise<void> {
  const args = ['serve', '--port', '0', '--data-dir', join(folder, 'list'), '--empty', '--log-level', 'warn'];
  const filled = await start('src/cli/menagerie.js', args, 'all');
  console.log('');
  await fill(filled, LISTED_PETS);
  await filled.stop();
  // Started anew, so that what the filling took does not hide what the list takes.
  const { origin, pid } = await start('src/cli/menagerie.js', args, 'all');
  await fetch(`${origin}/v2/pet/1`);
  const before = await residentBytes(pid);
  let highest = before;
  const response = await fetch(`${origin}/v2/pet/findByStatus?status=available`);
  let bytes = 0;
  let looked = 0;
  const started = performance.now();
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).byteLength;
    if (performance.now() - looked < 50) continue;
    looked = performance.now();
    highest = Math.max(highest, await residentBytes(pid));
  }
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `listing ${LISTED_PETS.toLocaleString('en')} pets: memory grew by ${mib(highest - before)} MiB from ${mib(before)} MiB (${mib(bytes)} MiB in ${seconds.toFixed(1)} s; wanted: below 64)`,
  );
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
