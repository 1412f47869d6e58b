import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Doctor } from '../../src/server/health/doctor.ts';
import { assertRefused, type Call, type HttpResponse } from '../support/client.ts';
import { keepLog, until } from '../support/kept-log.ts';
import { bearer, logIn, newSecuredFolder, startSecuredService, type SecuredOptions } from '../support/secured.ts';
import { removeFolder, testConfigOn } from '../support/service.ts';
import { dropDatabaseOf } from '../support/nodes.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { openTables } from '../support/stored.ts';

const PATH = 'admin/mail/settings';
const PASSWORD = 'marzipan otters in the harbour';
const PUBLIC = ['--public-url', 'http://pets.example.org'];
const KEY = ['--secret-key', 'a key for tests that has more than 32 characters'];
const PRIVATE = ['--admin-private-addresses'];

/** A server that asks for this password. */
async function startReceiver(t: Parameters<typeof startSmtpReceiver>[0]) {
  const logins: string[] = [];
  const receiver = await startSmtpReceiver(t, {
    allowInsecureAuth: true,
    onAuth: ({ username = '', password = '' }, _session, callback) => {
      logins.push(`${username} ${password}`);
      callback(null, { user: username });
    },
  });
  const settings = { host: '127.0.0.1', port: receiver.port, security: 'none', from: 'pets@example.org' };
  return { receiver, logins, settings: { ...settings, username: 'rescue', password: PASSWORD } };
}

async function start(t: Parameters<typeof startSecuredService>[0], options: SecuredOptions = {}) {
  const service = await startSecuredService(t, { ...options, flags: [...PUBLIC, ...(options.flags ?? [])] });
  const headers = bearer(await logIn(service.call, 'root'));
  return { service, call: service.call, headers };
}

const recordIn = ({ text }: HttpResponse) => JSON.parse(text) as Record<string, unknown>;

/** Each node learns of it within seconds. */
async function untilSent(call: Call, headers: Record<string, string>): Promise<void> {
  await until('a sent message', async () => {
    const { status, text } = await call('POST', 'admin/mail/test', { headers, json: { to: 'ada@example.net' } });
    return status === 200 && (JSON.parse(text) as { sent: boolean }).sent;
  });
}

void test('mail settings: stored ones are used without a restart, and the password is nowhere', async (t) => {
  const { receiver, logins, settings } = await startReceiver(t);
  const { log, lines } = keepLog();
  const { service, call, headers } = await start(t, { log, flags: [...KEY, ...PRIVATE] });
  const before = await call('GET', PATH, { headers });
  assert.deepEqual(recordIn(before), { hasPassword: false, fixed: [], missing: [] });
  assert.equal(before.headers.get('etag'), '"0"');
  assertRefused(await call('POST', 'admin/mail/test', { headers, json: { to: 'ada@example.net' } }), 409);

  const stored = await call('PUT', PATH, { headers: { ...headers, 'if-match': '"0"' }, json: settings });
  assert.equal(stored.status, 200, stored.text);
  const { password: _, ...shown } = settings;
  assert.deepEqual(recordIn(stored), { ...shown, hasPassword: true, fixed: [], missing: [] });
  await untilSent(call, headers);
  assert.deepEqual([...new Set(logins)], [`rescue ${PASSWORD}`]);
  assert.equal(receiver.received[0]?.from?.address, 'pets@example.org');

  // Without a password, the stored one stays.
  const { password: __, ...kept } = { ...settings, from: 'office@example.org' };
  assert.equal((await call('PUT', PATH, { headers, json: kept })).status, 200);
  await until('the new sender', async () => {
    await untilSent(call, headers);
    return receiver.received.at(-1)?.from?.address === 'office@example.org';
  });
  assert.deepEqual([...new Set(logins)], [`rescue ${PASSWORD}`]);

  // Another server does not get it.
  for (const change of [{ host: 'localhost' }, { port: 2525 }, { username: 'other' }, { security: 'starttls' }]) {
    const { errors } = assertRefused(await call('PUT', PATH, { headers, json: { ...kept, ...change } }), 400);
    assert.deepEqual(
      errors?.map(({ path }) => path),
      ['/password'],
    );
  }
  assertRefused(await call('PUT', PATH, { headers: { ...headers, 'if-match': '"1"' }, json: settings }), 412);

  const audit = await call('GET', 'admin/audit?action=mail-settings.changed', { headers });
  assert.deepEqual(
    (JSON.parse(audit.text) as { details: object }[]).map(({ details }) => details),
    [{ version: '2' }, { version: '1' }],
  );
  const tables = await openTables(t, service.dataDir);
  const rows = JSON.stringify(await tables.query('select text from site_record'));
  for (const text of [rows, audit.text, JSON.stringify(lines), (await call('GET', 'admin/system', { headers })).text])
    assert.ok(!text.includes(PASSWORD) && !text.includes('a key for tests'), text);

  assert.equal((await call('PUT', PATH, { headers, json: {} })).status, 200);
  await until('no e-mail', async () => {
    const { status } = await call('POST', 'admin/mail/test', { headers, json: { to: 'ada@example.net' } });
    return status === 409;
  });
});

