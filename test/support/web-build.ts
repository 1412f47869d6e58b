import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

let building: Promise<string> | undefined;

/**
 * Builds the web application if it is missing or older than its sources. Safe to call from several test processes
 * concurrently.
 *
 * @returns the folder of the build
 */
export async function ensureWebBuilt(): Promise<string> {
  // A promise for each caller, as in shared-postgres.ts.
  const folder = await (building ??= buildIfStale());
  return folder;
}

async function buildIfStale(): Promise<string> {
  const child = spawn(process.execPath, ['scripts/build-web.ts', '--if-stale'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The web application could not be built.\n${output}`);
  return fileURLToPath(new URL('../../dist/web', import.meta.url));
}
