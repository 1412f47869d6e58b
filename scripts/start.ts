import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isBundled } from '../src/cli/build-stamp.js';
import { isWebBuilt } from './web-stamp.ts';

/* `npm start`: builds the server and the web application if they are missing or outdated, and serves. */

const outdated = [
  ...(isBundled() ? [] : [['build-bundle.ts', 'Building the server failed. The service starts from its sources.']]),
  ...(isWebBuilt()
    ? []
    : [['build-web.ts', 'Building the web application failed. The service starts without a new build.']]),
] as const;
if (outdated.length > 0 && !existsSync(join(import.meta.dirname, '../node_modules/vite')))
  console.error('The build tools are not installed. Run "npm ci" without --omit=dev to install them.');
else for (const [script = '', failure] of outdated) if (!(await build(script))) console.error(failure);
process.argv.splice(2, 0, 'serve');
await import('../src/cli/menagerie.js');

/** Builds in a separate process, to keep the memory of the service small. */
async function build(script: string): Promise<boolean> {
  // The build ends when the channel closes: when this process ends.
  const builder = spawn(process.execPath, [join(import.meta.dirname, script), '--if-stale'], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  // Rejects if the process cannot be started.
  const [code] = await once(builder, 'exit').catch(() => [1]);
  return code === 0;
}