void test('mail settings: those of the operator win, and cannot be changed', async (t) => {
  const { receiver, settings } = await startReceiver(t);
  const flags = ['--smtp-url', receiver.url, '--mail-from', 'flag@example.org', ...PRIVATE, ...KEY];
  const { call, headers } = await start(t, { flags });
  const { fixed } = recordIn(await call('GET', PATH, { headers }));
  assert.deepEqual(fixed, [
    { name: 'smtp-url', value: receiver.url, source: 'flag', origin: '--smtp-url' },
    { name: 'mail-from', value: 'flag@example.org', source: 'flag', origin: '--mail-from' },
  ]);
  assert.match(assertRefused(await call('PUT', PATH, { headers, json: settings }), 409).message, /--smtp-url/);
});

void test('mail settings: a server in the private network, weak encryption and unknown fields are refused', async (t) => {
  const { call, headers } = await start(t, { flags: KEY });
  const good = { host: 'mail.example.org', security: 'tls', from: 'pets@example.org' };
  const paths = async (json: object) => {
    const { errors = [] } = assertRefused(await call('PUT', PATH, { headers, json }), 400);
    return errors.map(({ path }) => path);
  };
  for (const host of ['127.0.0.1', 'localhost', '10.1.2.3', '::1', '169.254.169.254', 'nas.internal', 'nas', '0x7f.1'])
    assert.deepEqual(await paths({ ...good, host }), ['/host'], host);
  assert.deepEqual(await paths({ ...good, host: 'mail.example.org/x' }), ['/host']);
  assert.deepEqual(await paths({ ...good, username: 'a', password: 'b', security: 'none' }), ['/security']);
  assert.deepEqual(await paths({ ...good, password: 'b' }), ['/username']);
  assert.deepEqual(await paths({ ...good, from: 'Pets <pets@example.org>' }), ['/from']);
  assertRefused(await call('PUT', PATH, { headers, json: { ...good, pasword: 'b' } }), 400);
  assert.deepEqual(recordIn(await call('GET', PATH, { headers })), { hasPassword: false, fixed: [], missing: [] });
});

void test('mail settings: without a public URL or a recent login, and in sandbox access, nothing is stored', async (t) => {
  const json = { host: 'mail.example.org', from: 'pets@example.org' };
  const plain = await startSecuredService(t, { flags: KEY });
  const headers = bearer(await logIn(plain.call, 'root'));
  assert.deepEqual(recordIn(await plain.call('GET', PATH, { headers }))['missing'], ['public-url']);
  assert.match(assertRefused(await plain.call('PUT', PATH, { headers, json }), 409).message, /--public-url/);

  let nowMs = Date.now();
  const aged = await start(t, { flags: KEY, clock: () => nowMs });
  nowMs += 20 * 60_000;
  assertRefused(await aged.call('PUT', PATH, { headers: aged.headers, json }), 403);

  const open = await start(t, { flags: [...KEY, '--access', 'sandbox'] });
  assert.match(assertRefused(await open.call('PUT', PATH, { headers: open.headers, json }), 409).message, /sandbox/);
});

