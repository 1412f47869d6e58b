import { parseArgs } from 'node:util';
import { newSecuredFolder } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { preparePlace } from './run.ts';
import { disagreementOf } from './seeds.ts';

/*
 * `npm run model -- --seed N --runs M` compares the service with the model, from this seed on: as many runs as it says,
 * by default one, or until the first disagreement.
 */

const { values } = parseArgs({ options: { seed: { type: 'string' }, runs: { type: 'string', default: '1' } } });
const first = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000));
const beganMs = performance.now();
const folder = await newSecuredFolder();
try {
  const place = await preparePlace(folder);
  for (let seed = first; seed < first + Number(values.runs); seed++) {
    const message = await disagreementOf(place, seed, reportFound);
    process.stdout.write(message === undefined ? `${seed} agrees\n` : `${message}\n`);
    if (message !== undefined) {
      process.exitCode = 1;
      break;
    }
  }
} finally {
  await removeFolder(folder);
}

function reportFound(message: string): void {
  const seconds = Math.round((performance.now() - beganMs) / 1000);
  const [reason] = message.split('\n\n');
  process.stdout.write(`A disagreement after ${seconds} s. Leaving out steps that it does not need ...\n${reason}\n\n`);
}
