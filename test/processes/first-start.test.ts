import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertRefused, callAs, clientOf, type HttpResponse } from '../support/client.ts';
import { startMenagerie, startPendingServer, type PendingServer } from '../support/menagerie-process.ts';
import { bearer, logIn, PASSWORDS } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

/* The first start in secured access, which creates the first administrator. */

const password = PASSWORDS['root'] ?? '';

function send({ origin, token }: PendingServer, fields: object = {}): Promise<HttpResponse> {
  return clientOf(origin)('POST', `${origin}/setup`, { json: { token, username: 'root', password, ...fields } });
}

async function petsOf(base: string): Promise<number> {
  const { text } = await clientOf(base)('GET', 'pet/findByStatus?status=available,pending,sold');
  return (JSON.parse(text) as unknown[]).length;
}

void test('first start: the setup page creates the administrator once, and the service continues', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data');
  const backups = join(await temporaryFolder(t), 'backups');
  const pending = await startPendingServer(t, dataDir);
  const { origin, token } = pending;
  assert.match(origin, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.ok(Buffer.from(token, 'base64url').byteLength >= 16, 'at least 128 bits');

  const call = clientOf(`${origin}/v2`);
  assert.equal((await call('GET', `${origin}/livez`)).status, 200);
  for (const path of [`${origin}/readyz`, 'pet/1', 'admin/users', `${origin}/docs`])
    assert.match(assertRefused(await call('GET', path), 503).message, /^The setup is pending/, path);
  const json = { username: 'root', password };
  for (const path of ['user', 'user/login', 'admin/webhooks'])
    assertRefused(await call('POST', path, { json }), 503, path);
  const body = JSON.stringify({ token, username: 'root', password });
  const foreign = [{ host: 'pets.example.org' }, { 'x-forwarded-for': '192.0.2.7' }, { origin: 'http://evil.example' }];
  for (const headers of foreign) {
    const options = { headers: { 'content-type': 'application/json', ...headers }, body };
    for (const path of ['../setup', '../%73etup', '../setup/', '../%73%65tup?a=b'])
      assertRefused(await callAs(origin, 'POST', path, options), 403, `${path} ${JSON.stringify(headers)}`);
    assertRefused(await call('GET', `${origin}/%73etup`, { headers }), 403, JSON.stringify(headers));
  }
  for (let attempt = 1; attempt <= 12; attempt++)
    assertRefused(await send(pending, { token: `${token.slice(0, -1)}!` }), attempt <= 10 ? 403 : 429);

  const file = join(dataDir, 'a-file');
  await writeFile(file, '');
  for (const [path, fields] of [
    ['/password', { password: 'password' }],
    ['/username', { username: 'a/b' }],
    ['/backupTo', { backupTo: 'backups' }],
    ['/backupTo', { backupTo: file }],
    ['/access', { access: 'open' }],
    ['/country', { country: 'Germany' }],
    ['/country', { country: 'XX' }],
  ] as const) {
    const { errors } = assertRefused(await send(pending, fields), 400, path);
    assert.deepEqual(
      errors?.map((problem) => problem.path),
      [path],
    );
  }

  const fields = { samples: true, backupTo: backups, country: 'DE' };
  const responses = await Promise.all([send(pending, fields), send(pending, { ...fields, username: 'other' })]);
  assert.deepEqual(
    responses.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 409],
  );
  assert.deepEqual(JSON.parse(responses.find(({ status }) => status === 200)?.text ?? ''), { url: '', unsaved: {} });
  const base = await pending.started();
  assert.equal(base, `${origin}/v2`, 'at the same address');
  assert.match(pending.written.stdout, /^Access +secured/m);
  assert.ok(!pending.written.stderr.includes(token) && !pending.written.stderr.includes(password));

  const winner = responses[0]?.status === 200 ? 'root' : 'other';
  const headers = bearer(await logIn(clientOf(base), winner, password));
  const { text } = await clientOf(base)('GET', 'admin/audit?action=account.created', { headers });
  assert.match(text, /"name":"setup page"/);
  assert.equal((JSON.parse(text) as unknown[]).length, 1);
  assert.match((await clientOf(base)('GET', 'admin/backups', { headers })).text, new RegExp(backups));
  assert.equal((await clientOf(base)('GET', 'organisation')).text, '{"country":"DE"}');
  assert.equal(await petsOf(base), 19, 'the samples without the draft');
  assertRefused(await send(pending), 404);
  pending.child.kill('SIGTERM');
  assert.equal((await pending.ended).code, 0);

  assert.match(await readFile(join(dataDir, 'menagerie.toml'), 'utf8'), /^backup-to = ".*backups"\n$/);
});

void test('first start: an administrator of the command line ends it', async (t) => {
  const dataDir = await temporaryFolder(t);
  const pending = await startPendingServer(t, dataDir, ['--host', '0.0.0.0']);
  assert.match(pending.origin, /\/\/127\.0\.0\.1:/, 'on a loopback address only');
  const args = ['user', 'create', 'ada', '--role', 'admin', '--data-dir', dataDir];
  const { ended } = startMenagerie(t, args, { input: `${password}\n` });
  assert.equal((await ended).code, 0);
  const { port } = new URL(await pending.started());
  const base = `http://127.0.0.1:${port}/v2`;
  await logIn(clientOf(base), 'ada', password);
});

void test('first start: of several nodes on PostgreSQL, one creates the administrator, and all continue', async (t) => {
  const url = await (await sharedPostgres()).createDatabase();
  const folders = await Promise.all([temporaryFolder(t), temporaryFolder(t)]);
  const flags = ['--empty', '--database-url', url];
  const nodes = await Promise.all(folders.map((folder) => startPendingServer(t, folder, flags)));
  const responses = await Promise.all(
    nodes.map((node, index) => send(node, { username: `root${index}`, backupTo: join(folders[0] ?? '', 'backups') })),
  );
  assert.deepEqual(
    responses.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 409],
  );
  const winner = responses.findIndex(({ status }) => status === 200);
  const { unsaved } = JSON.parse(responses[winner]?.text ?? '') as { unsaved: object };
  assert.deepEqual(unsaved, { 'backup-to': join(folders[0] ?? '', 'backups') }, 'to be set on all nodes');
  for (const node of nodes) await logIn(clientOf(await node.started()), `root${winner}`, password);
});

void test('first start: the end of the process ends it', async (t) => {
  const pending = await startPendingServer(t, await temporaryFolder(t));
  pending.child.kill('SIGTERM');
  assert.equal((await pending.ended).code, 0);
});
