import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newKeyFile } from '../../src/server/backup/encrypted-files.ts';
import { clientOf, type Call, type CallOptions, type HttpResponse } from '../support/client.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { startServer } from '../support/menagerie-process.ts';
import { runCommand } from '../support/operator-commands.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, createKey, logIn, newSecuredFolder, PASSWORDS } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

type Ask = (method: string, path: string, options?: CallOptions) => Promise<HttpResponse>;
interface RestoreView {
  state: string;
  backup?: string;
  error?: string;
}

function asHolder(call: Call, token: string): Ask {
  return (method, path, options = {}) =>
    call(method, path, { ...options, headers: { ...bearer(token), ...options.headers } });
}

/** A secured service in its own process, with one pet and its photo, and a backup of it. */
async function prepare(t: Lifetime, flags: readonly string[] = []) {
  const place = await temporaryFolder(t);
  const dataDir = await newSecuredFolder();
  t.after(() => removeFolder(dataDir));
  const serve = () => startServer(t, dataDir, ['--empty', '--access', 'secured', '--backup-to', place, ...flags]);
  const server = await serve();
  const call = clientOf(server.base);
  const token = await logIn(call, 'root');
  const root = asHolder(call, token);
  const { id } = JSON.parse(
    (await root('POST', 'pet', { json: { name: 'Rex', photoUrls: [], status: 'available' } })).text,
  ) as { id: number };
  const photo = await makePhoto();
  assert.equal((await root('POST', `pet/${id}/uploadImage`, { ...fileUpload(photo) })).status, 200);
  const key = await createKey(call, token, ['read:pets']);
  const { name } = JSON.parse((await root('POST', 'admin/backups')).text) as { name: string };
  await until('the backup is finished', async () => {
    const { backups } = JSON.parse((await root('GET', 'admin/backups')).text) as { backups: { state: string }[] };
    return backups[0]?.state === 'finished';
  });
  return { place, dataDir, serve, server, call, root, id, name, key };
}

async function restored(root: Ask): Promise<RestoreView> {
  let view: RestoreView = { state: '' };
  await until('the service has restarted', async () => {
    const response = await root('GET', 'admin/restore').catch(() => undefined);
    if (response?.status !== 200) return false;
    view = JSON.parse(response.text) as RestoreView;
    return view.state === 'finished' || view.state === 'failed';
  });
  return view;
}

const namesOf = async (ask: Ask) =>
  (JSON.parse((await ask('GET', 'pet/findByStatus?status=available')).text) as { name: string }[]).map(
    ({ name }) => name,
  );

void test('restore from the page: the service starts again on the backup, and the restore can be undone', async (t) => {
  const { dataDir, call, root, id, name, server } = await prepare(t);
  const before = JSON.parse((await root('GET', `pet/${id}`)).text) as { photoUrls: string[] };
  await root('DELETE', `pet/${id}`);
  await root('POST', 'pet', { json: { name: 'Later', photoUrls: [], status: 'available' } });
  const later = await logIn(call, 'vera');

  const checked = await root('POST', `admin/backups/${name}/check`, { json: {} });
  assert.equal(checked.status, 200, checked.text);
  const { read, tables } = JSON.parse(checked.text) as {
    read: boolean;
    tables: { table: string; now: number; restored: number }[];
  };
  assert.equal(read, true);
  assert.deepEqual(
    tables.find(({ table }) => table === 'pet'),
    { table: 'pet', now: 1, restored: 1 },
  );
  assert.equal((await root('POST', `admin/backups/${name}/restore`, { json: { confirmation: 'yes' } })).status, 400);

  const responses = await Promise.all(
    [1, 2].map(() => root('POST', `admin/backups/${name}/restore`, { json: { confirmation: name } })),
  );
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([202, 409]), 'a double click');
  assert.deepEqual((await restored(root)).state, 'finished');
  assert.deepEqual(await namesOf(root), ['Rex'], 'the session that restored continues');
  const { photoUrls } = JSON.parse((await root('GET', `pet/${id}`)).text) as { photoUrls: string[] };
  assert.equal((await root('GET', `${photoUrls[0]}`)).status, 200);
  assert.equal(photoUrls.length, before.photoUrls.length);
  assert.equal((await asHolder(call, later)('GET', 'admin/backups')).status, 401, 'other sessions have ended');
  const { text: audit } = await root('GET', 'admin/audit?limit=5');
  assert.match(audit, /"backup\.restored"/);
  const { id: next } = JSON.parse((await root('POST', 'pet', { json: { name: 'New' } })).text) as { id: number };
  assert.ok(next > id + 1, 'the ID of a pet after the backup is not used again');

  assert.equal((await root('POST', 'admin/restore/undo', { json: { confirmation: 'undo' } })).status, 202);
  assert.deepEqual(await restored(root), { ...(await restored(root)), state: 'finished' });
  await until('the data from before is served', async () => (await namesOf(root)).join() === 'Later');
  assert.ok(existsSync(join(dataDir, 'before-restore', 'menagerie.db')), 'the undoing can be undone');
  const { stderr } = await server.end('SIGTERM');
  assert.equal(/"level":(50|60)/.test(stderr), false, stderr);
});

