import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { until } from '../support/kept-log.ts';
import { bearer, logIn, newSecuredFolder, startSecuredService } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { dropDatabaseOf } from '../support/nodes.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';

const COUNT = 40;

void test('queue of e-mail on several nodes: each message is sent once', async (t) => {
  const receiver = await startSmtpReceiver(t);
  const dataDir = await newSecuredFolder({ onPostgres: true });
  t.after(async () => {
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  const mail = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org'];
  const flags = [...mail, '--public-url', 'http://pets.example.org'];
  const service = await startSecuredService(t, { dataDir, flags, nodes: 2 });
  const call = clientOf(service.base);
  const headers = bearer(await logIn(call, 'root'));
  const users = Array.from({ length: COUNT }, (_, number) => `user-${number}`);
  await Promise.all(
    users.map(async (username) => {
      const json = { username, email: `${username}@example.net` };
      assert.equal((await call('POST', 'admin/users', { json, headers })).status, 200);
    }),
  );
  await receiver.waitFor(COUNT);
  await until('an empty queue', async () => {
    const { text } = await call('GET', 'admin/system', { headers });
    return (JSON.parse(text) as { mail: { waiting: number } }).mail.waiting === 0;
  });
  const recipients = receiver.received.flatMap((each) => each.recipients);
  assert.deepEqual(recipients.toSorted(), users.map((username) => `${username}@example.net`).toSorted());
  assert.equal(new Set(receiver.received.map(({ messageId }) => messageId)).size, COUNT);
});
