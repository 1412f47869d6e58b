import { parseArgs } from 'node:util';
import { Place } from './place.ts';
import { disagreementOf } from './seeds.ts';

/*
 * `npm run model -- --seed N --runs M` compares the service with the model, from this seed on: as many runs as it says,
 * by default one, or until the first disagreement. With `--nodes K`, the service is K nodes on PostgreSQL.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    runs: { type: 'string', default: '1' },
    nodes: { type: 'string', default: '0' },
  },
});
const first = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000));
const beganMs = performance.now();
const ends: (() => Promise<void>)[] = [];
try {
  const place = await Place.prepare({ after: (end) => void ends.unshift(end) }, Number(values.nodes));
  for (let seed = first; seed < first + Number(values.runs); seed++) {
    const message = await disagreementOf(place, seed, reportFound);
    process.stdout.write(message === undefined ? `${seed} agrees\n` : `${message}\n`);
    if (message !== undefined) {
      process.exitCode = 1;
      break;
    }
  }
} finally {
  for (const end of ends) await end();
}

function reportFound(message: string): void {
  const seconds = Math.round((performance.now() - beganMs) / 1000);
  const [reason] = message.split('\n\n');
  process.stdout.write(`A disagreement after ${seconds} s. Leaving out steps that it does not need ...\n${reason}\n\n`);
}