void test('restore from the page: what was revoked or changed since the backup stays so', async (t) => {
  const { call, root, name, key } = await prepare(t);
  const revoked = await root('GET', 'account/keys');
  const kept = JSON.parse(revoked.text) as { id: string }[];
  assert.equal((await root('DELETE', `account/keys/${kept[0]?.id}`)).status, 200);
  await root('PUT', 'user/vera', { json: { username: 'vera', password: 'another long password' } });
  await root('DELETE', 'user/otto');
  assert.equal((await root('POST', `admin/backups/${name}/restore`, { json: { confirmation: name } })).status, 202);
  assert.equal((await restored(root)).state, 'finished');
  assert.equal((await asHolder(call, key.key)('GET', 'account/keys')).status, 401, 'a key that was revoked since');
  const old = await call('POST', 'user/login', { json: { username: 'vera', password: PASSWORDS['vera'] } });
  assert.equal(old.status, 400, 'the password of the backup');
  await logIn(call, 'vera', 'another long password');
  const closed = await call('POST', 'user/login', { json: { username: 'otto', password: PASSWORDS['otto'] } });
  assert.equal(closed.status, 400, 'a deleted account');
});

void test('encrypted backup on the page: needs its identity, which appears nowhere', async (t) => {
  const key = await newKeyFile(Date.now());
  const [, recipient = ''] = /^# public key: (\S+)$/m.exec(key) ?? [];
  const [identity = ''] = /^AGE-SECRET-KEY-\S+$/m.exec(key) ?? [];
  const { dataDir, root, name, server } = await prepare(t, ['--backup-recipients', recipient, '--log-level', 'debug']);
  const other = /^AGE-SECRET-KEY-\S+$/m.exec(await newKeyFile(Date.now()))?.[0] ?? '';
  const ask = (path: string, json: object) => root('POST', `admin/backups/${name}/${path}`, { json });
  assert.equal((JSON.parse((await ask('check', {})).text) as { read: boolean }).read, false);
  for (const [given, message] of [
    [other, /does not decrypt/],
    ['secret', /not an age identity/],
  ] as const) {
    const refused = await ask('check', { identity: given });
    assert.equal(refused.status, 400);
    assert.match(refused.text, message);
    assert.equal(refused.text.includes(given), false);
  }
  assert.equal((await ask('restore', { confirmation: name })).status, 202);
  assert.match((await restored(root)).error ?? '', /the identity of this recipient is needed/);
  assert.equal((await ask('restore', { confirmation: name, identity })).status, 202);
  await until('the restore is finished', async () => (await restored(root)).state === 'finished');
  const { stdout, stderr } = await server.end('SIGTERM');
  assert.equal(`${stdout}${stderr}`.includes(identity), false);
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
  assert.ok(files.length > 0);
});

void test('backup names on the page: paths, unknown and damaged backups are refused, and change nothing', async (t) => {
  const { place, root, name } = await prepare(t);
  for (const wrong of ['none', '..%2F..%2Fetc', '%2e%2e', `${name}%2F..`, `${name}%00`]) {
    const refused = await root('POST', `admin/backups/${wrong}/check`, { json: {} });
    assert.ok([400, 404].includes(refused.status), `${wrong}: ${refused.text}`);
  }
  const manifest = join(place, 'backups', name, 'manifest.json');
  await writeFile(manifest, JSON.stringify({ format: 9, version: '7.0.0' }));
  assert.match((await root('POST', `admin/backups/${name}/check`, { json: {} })).text, /made by Menagerie 7\.0\.0/);
  assert.equal((await root('POST', `admin/backups/${name}/restore`, { json: { confirmation: name } })).status, 202);
  assert.match((await restored(root)).error ?? '', /made by Menagerie 7\.0\.0/);
  assert.deepEqual(await namesOf(root), ['Rex']);
  await rm(manifest);
});

void test('restore that is killed: leaves the old data, or the new, and never a part', async (t) => {
  const { serve, dataDir, root, name, server } = await prepare(t);
  await root('POST', 'pet', { json: { name: 'Later', photoUrls: [], status: 'available' } });
  let current = { root, server };
  const files = [
    '',
    'staged-database',
    'staged-database/menagerie.db',
    'staged-database/restore.json',
    'next-database',
  ];
  for (const file of files) {
    const { status } = await current.root('POST', `admin/backups/${name}/restore`, { json: { confirmation: name } });
    assert.equal(status, 202);
    const hasEnded = async () => {
      const view = await current.root('GET', 'admin/restore').catch(() => undefined);
      return view?.status === 200 && (JSON.parse(view.text) as RestoreView).state !== 'running';
    };
    await until(`the restore has created ${file}`, async () => existsSync(join(dataDir, file)) || (await hasEnded()));
    await current.server.end('SIGKILL');
    const next = await serve();
    const call = clientOf(next.base);
    current = { root: asHolder(call, await logIn(call, 'root')), server: next };
    const names = (await namesOf(current.root)).toSorted().join();
    assert.ok(['Later,Rex', 'Rex'].includes(names), names);
    assert.equal(existsSync(join(dataDir, 'next-database')) || existsSync(join(dataDir, 'staged-database')), false);
    if (names === 'Rex')
      await current.root('POST', 'pet', { json: { name: 'Later', photoUrls: [], status: 'available' } });
  }
  await current.server.end('SIGTERM');
  const { code, stdout } = await runCommand(['doctor', '--data-dir', dataDir]);
  assert.equal(code, 0, stdout);
});
