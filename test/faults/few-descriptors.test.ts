import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { limitFiles, skipWithoutPrlimit } from '../support/limited-disk.ts';
import { runMenagerie, startServer } from '../support/menagerie-process.ts';
import { bearer, logIn, PASSWORDS } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const options = { skip: process.platform === 'linux' ? skipWithoutPrlimit : 'the limit is that of Linux' };

const RUNNING = /"running":\{|"state":"running"/;

void test(
  'no file descriptors left: a check and a backup fail with the reason, and work afterwards',
  options,
  async (t) => {
    const folder = await temporaryFolder(t);
    const dataDir = join(folder, 'data');
    const create = ['user', 'create', 'root', '--role', 'admin', '--data-dir', dataDir];
    await runMenagerie(t, create, { input: PASSWORDS['root'] ?? '' });
    const { base, child } = await startServer(t, dataDir, ['--empty', '--backup-to', join(folder, 'backups')]);
    const call = clientOf(base);
    const headers = bearer(await logIn(call, 'root'));
    const ask = async (method: string, path: string) => {
      const { status, text } = await call(method, path, { headers });
      assert.ok(status < 300, text);
      return text;
    };
    await ask('GET', 'admin/health');
    const pid = child.pid ?? assert.fail();
    for (const path of ['admin/health', 'admin/backups'])
      for (const further of [0, 1, 2, 4]) {
        limitFiles(pid, further);
        // A backup is refused already if its folder cannot be opened.
        const { status, text } = await call('POST', path, { headers });
        if (status >= 300) assert.match(text, /too many open files/);
        else await until('it ended', async () => !RUNNING.test((await call('GET', path, { headers })).text));
        limitFiles(pid, Infinity);
        if (further === 0) assert.match(text + (await ask('GET', path)), /too many open files/);
        await ask('POST', path);
        const success = path === 'admin/health' ? '"healthy":true' : '"state":"finished"';
        await until('it succeeded', async () => (await ask('GET', path)).includes(success));
      }
  },
);

void test('few file descriptors left at the start: searches wait until there are some', options, async (t) => {
  // The thread needs about seven, and fails in another way for each number below.
  for (let further = 0; further < 8; further++) {
    const server = await startServer(t, await temporaryFolder(t), []);
    const call = clientOf(server.base);
    assert.equal((await call('GET', 'pet/1')).status, 200);
    // The thread of the search starts a second after the service, or with the first search.
    const pid = server.child.pid ?? assert.fail();
    limitFiles(pid, further);
    for (let search = 0; search < 2; search++) {
      const { status, text } = await call('GET', 'pet?text=luna');
      if (status !== 200) assert.match(text, /^\{"code":1,"type":"error","message":"The search cannot /);
    }
    limitFiles(pid, Infinity);
    await until('the search responds', async () => (await call('GET', 'pet?text=luna')).status === 200);
    await server.end('SIGTERM');
  }
});