void test('mail settings: another key or damaged settings are a finding, and the service starts', async (t) => {
  const { settings } = await startReceiver(t);
  const dataDir = await newSecuredFolder();
  t.after(async () => {
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  const first = await start(t, { dataDir, flags: [...PRIVATE, ...KEY] });
  assert.equal((await first.call('PUT', PATH, { headers: first.headers, json: settings })).status, 200);
  await first.service.stop();

  const otherKey = [...PRIVATE, '--secret-key', 'another key for tests with more than 32 characters'];
  const second = await start(t, { dataDir, flags: otherKey });
  const record = recordIn(await second.call('GET', PATH, { headers: second.headers }));
  assert.deepEqual([record['host'], record['problem'], record['hasPassword']], ['127.0.0.1', 'secret', true]);
  const { password: _, ...kept } = settings;
  assertRefused(await second.call('PUT', PATH, { headers: second.headers, json: kept }), 400);
  assert.deepEqual(await problemsIn(dataDir, otherKey), ['setting-unreadable']);
  assert.equal((await second.call('PUT', PATH, { headers: second.headers, json: settings })).status, 200);
  assert.deepEqual(await problemsIn(dataDir, otherKey), []);
  await second.service.stop();

  const tables = await openTables(t, dataDir);
  for (const text of ['{', '7', '{"host":"mail.example.org"}', '{"host":"a b","port":1,"security":"tls"}']) {
    await tables.query(`update site_record set text = '${text}' where kind = 'mail-settings'`);
    assert.deepEqual(await problemsIn(dataDir, otherKey), ['setting-invalid'], text);
  }
  const third = await start(t, { dataDir, flags: otherKey });
  assert.equal(recordIn(await third.call('GET', PATH, { headers: third.headers }))['problem'], 'invalid');
  assert.equal((await third.call('PUT', PATH, { headers: third.headers, json: settings })).status, 200);
  await untilSent(third.call, third.headers);
});

void test('mail settings: nodes on PostgreSQL share a key, without which no password is stored', async (t) => {
  const { settings } = await startReceiver(t);
  const dataDir = await newSecuredFolder({ onPostgres: true });
  t.after(async () => {
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  const without = await start(t, { dataDir, flags: PRIVATE, nodes: 1 });
  const put = (json: object) => without.call('PUT', PATH, { headers: without.headers, json });
  assert.match(assertRefused(await put(settings), 409).message, /MENAGERIE_SECRET_KEY/);
  assert.equal(recordIn(await without.call('GET', PATH, { headers: without.headers }))['hasPassword'], false);
  const { username: _, password: __, ...anonymous } = settings;
  assert.equal((await put(anonymous)).status, 200);
  await untilSent(without.call, without.headers);
  await without.service.stop();

  // Both nodes respond, so both know the server.
  const { call, headers } = await start(t, { dataDir, flags: [...PRIVATE, ...KEY], nodes: 2 });
  assert.equal((await call('PUT', PATH, { headers, json: settings })).status, 200);
  for (let count = 0; count < 6; count += 1) await untilSent(call, headers);
  assert.deepEqual(await problemsIn(dataDir, [...PRIVATE, ...KEY]), []);
});

async function problemsIn(dataDir: string, flags: readonly string[]): Promise<readonly string[]> {
  const config = await testConfigOn(dataDir, [...PUBLIC, ...flags]);
  const { findings } = await new Doctor(config, { isQuick: true }).run();
  return findings.flatMap(({ check, problem }) => (check === 'settings' && problem !== null ? [problem] : []));
}

void test(
  'mail settings: without a setting, the key is a private file of the data folder, which is never replaced',
  { skip: process.env['MENAGERIE_TEST_NODES'] !== undefined },
  async (t) => {
    const { settings } = await startReceiver(t);
    const { service, call, headers } = await start(t, { flags: PRIVATE });
    const path = join(service.dataDir, 'secret-key');
    assert.ok(!(await readdir(service.dataDir)).includes('secret-key'));
    assert.equal((await call('PUT', PATH, { headers, json: settings })).status, 200);
    const key = await readFile(path, 'utf8');
    assert.match(key, /^[\w-]{43}\n$/);
    await untilSent(call, headers);
    await service.stop();

    const again = await startSecuredService(t, { dataDir: service.dataDir, flags: [...PUBLIC, ...PRIVATE] });
    await untilSent(again.call, bearer(await logIn(again.call, 'root')));
    await again.stop();
    await writeFile(path, '');
    const empty = await start(t, { dataDir: service.dataDir, flags: PRIVATE });
    assertRefused(await empty.call('PUT', PATH, { headers: empty.headers, json: settings }), 503);
    assert.equal(await readFile(path, 'utf8'), '');
    await rm(path);
    assert.equal((await empty.call('PUT', PATH, { headers: empty.headers, json: settings })).status, 200);
  },
);
