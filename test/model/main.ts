import { parseArgs } from 'node:util';
import { Place } from './place.ts';
import { disagreementOf } from './seeds.ts';

/*
 * `npm run model -- --seed N --runs M` compares the service with the model, from this seed on: as many runs as it says,
 * by default one, or until the first disagreement. With `--nodes K`, the service is K nodes on PostgreSQL. With `--kill`,
 * it is a process that is killed.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    runs: { type: 'string', default: '1' },
    nodes: { type: 'string' },
    kill: { type: 'boolean', default: false },
  },
});
/** Logins of 15 minutes ago may not change roles. */
const PLACE_MS = 600_000;

const first = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000));
const beganMs = performance.now();
const { nodes, kill: kills } = values;
const options = { kills, ...(nodes !== undefined && { nodes: Number(nodes) }) };
for (let seed = first; seed < first + Number(values.runs) && process.exitCode === undefined;)
  seed = await runFrom(seed);

/** Runs as long as the logins of one place may change roles. @returns the next seed */
async function runFrom(from: number): Promise<number> {
  const ends: (() => Promise<void>)[] = [];
  const untilMs = performance.now() + PLACE_MS;
  try {
    const place = await Place.prepare({ after: (end) => void ends.unshift(end) }, options);
    let seed = from;
    while (seed < first + Number(values.runs) && performance.now() < untilMs && process.exitCode === undefined) {
      const message = await disagreementOf(place, seed, reportFound);
      process.stdout.write(message === undefined ? `${seed} agrees\n` : `${message}\n`);
      if (message !== undefined) process.exitCode = 1;
      seed++;
    }
    return seed;
  } finally {
    for (const end of ends) await end();
  }
}

function reportFound(message: string): void {
  const seconds = Math.round((performance.now() - beganMs) / 1000);
  const [reason] = message.split('\n\n');
  process.stdout.write(`A disagreement after ${seconds} s. Leaving out steps that it does not need ...\n${reason}\n\n`);
}
