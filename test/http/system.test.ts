import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import type { System } from '../../src/api/records/system.ts';
import type { LoggedError } from '../../src/domain/system.ts';
import { ProcessRecords } from '../../src/server/system/process-records.ts';
import { watchErrors } from '../../src/server/log/watched-log.ts';
import { clientOf } from '../support/client.ts';
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

void test('recent errors: request and error are named, and their data is not kept', () => {
  const errors: LoggedError[] = [];
  const lines: string[] = [];
  const log = watchErrors(pino({}, { write: (line: string) => void lines.push(line) }), (error) => errors.push(error));
  const err = Object.assign(new RangeError('the password is 12345'), { code: 'ERR_SECRET' });
  log.error({ err, requestId: 'r1', method: 'GET', route: '/v2/pet/:petId' }, 'unexpected error');
  log.fatal('the end');
  log.warn('not an error');
  assert.equal(lines.length, 3, 'the log is complete');
  assert.match(lines[0] ?? '', /12345/);
  const { atMs, ...first } = errors[0] ?? assert.fail();
  assert.ok(atMs <= Date.now());
  assert.deepEqual(first, {
    message: 'unexpected error',
    detail: 'RangeError (ERR_SECRET)',
    operation: 'GET /v2/pet/{petId}',
    requestId: 'r1',
  });
  assert.equal(errors[1]?.message, 'the end');
  assert.equal(errors.length, 2);
});

void test('recent errors: only the newest are kept', () => {
  const records = new ProcessRecords(() => 7);
  for (let index = 0; index < 60; index++) records.addError({ atMs: index, message: 'trouble' });
  const { errors } = records.read();
  assert.deepEqual([errors.length, errors[0]?.atMs, errors.at(-1)?.atMs], [50, 59, 10]);
});
