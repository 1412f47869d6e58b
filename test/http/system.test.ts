import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Activity, RecentLog } from '../../src/api/records/activity.ts';
import type { System } from '../../src/api/records/system.ts';
import { assertRefused, clientOf } from '../support/client.ts';
import { startServer } from '../support/menagerie-process.ts';
import { bearer, logIn, newSecuredFolder } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

/* The state of the system for administrators. */

void test('system: the jobs, the settings and the last errors of the node', async (t) => {
  const dataDir = await newSecuredFolder();
  t.after(() => removeFolder(dataDir));
  // There is no backup yet, and none can be created.
  const folder = await temporaryFolder(t);
  const place = join(folder, 'backups');
  await symlink(join(folder, 'missing', 'backups'), place);
  const flags = ['--empty', '--access', 'secured', '--backup-to', place];
  const server = await startServer(t, dataDir, flags);
  const call = clientOf(server.base);
  const headers = bearer(await logIn(call, 'root'));
  const ask = async (): Promise<System> => {
    const { status, text } = await call('GET', 'admin/system', { headers });
    assert.equal(status, 200, text);
    return JSON.parse(text) as System;
  };
  await until('the first clearing has ended', async () => (await ask()).jobs[0]?.state === 'succeeded');
  assert.equal((await call('POST', 'admin/backups', { headers })).status, 503);
  const { version, nodeVersion, startedAt, settings, jobs, errors } = await ask();
  assert.match(`${version} ${nodeVersion}`, /^\d+\.\d+\.\d+ v\d+\.\d+\.\d+$/);
  assert.ok(Date.parse(startedAt) <= Date.now());
  const backupTo = settings.find(({ name }) => name === 'backup-to');
  assert.deepEqual(backupTo, { name: 'backup-to', value: place, source: 'flag', origin: '--backup-to' });
  assert.deepEqual(
    jobs.map(({ name }) => name),
    ['clearing', 'backup', 'health-checks', 'webhooks'],
  );
  const [clearing, backup, health, webhooks] = jobs;
  assert.ok(Date.parse(clearing?.nextStartAt ?? '') > Date.parse(clearing?.startedAt ?? ''));
  assert.match(webhooks?.state ?? '', /^(?:running|succeeded)$/);
  assert.match(backup?.state ?? '', /^(?:never|failed)$/);
  assert.deepEqual(health, { name: 'health-checks', state: 'never' });
  assert.equal(errors[0]?.message, 'backup failed');
  await server.end('SIGTERM');
});

void test('log and activity: are those of the node, and reading the log adds nothing to it', async (t) => {
  const dataDir = await newSecuredFolder();
  t.after(() => removeFolder(dataDir));
  const server = await startServer(t, dataDir, ['--access', 'secured', '--log-level', 'debug']);
  const call = clientOf(server.base);
  const headers = bearer(await logIn(call, 'root'));
  const ask = async <T>(path: string): Promise<T> => {
    const { status, text } = await call('GET', path, { headers });
    assert.equal(status, 200, text);
    return JSON.parse(text) as T;
  };
  const get = (query: string) => ask<RecentLog>(`admin/log?${query}`);
  assert.equal((await call('GET', 'pet/999999')).status, 404);
  const all = await get('');
  assert.match(all.node, / \(\d+\)$/);
  assert.ok(Date.parse(all.since) <= Date.now());
  const [newest] = (await get('text=/v2/pet/')).entries;
  assert.deepEqual([newest?.level, newest?.message, newest?.operation], ['debug', 'request', 'GET /v2/pet/{petId}']);
  assert.match(newest?.fields ?? '', /^status=404 durationMs=/);
  assert.ok(!JSON.stringify(all).includes('password'));
  assert.deepEqual((await get('level=error')).entries, []);
  assert.deepEqual((await get('')).entries, all.entries);
  assert.equal((await get('limit=1')).entries.length, 1);
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'level=loud', 'text='])
    assertRefused(await call('GET', `admin/log?${query}`, { headers }), 400);
  const activity = await ask<Activity>('admin/activity');
  assert.equal(activity.node, all.node);
  assert.ok(Date.parse(activity.since) <= Date.now());
  assert.equal(activity.memoryBytes.length, activity.requests.length);
  await server.end('SIGTERM');
});
