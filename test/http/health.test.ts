import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECK_NAMES } from '../../src/domain/health/checks.ts';
import type { Health } from '../../src/api/records/health.ts';
import type { Call } from '../support/client.ts';
import { logIn, ROOT, serveOn } from '../support/rich-installation.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder, testConfig } from '../support/service.ts';
import { openOperatorDesk } from '../../src/server/operator.ts';
import { until } from '../support/until.ts';

/* Checks of the data through the API. `test/server/doctor.test.ts` has the checks themselves. */

async function newFolder(t: Lifetime): Promise<string> {
  const dataDir = join(await temporaryFolder(t), 'data');
  const desk = await openOperatorDesk(testConfig(dataDir), true);
  await desk.administration.createUser(desk.operator, { ...ROOT, role: 'admin' });
  await desk.close();
  return dataDir;
}

async function asAdmin(call: Call) {
  const headers = { authorization: `Bearer ${await logIn(call)}` };
  return async (method: 'GET' | 'POST'): Promise<Health> => {
    const { status, text } = await call(method, 'admin/health', { headers });
    assert.equal(status, 200, text);
    return JSON.parse(text) as Health;
  };
}

type Ask = Awaited<ReturnType<typeof asAdmin>>;

async function finished(ask: Ask): Promise<Health> {
  let health = await ask('GET');
  await until('the check ends', async () => (health = await ask('GET')).running === null);
  return health;
}

void test('health: a check runs in the background, and its findings stay after a restart', async (t) => {
  const dataDir = await newFolder(t);
  const { call, stop } = await serveOn(t, dataDir);
  const ask = await asAdmin(call);
  const nothing = { running: null, checkedAt: null, healthy: null, findings: [], error: null, databaseServers: [] };
  assert.deepEqual(await ask('GET'), nothing);
  const started = await ask('POST');
  assert.notEqual(started.running, null);
  assert.equal((await ask('POST')).running?.startedAt, started.running?.startedAt, 'one check at a time');
  const health = await finished(ask);
  assert.equal(health.error, null);
  assert.deepEqual(new Set(health.findings.map(({ check }) => check)), new Set(CHECK_NAMES));
  assert.ok(Date.parse(health.checkedAt ?? '') >= Date.parse(started.running?.startedAt ?? ''));
  await stop();
  const again = await serveOn(t, dataDir);
  const asked = await asAdmin(again.call);
  assert.deepEqual(await asked('GET'), health);
  // The next check replaces the findings.
  await writeFile(join(dataDir, 'search-index'), 'damaged');
  await asked('POST');
  const next = await finished(asked);
  assert.deepEqual(
    next.findings.filter(({ problem }) => problem?.startsWith('search')).map(({ problem }) => problem),
    ['search-index-unusable'],
  );
});

void test('health: the end of the service ends a running check', async (t) => {
  const dataDir = await newFolder(t);
  const { call, stop } = await serveOn(t, dataDir);
  assert.notEqual((await (await asAdmin(call))('POST')).running, null);
  await stop();
  const again = await serveOn(t, dataDir);
  const health = await (await asAdmin(again.call))('GET');
  assert.deepEqual([health.running, health.error], [null, 'The service was stopped.']);
});

void test('health: a damaged state file counts as no check', async (t) => {
  const dataDir = await newFolder(t);
  await writeFile(join(dataDir, 'health.json'), '{"version":');
  const { call } = await serveOn(t, dataDir);
  assert.equal((await (await asAdmin(call))('GET')).checkedAt, null);
});

void test('health: the checks know whether the running service sends e-mail', async (t) => {
  const mail = ['--public-url=https://pets.example.org', '--mail-from=pets@example.org'];
  for (const [flags, expected] of [
    [[], 'enquiries-not-mailed'],
    [[...mail, '--smtp-url=smtp://127.0.0.1:9?starttls=never'], 'enquiries-without-recipient'],
  ] as const) {
    const { call } = await serveOn(t, await newFolder(t), flags);
    const ask = await asAdmin(call);
    const headers = { authorization: `Bearer ${await logIn(call)}` };
    const stored = await call('PUT', 'enquiry-settings', { headers, json: { enabled: true } });
    assert.equal(stored.status, 200, stored.text);
    await ask('POST');
    const { findings } = await finished(ask);
    const found = findings.filter(({ check, problem }) => check === 'mail' && problem !== null);
    assert.deepEqual(
      found.map(({ problem }) => problem),
      [expected],
    );
  }
});
