import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import type { Client } from 'pg';
import { type HttpResponse } from '../support/client.ts';
import type { RunningServer } from '../support/menagerie-process.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { askOnce, assertSound, connectTo, put, serveFrom, until, waitForIdleWriters } from './served-database.ts';

/*
 * Errors of the server during a change. A trigger raises the ones that cannot be provoked, and a sequence, which
 * rollbacks do not reset, counts the attempts.
 */

const TROUBLE = `
  create sequence trouble;
  create table troubles (code text, times int);
  create function make_trouble() returns trigger language plpgsql as $$
    declare wanted record;
    begin
      select * into wanted from troubles;
      if found and nextval('trouble') <= wanted.times then raise exception 'trouble' using errcode = wanted.code; end if;
      return null;
    end $$;
  create constraint trigger at_the_end after insert on pet_version deferrable initially deferred for each row
    when (new.action = 'replaced') execute function make_trouble();
  create trigger at_once after insert on pet_version for each row when (new.action = 'added') execute function make_trouble()`;

interface Case {
  code: string;
  times: number;
  status: number;
  /** The calls of the trigger: one for each attempt. */
  tries: number;
}

/** Errors of a statement: retried if that can succeed. */
const IN_STATEMENT: readonly Case[] = [
  { code: '40001', times: 6, status: 200, tries: 7 },
  { code: '40P01', times: 3, status: 200, tries: 4 },
  { code: '26000', times: 1, status: 200, tries: 2 },
  { code: '42P05', times: 1, status: 200, tries: 2 },
  { code: '57P01', times: 2, status: 200, tries: 3 },
  { code: '25006', times: 2, status: 200, tries: 3 },
  { code: '08006', times: 2, status: 200, tries: 3 },
  { code: '57014', times: 1, status: 503, tries: 1 },
  { code: '53100', times: 1, status: 503, tries: 1 },
];

/** Errors of a commit: retried only if the server states that nothing was changed. */
const IN_COMMIT: readonly Case[] = [
  { code: '40001', times: 2, status: 200, tries: 3 },
  { code: '40P01', times: 1, status: 200, tries: 2 },
  { code: '57P01', times: 1, status: 503, tries: 1 },
  { code: '08006', times: 1, status: 503, tries: 1 },
];

void describe('errors of the server', () => {
  const ends: (() => Promise<void>)[] = [];
  const lifetime: Lifetime = { after: (end) => void ends.unshift(end) };
  after(async () => {
    for (const end of ends) await end();
  });
  let url: string;
  let service: RunningServer;
  let database: Client;
  before(async () => {
    url = await (await sharedPostgres()).createDatabase();
    service = await serveFrom(lifetime, url);
    database = await connectTo(lifetime, url);
    await database.query(TROUBLE);
  });
  let id = 0;

  async function meetTrouble({ code, times }: Case): Promise<void> {
    await database.query("delete from troubles; select setval('trouble', 1, false)");
    await database.query('insert into troubles values ($1, $2)', [code, times]);
  }

  for (const trouble of IN_STATEMENT) {
    void it(`${trouble.code} ${trouble.times} times in a statement`, async () => {
      await meetTrouble(trouble);
      await expectOnce(trouble, await put(service.base, 'POST', ++id, 'new'), id, 'new');
    });
  }

  for (const trouble of IN_COMMIT) {
    void it(`${trouble.code} ${trouble.times} times in a commit`, async () => {
      await database.query('delete from troubles');
      assert.equal((await put(service.base, 'POST', ++id, 'before')).status, 200);
      await meetTrouble(trouble);
      await expectOnce(trouble, await put(service.base, 'PUT', id, 'after'), id, 'after');
    });
  }

  void it('an unknown error: fails its own change, and none of the same batch', async () => {
    await database.query('delete from troubles');
    await database.query("alter table pet add constraint no_bad_ones check (text not like '%bad one%')");
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => put(service.base, 'POST', ++id, index === 13 ? 'bad one' : 'good one')),
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      responses.map((_, index) => (index === 13 ? 500 : 200)),
    );
    await assertSound(url);
  });

  void it('leave consistent data, and are reported to the affected clients only', async () => {
    await assertSound(url);
    const { stdout, stderr } = await service.end('SIGTERM');
    assert.doesNotMatch(stdout + stderr, /25P02|current transaction is aborted/);
  });

  async function expectOnce({ status, tries }: Case, response: HttpResponse, pet: number, name: string): Promise<void> {
    assert.equal(response.status, status, response.text);
    if (status === 503) assert.match(response.headers.get('retry-after') ?? '', /^[1-9]/);
    if (tries > 0) {
      const { rows } = await database.query<{ last_value: string }>('select last_value from trouble');
      assert.equal(Number(rows[0]?.last_value), tries);
    }
    const versions = await database.query(
      "select 1 from pet_version where pet_id = $1 and text like '%' || $2 || '%'",
      [pet, name],
    );
    assert.equal(versions.rowCount, status === 200 ? 1 : 0, 'the change must be made once or not at all');
  }
});

void test('deadlock: the change is retried, unnoticed by the client', async (t) => {
  const url = await (await sharedPostgres()).createDatabase();
  const service = await serveFrom(t, url);
  assert.equal((await put(service.base, 'POST', 7, 'first')).status, 200);
  await waitForIdleWriters(url);
  const watcher = await connectTo(t, url);
  const rival = await connectTo(t, adminOf(url, (await sharedPostgres()).adminUrl));
  // The service's transaction detects the deadlock, and is aborted.
  await rival.query("set deadlock_timeout = '20s'; begin; select 1 from pet where id = 7 for update");
  const changing = put(service.base, 'PUT', 7, 'second');
  await untilWaiting(watcher);
  await rival.query('select 1 from change_order for update');
  await rival.query('rollback');
  const response = await changing;
  assert.equal(response.status, 200, response.text);
  await until(
    async () =>
      Number(
        (await askOnce(url, 'select deadlocks from pg_stat_database where datname = current_database()'))[0]?.[
          'deadlocks'
        ],
      ) === 1,
    10_000,
    'the deadlock is counted',
  );
  assert.deepEqual(await askOnce(url, "select count(*)::int as changes from pet_version where text like '%second%'"), [
    { changes: 1 },
  ]);
  await assertSound(url);
});

async function untilWaiting(watcher: Client): Promise<void> {
  const waiting =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'update pet %' and datname = current_database()";
  await until(async () => (await watcher.query(waiting)).rowCount !== 0, 5000, 'a statement that waits for a lock');
}

/** The same database as the superuser. */
function adminOf(url: string, adminUrl: string): string {
  return Object.assign(new URL(adminUrl), { pathname: new URL(url).pathname }).href;
}
