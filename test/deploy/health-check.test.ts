import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '../support/service.ts';

const CHECK = resolve(import.meta.dirname, '../../deploy/health-check.js');

/** The port of a server that is ready, on this address only. */
async function startReadyServer(t: TestContext, host: string): Promise<number> {
  const server = createServer(({ url }, response) => response.writeHead(url === '/readyz' ? 200 : 404).end());
  server.listen(0, host);
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

function check(args: readonly string[], env: Readonly<Record<string, string>>): Promise<unknown> {
  return new Promise((done) => {
    execFile(process.execPath, [CHECK, ...args], { env }, (error) => done(error?.code ?? 0));
  });
}

void describe('health check of the container', () => {
  void it('finds the port in a flag, a variable, a file, a credential or the config file', async (t) => {
    const port = await startReadyServer(t, '127.0.0.1');
    const folder = await temporaryFolder(t);
    const secret = join(folder, 'menagerie.port');
    await writeFile(secret, `${port}\n`);
    const toml = join(folder, 'menagerie.toml');
    await writeFile(toml, `# Ours\nhost = '0.0.0.0'\n"port" = ${port} # free\n[providers.a]\nport = 1\n`);
    const wrong = { MENAGERIE_PORT: '1' };
    const ready: [args: readonly string[], env: Readonly<Record<string, string>>][] = [
      [['--port', String(port)], wrong],
      [[`--port=${port}`], wrong],
      [[], { MENAGERIE_PORT: String(port), MENAGERIE_CONFIG: '/none' }],
      [[], { MENAGERIE_PORT_FILE: secret }],
      [[], { CREDENTIALS_DIRECTORY: folder }],
      [[], { MENAGERIE_DATA_DIR: folder }],
      [[], { MENAGERIE_DATA_DIR: folder, MENAGERIE_PORT: 'tcp://10.96.3.7:1' }],
      [[], { MENAGERIE_CONFIG: toml, MENAGERIE_HOST: '0.0.0.0' }],
      [['--config', toml], {}],
      [['--data-dir', folder], {}],
    ];
    for (const [args, env] of ready) assert.equal(await check(args, env), 0, JSON.stringify([args, env]));
    for (const [args, env] of [
      [[], wrong],
      [['--data-dir', folder], wrong],
      [['--port', '1', '--data-dir', folder], {}],
    ] as const)
      assert.equal(await check(args, env), 1, JSON.stringify([args, env]));
  });

  void it('connects to the address on which the service listens', async (t) => {
    const port = String(await startReadyServer(t, '127.0.0.2'));
    assert.equal(await check([], { MENAGERIE_HOST: '127.0.0.2', MENAGERIE_PORT: port }), 0);
    assert.equal(await check([], { MENAGERIE_PORT: port }), 1);
  });
});
