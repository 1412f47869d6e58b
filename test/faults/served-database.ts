import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { clientOf, type HttpResponse } from '../support/client.ts';
import { startServer, type RunningServer } from '../support/menagerie-process.ts';
import { queryOnce } from '../support/postgres-server.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';

/** `menagerie serve` in a separate process on this database. */
export async function serveFrom(t: Lifetime, url: string, flags: readonly string[] = []): Promise<RunningServer> {
  const environment = { MENAGERIE_DATABASE_URL: url };
  return startServer(t, await temporaryFolder(t), ['--empty', '--log-format', 'json', ...flags], { environment });
}

/** Runs statements on one connection, closed at the end of the lifetime. */
export async function connectTo(t: Lifetime, connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return client;
}

/** Adds or replaces a pet. */
export function put(base: string, method: string, id: number, name: string): Promise<HttpResponse> {
  return clientOf(base)(method, 'pet', { json: { id, name, photoUrls: [] } });
}

export async function statusOf(url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  await response.arrayBuffer();
  return response.status;
}

/**
 * Polls for a condition.
 * @returns the elapsed milliseconds
 */
export async function until(
  isMet: () => boolean | Promise<boolean>,
  maxMs: number,
  condition: string,
): Promise<number> {
  const startedMs = Date.now();
  while (!(await isMet())) {
    assert.ok(Date.now() - startedMs < maxMs, `${condition}: not within ${maxMs} ms`);
    await delay(10);
  }
  return Date.now() - startedMs;
}

const QUIET_MS = 500;

/** Waits until nodes have finished their cleanup after the start, whose transactions would interfere with the test. */
export async function waitForIdleWriters(url: string): Promise<void> {
  const changing =
    'select 1 from pg_stat_activity where xact_start is not null and datname = current_database() and pid <> ' +
    'pg_backend_pid()';
  const watcher = new Client({ connectionString: url });
  await watcher.connect();
  try {
    let changedAtMs = Date.now();
    const isQuiet = async () => {
      if ((await watcher.query(changing)).rows.length > 0) changedAtMs = Date.now();
      return Date.now() - changedAtMs > QUIET_MS;
    };
    await until(isQuiet, 60_000, 'no transactions');
  } finally {
    await watcher.end();
  }
}

export function untilReady({ origin }: RunningServer, maxMs: number): Promise<number> {
  return until(async () => (await statusOf(`${origin}/readyz`)) === 200, maxMs, 'ready');
}

/** Runs a statement on a separate connection to this database. */
export async function askOnce(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  return (await queryOnce(connectionString, sql, [])).rows;
}

const ASTRAY = `
  select 'a pet without a version' as what, id from pet
    where not exists (select 1 from pet_version as v where v.pet_id = pet.id and v.version = pet.version and v.text = pet.text)
  union all select 'a tag without a pet', pet_id from pet_tag
    where not exists (select 1 from pet where pet.id = pet_id and pet.text::jsonb->'tags' @> jsonb_build_array(jsonb_build_object('name', name)))
  union all select 'a pet without tags', id from pet
    where jsonb_array_length(text::jsonb->'tags') <> (select count(*) from pet_tag where pet_id = pet.id)
  union all select 'a pet that exists and is deleted', pet.id from pet join removed_pet on removed_pet.id = pet.id
  union all select 'a missing photo', pet_id from pet_photo where not exists (select 1 from photo where photo.digest = pet_photo.digest)
  union all select 'a version without a predecessor', v.pet_id from pet_version as v
    where previous is not null and not exists (select 1 from pet_version as p where p.pet_id = v.pet_id and p.version = v.previous)
  union all select 'an unexpected last version', last_version from change_order
    where last_version <> (select coalesce(max(version), 0) from (select version from pet_version union all select version from account_change) as changes)
       or last_version <> (select count(*) from pet_version) + (select count(*) from account_change)`;

/** Asserts that related rows agree, and that versions are numbered without a gap. */
export async function assertSound(url: string): Promise<void> {
  assert.deepEqual(await askOnce(url, ASTRAY), []);
}
