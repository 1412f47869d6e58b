import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lifetime } from '../test/support/lifetime.ts';
import { freePort } from '../test/support/postgres-folder.ts';
import { temporaryFolder } from '../test/support/service.ts';

const PRISM = join(import.meta.dirname, 'node_modules/@stoplight/prism-cli/dist/index.js');

/** So long it may take to read the document. */
const START_MS = 60_000;

export interface Prism {
  origin: string;
  /** What it has found wrong so far, in its own words. */
  violations(): readonly string[];
}

/** Prism between clients and a service: it holds what goes either way against a document. */
export async function startPrism(t: Lifetime, document: object, upstream: string): Promise<Prism> {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'document.json');
  await writeFile(file, JSON.stringify(document));
  const port = await freePort();
  const args = [
    PRISM,
    'proxy',
    file,
    upstream,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--verboseLevel',
    'debug',
  ];
  const prism = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(prism, 'exit');
  t.after(async () => {
    prism.kill();
    await exited;
  });
  let log = '';
  for (const stream of [prism.stdout, prism.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const origin = `http://127.0.0.1:${port}`;
  for (const until = Date.now() + START_MS; !(await isListening(port)); await delay(100))
    if (Date.now() > until || prism.exitCode !== null) throw new Error(`Prism does not start:\n${log.slice(-2000)}`);
  return { origin, violations: () => log.split('\n').filter((line) => /violation/i.test(line)) };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}
