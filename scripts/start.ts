import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isWebBuilt } from './web-stamp.ts';

/* `npm start`: builds the web application if it is missing or outdated, and serves. */

if (!isWebBuilt()) await build();
process.argv.splice(2, 0, 'serve');
await import('../src/cli/menagerie.js');

/**
 * Builds in a separate process, to keep the memory of the service small. The service starts even if the build fails.
 */
async function build(): Promise<void> {
  if (!existsSync(join(import.meta.dirname, '../node_modules/vite'))) {
    console.error(
      'The build tools of the web application are not installed. Run "npm ci" without --omit=dev to install them.',
    );
    return;
  }
  const script = join(import.meta.dirname, 'build-web.ts');
  // The build ends when the channel closes: when this process ends.
  const builder = spawn(process.execPath, [script, '--if-stale'], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  // Rejects if the process cannot be started.
  const [code] = await once(builder, 'exit').catch(() => [1]);
  if (code !== 0) console.error('Building the web application failed. The service starts without a new build.');
}
