import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runMenagerie } from '../support/menagerie-process.ts';
import { freePort } from '../support/postgres-folder.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { temporaryFolder, type Lifetime } from '../support/service.ts';

const MAX_START_MS = 6000;
const PASSWORD = 'hidden-password';

/** One sentence, in time, and nothing that is secret. */
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

void describe('a start on a database that cannot be used says why', () => {
  void it('nobody listens', async (t) => {
    const url = `postgres://menagerie:${PASSWORD}@127.0.0.1:${await freePort()}/menagerie`;
    await assertRefused(t, url, /ECONNREFUSED/);
  });

  void it('nobody listens, under a name with several addresses', async (t) => {
    const url = `postgres://menagerie:${PASSWORD}@localhost:${await freePort()}/menagerie`;
    await assertRefused(t, url, /ECONNREFUSED/);
  });

  void it('nobody has the name', async (t) => {
    await assertRefused(t, `postgres://menagerie:${PASSWORD}@nowhere.invalid/menagerie`, /nowhere\.invalid/);
  });

  void it('the password is wrong, or missing', async (t) => {
    const { url } = await sharedPostgres();
    const wrong = Object.assign(new URL(url), { password: PASSWORD }).href;
    await assertRefused(t, wrong, /password authentication failed for user "menagerie"/);
    await assertRefused(t, Object.assign(new URL(url), { password: '' }).href, /password must be a/);
  });

  void it('there is no such database', async (t) => {
    const { url } = await sharedPostgres();
    await assertRefused(t, `${url}_of_nobody`, /database "menagerie_of_nobody" does not exist/);
  });

  void it('the server has no TLS', async (t) => {
    const { url } = await sharedPostgres();
    await assertRefused(t, `${url}?sslmode=require`, /does not support SSL/);
  });

  void it('the server only takes reads', async (t) => {
    const postgres = await startPostgres(t, { fsync: false, settings: { default_transaction_read_only: 'off' } });
    await postgres.query('alter system set default_transaction_read_only = on');
    await postgres.query('select pg_reload_conf()');
    await assertRefused(t, postgres.url, /the server takes no writes\)/);
  });

  void it('the server stands still', async (t) => {
    const postgres = await startPostgres(t, { fsync: false });
    await postgres.freeze();
    await assertRefused(t, postgres.url, /timeout expired/);
  });
});
