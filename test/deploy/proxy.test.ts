import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';
import { freePort } from '../support/postgres-folder.ts';

const CADDYFILE = join(import.meta.dirname, '../../deploy/Caddyfile');
const skip = spawnSync('caddy', ['version']).error !== undefined && 'caddy is not installed';

/**
 * Responds to every request with its name. Without `node:http`, whose responses are checked against the API documents.
 */
async function startNode(t: Lifetime, name: string): Promise<{ server: Server; address: string }> {
  const response = `HTTP/1.1 200 OK\r\nX-Node: ${name}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(async () => void server.close());
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The names of the nodes that respond. */
async function nodesOf(url: string): Promise<ReadonlySet<string | null>> {
  const responses = await Promise.all(Array.from({ length: 30 }, () => fetch(url)));
  return new Set(responses.map(({ headers }) => headers.get('x-node')));
}

void test(
  'proxy: a client gets pages and their scripts from one node, and API responses from all',
  { skip },
  async (t) => {
    const nodes = [await startNode(t, 'one'), await startNode(t, 'two')];
    const origin = `http://127.0.0.1:${await freePort()}`;
    const folder = await temporaryFolder(t);
    const config = join(folder, 'Caddyfile');
    await writeFile(config, (await readFile(CADDYFILE, 'utf8')).replace(':8081', `:${await freePort()}`));
    const proxy = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
      env: {
        HOME: folder,
        MENAGERIE_PUBLIC_URL: origin,
        NODES: nodes.map(({ address }) => address).join(' '),
        PATH: process.env['PATH'],
      },
      stdio: 'ignore',
    });
    t.after(async () => {
      proxy.kill('SIGKILL');
      await once(proxy, 'close');
    });
    await until('the proxy responds', async () => (await fetch(origin).catch(() => undefined))?.ok === true);
    const [first, ...others] = await nodesOf(`${origin}/`);
    assert.deepEqual(others, []);
    assert.deepEqual(await nodesOf(`${origin}/assets/main-abc.js`), new Set([first]));
    assert.deepEqual(await nodesOf(`${origin}/v2/example`), new Set(['one', 'two']));
    const { server } = nodes[first === 'one' ? 0 : 1] ?? assert.fail();
    server.close();
    assert.deepEqual(await nodesOf(`${origin}/assets/main-abc.js`), new Set([first === 'one' ? 'two' : 'one']));
  },
);
