import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { pino, type Logger } from 'pino';
import type { SMTPServerOptions } from 'smtp-server';
import type { Call } from '../support/client.ts';
import { until } from '../support/kept-log.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startSmtpReceiver, type ReceivedMail } from '../support/smtp-receiver.ts';
import { openTables, type StoredTables } from '../support/stored.ts';

/* The queue of e-mail: what is sent first, and what a later version has queued. */

const VERA = 'vera@example.net';

async function start(t: TestContext, options: SMTPServerOptions = {}, log?: Logger) {
  const receiver = await startSmtpReceiver(t, options);
  const mail = [
    '--smtp-url',
    receiver.url,
    '--mail-from',
    'pets@example.org',
    '--public-url',
    'http://pets.example.org',
  ];
  const service = await startSecuredService(t, { flags: [...mail, '--trusted-proxies', '1'], ...(log && { log }) });
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

void test('mail queue: an outage is logged when it begins and ends, and waiting messages follow the first one', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const { call, receiver, query } = await start(t, {}, log);
  const said = (message: string) => lines.filter((line) => line.includes(message)).length;
  const failed = async () => (await query('select id from mail where last_error is not null')).length;
  receiver.behave('drop');
  for (let index = 0; index < 3; index++) await saveSearch(call, index);
  await until('all have failed', async () => (await failed()) === 3);
  assert.deepEqual([said('e-mail cannot be sent'), said('e-mail is sent again')], [1, 0]);
  const metrics = await call('GET', '../metrics', { headers: bearer(await logIn(call, 'root')) });
  assert.match(metrics.text, /^menagerie_mail_oldest_seconds \d/m);
  receiver.behave('accept');
  await saveSearch(call, 3);
  assert.equal((await receiver.waitFor(4)).length, 4);
  assert.deepEqual([said('e-mail cannot be sent'), said('e-mail is sent again')], [1, 1]);
});

void test('mail queue: an administrator has the waiting messages tried at once', async (t) => {
  const { call, receiver, query } = await start(t);
  receiver.behave('drop');
  await saveSearch(call, 0);
  await until(
    'it has failed',
    async () => (await query('select id from mail where last_error is not null')).length > 0,
  );
  receiver.behave('accept');
  const headers = bearer(await logIn(call, 'root'));
  assert.equal((await call('POST', 'admin/mail/retry', { headers })).status, 200);
  assert.equal((await receiver.waitFor(1)).length, 1);
});
