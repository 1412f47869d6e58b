import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUIET_MS } from '../../src/features/saved-searches/domain/pet-run.ts';
import { clientOf } from '../support/client.ts';
import { until } from '../support/kept-log.ts';
import { dropDatabaseOf } from '../support/nodes.ts';
import { bearer, logIn, newSecuredFolder, startSecuredService } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';

/** The limit of requests of one network allows few more. */
const VISITORS = 4;

void test('saved searches on several nodes: each new match is mailed once', async (t) => {
  const receiver = await startSmtpReceiver(t);
  const dataDir = await newSecuredFolder({ onPostgres: true });
  t.after(async () => {
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  const mail = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org'];
  const flags = [...mail, '--public-url', 'http://pets.example.org'];
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const service = await startSecuredService(t, { dataDir, flags, clock, nodes: 2 });
  const call = clientOf(service.base);
  const headers = bearer(await logIn(call, 'root'));
  const visitors = Array.from({ length: VISITORS }, (_, number) => `visitor-${number}@example.net`);
  for (const email of visitors) {
    const json = { email, search: 'text=rex', language: 'en' };
    assert.equal((await call('POST', 'saved-searches', { json })).status, 200);
  }
  for (const { text = '' } of await receiver.waitFor(VISITORS)) {
    const json = { token: /#([\w-]{43})/.exec(text)?.[1] };
    assert.equal((await call('POST', 'saved-searches/confirm', { json })).status, 200);
  }
  const json = { name: 'Rex', photoUrls: [], status: 'available' };
  assert.equal((await call('POST', 'pet', { json, headers })).status, 200);
  aheadMs = QUIET_MS;
  await receiver.waitFor(2 * VISITORS);
  await until('an empty queue', async () => {
    const { text } = await call('GET', 'admin/system', { headers });
    return (JSON.parse(text) as { mail: { waiting: number } }).mail.waiting === 0;
  });
  const recipients = receiver.received.slice(VISITORS).flatMap((each) => each.recipients);
  assert.deepEqual(recipients.toSorted(), visitors);
});
