import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { clientOf, type HttpResponse } from '../support/client.ts';
import { until } from '../support/kept-log.ts';
import {
  failingFsync,
  liftFileLimit,
  mountSmallDisk,
  nodeWithFileLimit,
  skipWithoutBash,
  skipWithoutCompiler,
  skipWithoutMount,
  skipWithoutPrlimit,
} from '../support/limited-disk.ts';
import { startServer, type RunningServer } from '../support/menagerie-process.ts';
import { fileUpload } from '../support/multipart.ts';
import { outputOf, runCommand } from '../support/operator-commands.ts';
import { uploaded } from '../support/pet-photos.ts';
import { makePhoto } from '../support/photos.ts';
import { temporaryFolder } from '../support/service.ts';

/* Disks that accept no writes: the log has the cause once, and readiness follows. */

const photoUrls = Array.from({ length: 100 }, () => `https://example.org/${'x'.repeat(2000)}`);

interface LogLine {
  level: number;
  msg: string;
}

function logged({ written }: RunningServer, pattern: RegExp): readonly LogLine[] {
  const lines = written.stderr.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as LogLine).filter(({ msg }) => pattern.test(msg));
}

async function readinessOf({ origin }: RunningServer): Promise<number> {
  return (await fetch(`${origin}/readyz`)).status;
}

/** Returns the first response with this status. */
async function changeUntil(server: RunningServer, status: number): Promise<HttpResponse> {
  const call = clientOf(server.base);
  for (let count = 0; count < 1000; count++) {
    const response = await call('POST', 'pet', { json: { name: 'Rex', photoUrls } });
    if (response.status === status) return response;
    assert.equal(response.status, 200, response.text);
  }
  return assert.fail(`no response with ${status}`);
}

/** Changes fail until the cause is removed; readiness recovers without another change. */
async function assertNoticed(server: RunningServer, reason: RegExp, mend: () => void): Promise<HttpResponse> {
  const refusal = await changeUntil(server, 503);
  const call = clientOf(server.base);
  await until('readiness fails', async () => {
    await call('POST', 'pet', { json: { name: 'Rex', photoUrls } });
    return (await readinessOf(server)) === 503;
  });
  const [line, ...others] = logged(server, /changes cannot be stored/);
  assert.match(line?.msg ?? '', reason);
  assert.equal(line?.level, 50);
  assert.deepEqual(others, []);
  mend();
  await until('readiness recovers', async () => (await readinessOf(server)) === 200);
  assert.equal((await call('POST', 'pet', { json: { name: 'Rex' } })).status, 200);
  await until('the end is logged', () => logged(server, /changes are stored again/).length === 1);
  return refusal;
}

async function startOn(t: TestContext, dataDir: string, node?: string): Promise<RunningServer> {
  return startServer(t, dataDir, ['--empty'], node === undefined ? {} : { node });
}

