import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { clientOf } from '../support/client.ts';
import { assertNotStarted, runMenagerie, startPendingServer, startServer } from '../support/menagerie-process.ts';
import { PASSWORDS } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';

/* `menagerie serve` as a process: one test of each kind. serve.test.ts has the variants. */

void describe('menagerie serve', { concurrency: 2 }, () => {
  void it('start: prints addresses, data folder, access mode and version once it is ready', async (t) => {
    const dataDir = join(await temporaryFolder(t), 'new', 'data');
    const server = await startServer(t, dataDir);
    for (const path of ['readyz', 'livez']) assert.equal((await fetch(`${server.origin}/${path}`)).status, 200);
    const { code, stdout } = await server.end('SIGTERM');
    assert.equal(code, 0);
    assert.match(server.origin, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    const lines = stdout.split('\n');
    assert.deepEqual(lines.slice(0, 5), [
      `Web application  ${server.origin}/`,
      `API              ${server.origin}/v2`,
      `Documentation    ${server.origin}/docs`,
      `Data             ${dataDir}`,
      'Access           open (no credentials, this machine only)',
    ]);
    assert.match(lines[5] ?? '', /^Version {10}\d+\.\d+\.\d+$/);
    assert.deepEqual(lines.slice(6), ['']);
  });

  void it('port in use: does not start and adds no samples', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const dataDir = await temporaryFolder(t);
    const ended = await runMenagerie(t, ['serve', '--port', `${port}`, '--data-dir', dataDir]);
    assertNotStarted(ended, new RegExp(`Port ${port} .*in use.*--port`));
    const next = await startServer(t, dataDir, ['--empty']);
    const { status } = await clientOf(next.base)('GET', 'pet/1');
    assert.equal(status, 404, 'the start that failed left no samples behind');
  });

  void it('data folder in use by another server: does not start, and the other server continues', async (t) => {
    const dataDir = await temporaryFolder(t);
    const call = clientOf((await startServer(t, dataDir)).base);
    await call('POST', 'pet', { json: { name: 'Here' } });
    assertNotStarted(await runMenagerie(t, ['serve', '--port', '0', '--data-dir', dataDir]), /using this data folder/);
    assert.equal((await call('GET', 'pet/1')).status, 200);
    assert.equal((await call('POST', 'pet', { json: { name: 'And there' } })).status, 200);
  });

  void it('SIGTERM: exit code 0, and the next start has the data', async (t) => {
    const dataDir = await temporaryFolder(t);
    const server = await startServer(t, dataDir, []);
    const { text } = await clientOf(server.base)('POST', 'pet', { json: { name: 'Rex' } });
    const { code, signal, stderr } = await server.end('SIGTERM');
    assert.deepEqual([code, signal], [0, null]);
    assert.match(stderr, /"msg":"stopped"/);
    const call = clientOf((await startServer(t, dataDir, [])).base);
    assert.equal((await call('GET', 'pet/21')).text, text);
    assert.equal((await call('GET', 'pet/22')).status, 404, 'the samples are added once');
  });

  void it('--empty=false after an account was created: adds the sample pets', async (t) => {
    const dataDir = await temporaryFolder(t);
    const flags = ['--role', 'admin', '--data-dir', dataDir];
    await runMenagerie(t, ['user', 'create', 'ada', ...flags], { input: PASSWORDS['root'] ?? '' });
    const unchanged = await startServer(t, dataDir, []);
    assert.equal((await clientOf(unchanged.base)('GET', 'pet/1')).status, 404);
    await unchanged.end('SIGTERM');
    const { base } = await startServer(t, dataDir, [], { environment: { MENAGERIE_EMPTY: 'false' } });
    assert.equal((await clientOf(base)('GET', 'pet/1')).status, 200);
    assert.equal((await clientOf(base)('GET', 'user/vera')).status, 404, 'no sample accounts beside own ones');
  });

  void it('secured access without an administrator: serves the setup page only', async (t) => {
    const { origin, written } = await startPendingServer(t, await temporaryFolder(t), ['--empty']);
    assert.equal((await fetch(`${origin}/v2/pet/1`)).status, 503);
    assert.match(written.stdout, /^Or run +npx menagerie user create /m);
  });
});
