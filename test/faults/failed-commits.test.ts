import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { startServer } from '../support/menagerie-process.ts';
import { temporaryFolder } from '../support/service.ts';

/* If the disk fails during a commit of SQLite, it is unknown whether the change is stored. */

/** In KiB: larger than an empty database, and reached by the changes below. */
const MAX_FILE_KIB = 1024;

void test(
  'failed commit: 503, and the message says that the change may have been made',
  { skip: !existsSync('/bin/bash') && 'bash is not installed; it limits the size of files' },
  async (t) => {
    const dataDir = await temporaryFolder(t);
    await (await startServer(t, dataDir)).end('SIGTERM');
    const node = join(await temporaryFolder(t), 'node');
    const lines = ['#!/bin/bash', "trap '' XFSZ", `ulimit -f ${MAX_FILE_KIB}`, `exec '${process.execPath}' "$@"`];
    await writeFile(node, lines.join('\n'), { mode: 0o755 });
    const limited = await startServer(t, dataDir, ['--empty'], { node });
    const call = clientOf(limited.base);
    const photoUrls = Array.from({ length: 100 }, () => `https://example.org/${'x'.repeat(2000)}`);
    const post = () => call('POST', 'pet', { json: { name: 'Rex', photoUrls } });
    let answer = await post();
    for (let count = 1; answer.status === 200; count++) {
      assert.ok(count < 100, 'the limit has no effect');
      answer = await post();
    }
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.headers.get('retry-after'), '2');
    assert.deepEqual(JSON.parse(answer.text), {
      code: 1,
      type: 'error',
      message: 'The database did not confirm the change, but it may have been made. Check before you retry.',
    });
    assert.equal((await limited.end('SIGTERM')).code, 0);
    const again = await startServer(t, dataDir);
    assert.equal((await clientOf(again.base)('POST', 'pet', { json: { name: 'Next' } })).status, 200);
  },
);
