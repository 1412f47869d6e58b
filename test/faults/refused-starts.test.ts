import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runMenagerie } from '../support/menagerie-process.ts';
import { freePort } from '../support/postgres-folder.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';

const MAX_START_MS = 6000;
const PASSWORD = 'hidden-password';

/** Expects one sentence, in time, without secrets. */
async function assertRefused(t: Lifetime, url: string, sentence: RegExp): Promise<void> {
  const startedMs = Date.now();
  const { code, stderr, stdout } = await runMenagerie(
    t,
    ['serve', '--port', '0', '--empty', '--data-dir', await temporaryFolder(t)],
    { environment: { MENAGERIE_DATABASE_URL: url, MENAGERIE_LOG_LEVEL: 'silent' } },
  );
  assert.equal(code, 1, stderr);
  assert.ok(Date.now() - startedMs < MAX_START_MS, `it took ${Date.now() - startedMs} ms`);
  assert.match(stderr, /^Menagerie cannot start: The database [^\n]+\n$/);
  assert.match(stderr, sentence);
  const { password } = new URL(url);
  for (const secret of [PASSWORD, password, decodeURIComponent(password)]) {
    assert.ok(secret === '' || !(stdout + stderr).includes(secret));
  }
}

void describe('start on an unusable database: refused with the reason', () => {
  void it('nothing listens on the port, on a name with several addresses', async (t) => {
    const url = `postgres://menagerie:${PASSWORD}@localhost:${await freePort()}/menagerie`;
    await assertRefused(t, url, /\(no server accepts connections there\)/);
  });

  void it('the name cannot be resolved', async (t) => {
    await assertRefused(
      t,
      `postgres://menagerie:${PASSWORD}@nowhere.invalid/menagerie`,
      /nowhere\.invalid\/menagerie cannot be used \(its host is unknown\)/,
    );
  });

  void it('the password is wrong or missing', async (t) => {
    const { url } = await sharedPostgres();
    const wrong = Object.assign(new URL(url), { password: PASSWORD }).href;
    await assertRefused(t, wrong, /password authentication failed for user "menagerie"/);
    await assertRefused(
      t,
      Object.assign(new URL(url), { password: '' }).href,
      /\(the server requires a password, and the URL has none\)/,
    );
  });

  void it('the database does not exist', async (t) => {
    const { url } = await sharedPostgres();
    await assertRefused(t, `${url}_of_nobody`, /database "menagerie_of_nobody" does not exist/);
  });

  void it('the server has no TLS', async (t) => {
    const { url } = await sharedPostgres();
    await assertRefused(t, `${url}?sslmode=require`, /\(the server does not support TLS\)/);
  });

  void it('the server is read-only', async (t) => {
    const postgres = await startPostgres(t, { fsync: false, settings: { default_transaction_read_only: 'off' } });
    await postgres.query('alter system set default_transaction_read_only = on');
    await postgres.query('select pg_reload_conf()');
    await assertRefused(t, postgres.url, /the server takes no writes\)/);
  });

  void it('the server is frozen', async (t) => {
    const postgres = await startPostgres(t, { fsync: false });
    await postgres.freeze();
    await assertRefused(t, postgres.url, /\(the server does not respond in time\)/);
  });
});
