import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askOnce } from './served-database.ts';
import { clientOf } from '../support/client.ts';
import { until } from '../support/kept-log.ts';
import { startServer } from '../support/menagerie-process.ts';
import { temporaryFolder } from '../support/service.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

/* A reachable PostgreSQL server whose disk is full. */

void test('full disk of PostgreSQL: logged once, readiness follows, and reads continue', async (t) => {
  const server = await sharedPostgres();
  const url = await server.createDatabase({ template: server.template });
  const service = await startServer(t, await temporaryFolder(t), ['--empty'], {
    environment: { MENAGERIE_DATABASE_URL: url },
  });
  const call = clientOf(service.base);
  const readiness = async () => (await fetch(`${service.origin}/readyz`)).status;
  const linesWith = (text: string) => service.written.stderr.split('\n').filter((line) => line.includes(text));
  assert.equal((await call('POST', 'pet', { json: { id: 1, name: 'Rex' } })).status, 200);
  // The error of the server itself, for every growing table.
  await askOnce(
    url,
    `create function refuse() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
  );
  for (const table of ['pet_version', 'idempotent_request'])
    await askOnce(url, `create trigger full_disk before insert on ${table} execute function refuse()`);
  await until('readiness fails', async () => {
    assert.equal((await call('POST', 'pet', { json: { name: 'Rex' } })).status, 503);
    assert.equal((await call('GET', 'pet/1')).status, 200);
    return (await readiness()) === 503;
  });
  assert.equal(linesWith('the disk is full (could not extend file').length, 1, service.written.stderr);
  assert.equal(linesWith('unreachable').length, 0, service.written.stderr);
  for (const table of ['pet_version', 'idempotent_request']) await askOnce(url, `drop trigger full_disk on ${table}`);
  await until('readiness recovers', async () => (await readiness()) === 200);
  assert.equal((await call('POST', 'pet', { json: { name: 'Rex' } })).status, 200);
  await until('the end is logged', () => linesWith('changes are stored again').length === 1);
});
