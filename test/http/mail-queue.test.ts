import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { SMTPServerOptions } from 'smtp-server';
import type { Call } from '../support/client.ts';
import { until } from '../support/kept-log.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startSmtpReceiver, type ReceivedMail } from '../support/smtp-receiver.ts';
import { openTables, type StoredTables } from '../support/stored.ts';

/* The queue of e-mail: what is sent first, and what a later version has queued. */

const VERA = 'vera@example.net';

async function start(t: TestContext, options: SMTPServerOptions = {}) {
  const receiver = await startSmtpReceiver(t, options);
  const mail = [
    '--smtp-url',
    receiver.url,
    '--mail-from',
    'pets@example.org',
    '--public-url',
    'http://pets.example.org',
  ];
  const service = await startSecuredService(t, { flags: [...mail, '--trusted-proxies', '1'] });
  const { query } = await openTables(t, service.dataDir);
  return { ...service, receiver, query };
}

type Started = Awaited<ReturnType<typeof start>>;

async function confirmVera({ call, receiver }: Started): Promise<void> {
  const headers = bearer(await logIn(call, 'vera'));
  const json = { username: 'vera', email: VERA, userStatus: 2 };
  assert.equal((await call('PUT', 'user/vera', { json, headers })).status, 200);
  const [mail] = await receiver.waitFor(1);
  const token = /#([\w-]{43})/.exec(mail?.text ?? '')?.[1];
  assert.equal((await call('POST', 'email-confirmation', { json: { token } })).status, 200);
}

function saveSearch(call: Call, index: number) {
  const json = { email: `stranger${index}@example.org`, search: 'species=dog', language: 'en' };
  return call('POST', 'saved-searches', { json, headers: { 'x-forwarded-for': `10.${index}.0.1` } });
}

const recipientsOf = (mails: readonly ReceivedMail[]) => mails.flatMap(({ recipients }) => recipients);

void test('mail queue: a slow server with few connections sends a password reset before messages to strangers', async (t) => {
  const started = await start(t, { maxClients: 2 });
  const { call, receiver } = started;
  await confirmVera(started);
  receiver.behave('hold');
  for (let index = 0; index < 40; index++) assert.equal((await saveSearch(call, index)).status, 200);
  await receiver.release();
  await receiver.release();
  await receiver.waitFor(3);
  assert.equal((await call('POST', 'password-reset-request', { json: { email: VERA } })).status, 200);
  const isReset = ({ recipients, text }: ReceivedMail) => recipients.includes(VERA) && text?.includes('reset-password');
  while (!receiver.received.some((mail) => isReset(mail))) {
    const count = receiver.received.length;
    assert.ok(count < 8, 'a message to a stranger was sent before the reset');
    await receiver.release();
    await receiver.waitFor(count + 1);
  }
});

/** As a node of a later version does. */
async function queueMail(query: StoredTables['query'], id: string, kind: string, details: string): Promise<void> {
  const columns = 'id, kind, account_id, recipient, details, created_at_ms, next_at_ms';
  await query(
    `insert into mail (${columns}) select $1, $2, id, '${VERA}', $3, 1, 1 from account where username = 'vera'`,
    id,
    kind,
    details,
  );
}

async function stateOf(call: Call): Promise<Record<string, unknown>> {
  const { text } = await call('GET', 'admin/system', { headers: bearer(await logIn(call, 'root')) });
  return (JSON.parse(text) as { mail: Record<string, unknown> }).mail;
}

void test('mail queue: an alert of a later version waits for its nodes, and is never sent as another one', async (t) => {
  const started = await start(t);
  const { call, receiver, query } = started;
  await confirmVera(started);
  await queueMail(query, 'later', 'alert', '{"alert":"moon-phase","atMs":"1"}');
  await query(`update mail set created_at_ms = ${Date.now()}`);
  await until('an attempt', async () => (await stateOf(call))['lastError'] !== undefined);
  const { waiting, dead, lastError } = await stateOf(call);
  assert.deepEqual([waiting, dead, lastError], [1, 0, 'This version does not know the alert.']);
  assert.deepEqual(recipientsOf(receiver.received), [VERA]);
});
