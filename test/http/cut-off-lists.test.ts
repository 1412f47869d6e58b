import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import { inTime } from '../support/deadline.ts';
import { overwritePages, takeLogIn } from '../support/damage.ts';
import { keepLog } from '../support/kept-log.ts';
import { skipOnPostgres } from '../support/nodes.ts';
import { openSocket } from '../support/raw-http.ts';
import { startTestService } from '../support/service.ts';

/* Lists that fail halfway because of damaged database pages: the client notices, and the log has the error. */

const kept = keepLog();

const service = await startTestService({ after }, { log: kept.log });

interface Ending {
  text: string;
  error: string | undefined;
}

/** The text received, and whether the connection was reset. */
async function exchange(request: string): Promise<Ending> {
  const socket = await openSocket(service.origin);
  const ending: Ending = { text: '', error: undefined };
  socket.setEncoding('latin1').on('data', (text) => (ending.text += String(text)));
  socket.on('error', (error: Error & { code?: string }) => (ending.error = error.code));
  socket.write(request);
  await inTime('the end of the list', new Promise((resolve) => socket.once('close', resolve)));
  return ending;
}

void describe('list that fails halfway', { skip: skipOnPostgres() }, () => {
  before(async () => {
    const path = join(service.dataDir, 'menagerie.db');
    const db = openDatabase(path);
    // Rows outside of any cache, enough for several pages of a list.
    db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
      insert into pet (id, version, status, text)
      select i, i, 'sold', '{"id":' || i || ',"name":"Rex","photoUrls":["' || hex(zeroblob(1000)) || '"],"tags":[],"status":"sold"}' from n`);
    db.close();
    takeLogIn(path);
    await overwritePages(path, 0.4, 0.9);
  });

  for (const version of ['1.0', '1.1'] as const) {
    for (const type of ['application/json', 'application/xml'] as const) {
      void it(`HTTP/${version}, ${type}: the connection is reset, and one line is logged`, async () => {
        kept.lines.length = 0;
        const head = [`GET /v2/pet/findByStatus?status=sold HTTP/${version}`, 'Host: localhost', `Accept: ${type}`];
        const { text, error } = await exchange(`${head.join('\r\n')}\r\n\r\n`);
        assert.match(text, /^HTTP\/1\.1 200 /);
        assert.ok(text.length > 100_000, 'expected the beginning of the list');
        assert.equal(error, 'ECONNRESET');
        const lines = await kept.find(/failed after it had begun/);
        assert.equal(lines.length, 1);
        assert.equal(lines[0]?.level, 50);
        assert.match(lines[0].err?.message ?? '', /malformed/);
      });
    }
  }
});