void describe('failing disks', { concurrency: true }, () => {
  void it(
    'failing disk: a change may have been made; the cause is logged once; readiness fails, and recovers with the disk',
    { skip: skipWithoutBash || skipWithoutPrlimit },
    async (t) => {
      const dataDir = await temporaryFolder(t);
      await (await startOn(t, dataDir)).end('SIGTERM');
      const server = await startOn(t, dataDir, await nodeWithFileLimit(t, 1024));
      const { headers, text } = await assertNoticed(server, /the disk fails \(write, SQLite code 778\)/, () =>
        liftFileLimit(server.child.pid ?? 0),
      );
      assert.equal(headers.get('retry-after'), '2');
      assert.equal(
        (JSON.parse(text) as { message: string }).message,
        'The database did not confirm the change, but it may have been made. Check before you retry.',
      );
      assert.equal((await server.end('SIGTERM')).code, 0);
      await changeUntil(await startOn(t, dataDir), 200);
    },
  );

  void it(
    'failing fsync: the cause is logged once; readiness fails, and recovers with the disk',
    { skip: skipWithoutCompiler },
    async (t) => {
      const dataDir = await temporaryFolder(t);
      const flag = join(dataDir, 'fsync-fails');
      const environment = { LD_PRELOAD: await failingFsync(t), FSYNC_FAILS: flag };
      const server = await startServer(t, dataDir, ['--empty'], { environment });
      writeFileSync(flag, '');
      await assertNoticed(server, /the disk fails \(fsync, SQLite code 1034\)/, () => rmSync(flag));
    },
  );

  void it('full disk: the cause is logged, and readiness follows', { skip: skipWithoutMount }, async (t) => {
    const disk = await mountSmallDisk(t, 4);
    const server = await startOn(t, disk.folder);
    await assertNoticed(server, /: the disk is full$/, () => disk.remount('size=64m'));
  });

  void it(
    'full disk: uploads and photo sizes get 507, and the cause is logged once',
    { skip: skipWithoutMount },
    async (t) => {
      const disk = await mountSmallDisk(t, 16);
      const server = await startOn(t, disk.folder);
      const call = clientOf(server.base);
      const photo = await uploaded(call, await makePhoto({ width: 900, height: 700 }));
      const photoBytes = await makePhoto({ width: 900, height: 700, seed: 2 });
      await fillDisk(disk.folder);
      for (let attempt = 0; attempt < 5; attempt++) {
        const refused = [
          await call('GET', `${photo}/small`),
          await call('POST', 'pet/1001/uploadImage', fileUpload(photoBytes)),
        ];
        for (const { status, text } of refused) {
          assert.equal(status, 507, text);
          assert.equal(
            text,
            '{"code":1,"type":"error","message":"Not enough storage for the photo. Try again later."}',
          );
        }
      }
      assert.equal(
        logged(server, /photos cannot be stored or read: the disk is full/).length,
        1,
        server.written.stderr,
      );
      assert.equal(logged(server, /unexpected/).length, 0, server.written.stderr);
      disk.remount('size=64m');
      assert.equal((await call('GET', `${photo}/small`)).status, 200);
      assert.equal((await call('POST', 'pet/1001/uploadImage', fileUpload(photoBytes))).status, 200);
      await until('the end is logged', () => logged(server, /photos are stored again/).length === 1);
    },
  );
});

void describe('read-only disk', { skip: skipWithoutMount }, () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    void it(`is backed up with all that was acknowledged, after ${signal}`, async (t) => {
      const [disk, folder] = [await mountSmallDisk(t, 16), await temporaryFolder(t)];
      const server = await startOn(t, disk.folder);
      const call = clientOf(server.base);
      const photo = await uploaded(call, await makePhoto({ width: 300, height: 200 }));
      await server.end(signal);
      disk.remount('ro');
      for (const place of [join(folder, 'place'), join(folder, 'pets.tar')]) {
        outputOf(await runCommand(['backup', place, '--data-dir', disk.folder]));
        const restored = join(folder, `restored-${place.endsWith('.tar') ? 'file' : 'folder'}`);
        outputOf(await runCommand(['restore', place, '--data-dir', restored]));
        const other = await startServer(t, restored, ['--empty']);
        assert.equal((await fetch(other.origin + new URL(photo).pathname)).status, 200);
        await other.end('SIGTERM');
      }
    });
});

/** Fills the disk to the last block. */
async function fillDisk(folder: string): Promise<void> {
  const file = await open(join(folder, 'filler'), 'w');
  try {
    for (const size of [1024 * 1024, 4096]) {
      const block = Buffer.alloc(size);
      for (let isRoom = true; isRoom;)
        isRoom = await file.write(block).then(
          ({ bytesWritten }) => bytesWritten === size,
          (error: { code: string }) => {
            assert.equal(error.code, 'ENOSPC');
            return false;
          },
        );
    }
  } finally {
    await file.close();
  }
}
