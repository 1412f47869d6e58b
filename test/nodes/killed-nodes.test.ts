import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { JOB_NAMES } from '../../src/domain/system.ts';
import { clientOf } from '../support/client.ts';
import { startFtpReceiver } from '../support/ftp-receiver.ts';
import { startServer } from '../support/menagerie-process.ts';
import { databaseOf, dropDatabaseOf } from '../support/nodes.ts';
import { queryOnce } from '../support/postgres-server.ts';
import { bearer, logIn, newSecuredFolder } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { until } from '../support/until.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const GUIDE = new URL('../../docs/guides/several-nodes.md', import.meta.url);

/** For a busy machine. */
const ALLOWANCE_MS = 30_000;

const PATIENCE_MS = 60_000;

/** The most seconds after which a job continues at another node, as the guide says; undefined without a claim. */
async function documentedSeconds(): Promise<ReadonlyMap<string, number | undefined>> {
  const rows = (await readFile(GUIDE, 'utf8')).matchAll(/^\| `([a-z-]+)` +\| (?:(\d+) s)?/gm);
  return new Map([...rows].map(([, job = '', seconds]) => [job, seconds === undefined ? undefined : Number(seconds)]));
}

void test('several nodes: the guide has a row for each background job', async () => {
  assert.deepEqual([...(await documentedSeconds()).keys()].toSorted(), [...JOB_NAMES].toSorted());
});

void test('killed node: another one does what it has begun, in the time of the guide', async (t) => {
  const limits = await documentedSeconds();
  const secured = await newSecuredFolder({ onPostgres: true });
  t.after(async () => {
    await dropDatabaseOf(secured);
    await removeFolder(secured);
  });
  const url = (await databaseOf(secured)) ?? assert.fail();
  const isKilled = Promise.withResolvers<undefined>();
  t.after(async () => isKilled.resolve(undefined));
  const site = await startFtpReceiver(t, (line) => (line.startsWith('STOR') ? isKilled.promise : undefined));
  const uploads = () => site.commands.filter((line) => line.startsWith('STOR')).length;
  const smtp = await startSmtpReceiver(t);
  smtp.behave('hang');
  const receiver = await startReceiver(t);
  receiver.respond(() => {});
  const mail = ['--smtp-url', smtp.url, '--mail-from', 'pets@example.org'];
  const others = ['--webhook-private-addresses', '--rescuegroups-upload-url', `${site.url}/`, ...mail];
  const publicUrl = ['--public-url', 'https://pets.example.org'];
  const flags = ['--empty', '--access', 'secured', '--database-url', url, ...publicUrl, ...others];

  const doomed = await startServer(t, secured, flags);
  const call = clientOf(doomed.base);
  const headers = { ...bearer(await logIn(call, 'root')), host: 'pets.example.org' };
  const ok = async (method: string, path: string, json: object) =>
    assert.equal((await call(method, path, { headers, json })).status, 200, path);
  await ok('POST', 'admin/webhooks', { url: receiver.origin, events: ['pet.*'] });
  await ok('POST', 'pet', { id: 5, name: 'Rex', status: 'available', photoUrls: [] });
  await ok('PUT', 'pet/5/profile', { species: 'dog' });
  await ok('PATCH', 'admin/listings/rescuegroups', { on: true });
  await ok('POST', 'admin/users', { username: 'ida', email: 'ida@example.net' });
  await until('a delivery to the webhook', async () => receiver.calls.length > 0, PATIENCE_MS);
  await until('an upload', async () => uploads() > 0, PATIENCE_MS);
  await smtp.waitForAttempts(1);
  await startServer(t, await temporaryFolder(t), flags);
  const begun = { calls: receiver.calls.length, uploads: uploads() };

  await doomed.end('SIGKILL');
  const killedAtMs = performance.now();
  // As it leaves a search that it was comparing: a comparison is too short to be interrupted.
  const claimedUntilMs = Date.now() + 30_000;
  await queryOnce(
    url,
    `insert into saved_search
       (id, email, email_key, language, search, created_at_ms, confirmed_at_ms, ends_at_ms, seen_version, next_at_ms)
     values ('claimed', 'ida@example.net', 'key', 'en', 'text=rex', 1, 1, $1::int8 + 9000000, 0, $1)`,
    [claimedUntilMs],
  );
  isKilled.resolve(undefined);
  smtp.behave('accept');
  receiver.respond(204);

  const hasBegun: Readonly<Record<string, () => Promise<boolean>>> = {
    webhooks: async () => receiver.calls.length > begun.calls,
    'listing-uploads': async () => uploads() > begun.uploads,
    mail: async () => smtp.received.length > 0,
    'saved-searches': async () => {
      const [row] = (await queryOnce(url, 'select next_at_ms from saved_search', [])).rows;
      return Number(row?.['next_at_ms']) !== claimedUntilMs;
    },
  };
  await Promise.all(
    Object.entries(hasBegun).map(async ([job, condition]) => {
      const limitMs = (limits.get(job) ?? assert.fail(job)) * 1000;
      await until(job, condition, limitMs + ALLOWANCE_MS);
      t.diagnostic(`${job}: ${((performance.now() - killedAtMs) / 1000).toFixed(1)} s, at most ${limitMs / 1000} s`);
    }),
  );

  const ids = receiver.calls.map((sent) => sent.headers['webhook-id']);
  await until('both changes', async () => receiver.calls.length >= 2 * begun.calls);
  assert.deepEqual(new Set(ids.slice(0, begun.calls)), new Set(receiver.calls.slice(begun.calls).map(idOf)));
  assert.deepEqual([smtp.received.length, uploads()], [1, begun.uploads + 1]);
});

function idOf({ headers }: { headers: Readonly<Record<string, string | string[] | undefined>> }) {
  return headers['webhook-id'];
}
