import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { until } from '../support/kept-log.ts';
import { clientOf, type Call } from '../support/client.ts';
import { logIn, PASSWORDS, startSecuredService, type SecuredOptions } from '../support/secured.ts';
import { startSmtpReceiver, type ReceivedMail } from '../support/smtp-receiver.ts';

const SITE = 'http://pets.example.org';
const NEW_PASSWORD = 'twelve patient pelicans paint';

const GERMAN = { 'accept-language': 'de' };

async function start(t: TestContext, options: SecuredOptions = {}) {
  const receiver = await startSmtpReceiver(t);
  const flags = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org', '--public-url', SITE];
  const service = await startSecuredService(t, { ...options, flags: [...flags, ...(options.flags ?? [])] });
  return { receiver, service, call: service.call };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function post(call: Call, path: string, json: object, headers: Record<string, string> = {}) {
  const { status, text } = await call('POST', path, { json, headers });
  return { status, body: JSON.parse(text) as Record<string, unknown> };
}

/** Sets the address of a user, who logs in for it. */
async function setAddress(call: Call, username: string, email: string, headers = {}): Promise<string> {
  const token = await logIn(call, username);
  const update = { json: { username, email, userStatus: 2 }, headers: { ...bearer(token), ...headers } };
  assert.equal((await call('PUT', `user/${username}`, update)).status, 200);
  return token;
}

function tokenIn({ text = '' }: ReceivedMail): string {
  return /#([\w-]{43})/.exec(text)?.[1] ?? assert.fail(text);
}

async function confirmAddress(
  { call, receiver }: Awaited<ReturnType<typeof start>>,
  username: string,
  email: string,
  headers = {},
): Promise<string> {
  const count = receiver.received.length;
  const token = await setAddress(call, username, email, headers);
  const mails = await receiver.waitFor(count + 1);
  const mail = mails[count] ?? assert.fail();
  assert.deepEqual(mail.recipients, [email]);
  assert.equal((await post(call, 'email-confirmation', { token: tokenIn(mail) }, headers)).status, 200);
  return token;
}

async function confirmedOf(call: Call, token: string): Promise<unknown> {
  const { text } = await call('GET', 'account', { headers: bearer(token) });
  return (JSON.parse(text) as { confirmedEmail?: string }).confirmedEmail;
}

void describe('e-mail addresses', () => {
  void it('a new address is confirmed by a link, once', async (t) => {
    const started = await start(t);
    const { call, receiver } = started;
    const token = await confirmAddress(started, 'vera', 'Vera@example.net', GERMAN);
    assert.equal(await confirmedOf(call, token), 'Vera@example.net');
    const [mail = assert.fail()] = receiver.received;
    assert.match(mail.subject ?? '', /^Bestätigen Sie/);
    assert.ok(mail.text?.includes(`${SITE}/confirm-email#`));
    const again = await post(call, 'email-confirmation', { token: tokenIn(mail) });
    assert.equal(again.status, 400);
  });

  void it('the old one is told of the change, and stays confirmed until the new one is', async (t) => {
    const started = await start(t);
    const { call, receiver } = started;
    await confirmAddress(started, 'vera', 'old@example.net', GERMAN);
    const token = await setAddress(call, 'vera', 'new@example.net');
    const [, ...mails] = await receiver.waitFor(3);
    const byRecipient = new Map(mails.map((mail) => [mail.recipients[0], mail]));
    assert.match(byRecipient.get('old@example.net')?.subject ?? '', /E-Mail-Adresse Ihres Kontos .* geändert/);
    assert.match(byRecipient.get('old@example.net')?.text ?? '', /new@example\.net/);
    assert.equal(await confirmedOf(call, token), 'old@example.net');
    const link = byRecipient.get('new@example.net') ?? assert.fail();
    assert.match(link.subject ?? '', /^Confirm/);
    await post(call, 'email-confirmation', { token: tokenIn(link) });
    assert.equal(await confirmedOf(call, token), 'new@example.net');
  });

  void it('a session that was not proved recently neither changes nor confirms an address', async (t) => {
    let nowMs = Date.now();
    const { call, receiver } = await start(t, { clock: () => nowMs });
    const token = await setAddress(call, 'vera', 'vera@example.net');
    await receiver.waitFor(1);
    nowMs += 16 * 60_000;
    const update = { json: { username: 'vera', email: 'eve@evil.example' }, headers: bearer(token) };
    assert.equal((await call('PUT', 'user/vera', update)).status, 403);
    assert.equal((await post(call, 'account/email-confirmation', {}, bearer(token))).status, 403);
    const fresh = await logIn(call, 'vera');
    assert.equal((await post(call, 'account/email-confirmation', {}, bearer(fresh))).status, 200);
    assert.equal((await receiver.waitFor(2)).length, 2);
  });

  void it('links are limited for each account', async (t) => {
    const { call } = await start(t);
    const token = await setAddress(call, 'vera', 'vera@example.net');
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++)
      statuses.push((await post(call, 'account/email-confirmation', {}, bearer(token))).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 429]);
  });

  void it('a profile with another text as address sends nothing', async (t) => {
    const { call, receiver } = await start(t);
    const token = await setAddress(call, 'vera', 'a@b.example\r\nBcc: eve@evil.example');
    assert.equal((await post(call, 'account/email-confirmation', {}, bearer(token))).status, 400);
    await setAddress(call, 'vera', 'vera@example.net');
    assert.deepEqual(
      (await receiver.waitFor(1)).map(({ recipients }) => recipients),
      [['vera@example.net']],
    );
  });
});

void describe('forgotten password', () => {
  void it('a link is sent to every account with the confirmed address', async (t) => {
    const started = await start(t);
    const { call, receiver } = started;
    const old = await confirmAddress(started, 'vera', 'both@example.net', GERMAN);
    await confirmAddress(started, 'otto', 'Both@example.net');
    const count = receiver.received.length;
    const answer = await post(call, 'password-reset-request', { email: 'BOTH@example.net' });
    assert.deepEqual(answer, { status: 200, body: { code: 200, type: 'unknown', message: 'ok' } });
    const mail = (await receiver.waitFor(count + 1))[count] ?? assert.fail();
    assert.equal(mail.subject, 'Neues Passwort für Menagerie');
    const links = [...(mail.text ?? '').matchAll(/(\w+) wählen:\n\S*#([\w-]{43})/g)].map(([, name, token]) => [
      name,
      token,
    ]);
    assert.deepEqual(
      links.map(([name]) => name),
      ['vera', 'otto'],
    );
    const reset = { token: links[0]?.[1], newPassword: NEW_PASSWORD };
    assert.equal((await post(call, 'password-reset', reset)).status, 200);
    assert.equal((await post(call, 'password-reset', reset)).status, 400, 'it works once');
    assert.equal((await call('GET', 'account', { headers: bearer(old) })).status, 401);
    await logIn(call, 'vera', NEW_PASSWORD);
    const [alert] = (await receiver.waitFor(count + 2)).slice(count + 1);
    assert.match(alert?.subject ?? '', /^Ihr Passwort für Menagerie wurde geändert/);
  });

  void it('an unconfirmed, unknown or closed address gets nothing, with the same response', async (t) => {
    const started = await start(t);
    const { call, receiver } = started;
    await confirmAddress(started, 'otto', 'closed@example.net');
    const root = bearer(await logIn(call, 'root'));
    await call('POST', 'admin/users/otto/close', { headers: root });
    await setAddress(call, 'vera', 'wish@example.net');
    await receiver.waitFor(2);
    const known = await confirmAddress(started, 'edna', 'edna@example.net');
    assert.ok(known);
    const count = (await receiver.waitFor(3)).length;
    const answers = [];
    for (const email of ['wish@example.net', 'nobody@example.net', 'closed@example.net', 'edna@example.net'])
      answers.push(await post(call, 'password-reset-request', { email }));
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    const mails = await receiver.waitFor(count + 1);
    assert.deepEqual(
      mails.slice(count).map(({ recipients }) => recipients),
      [['edna@example.net']],
    );
    // The queue is empty: the others were dropped, not delayed.
    await until('state of the queue', async () => (await stateOf(call, root))?.waiting === 0);
    assert.equal(receiver.received.length, count + 1);
  });

  void it('requests are limited silently for an address, and visibly for a network', async (t) => {
    const started = await start(t);
    const { call, receiver } = started;
    await confirmAddress(started, 'vera', 'vera@example.net');
    const statuses: number[] = [];
    for (let index = 0; index < 22; index++)
      statuses.push((await post(call, 'password-reset-request', { email: 'vera@example.net' })).status);
    assert.deepEqual([statuses.indexOf(429), new Set(statuses)], [19, new Set([200, 429])]);
    // The link that has confirmed the address counts for the network, and each kind on its own for the mailbox.
    await receiver.waitFor(6);
    await until(
      'state of the queue',
      async () => (await stateOf(call, bearer(await logIn(call, 'root'))))?.waiting === 0,
    );
    assert.equal(receiver.received.length, 6);
  });
});

interface MailState {
  waiting: number;
  dead: number;
  lastError?: string;
}

async function stateOf(call: Call, headers: Record<string, string>): Promise<MailState | undefined> {
  const { text } = await call('GET', 'admin/system', { headers });
  return (JSON.parse(text) as { mail?: MailState }).mail;
}

void describe('invitation by e-mail', () => {
  void it('the link is only in the message, and confirms the address', async (t) => {
    const { call, receiver } = await start(t);
    const root = bearer(await logIn(call, 'root'));
    const json = { username: 'mia', role: 'editor', email: 'mia@example.net' };
    const { status, body } = await post(call, 'admin/users', json, { ...root, ...GERMAN });
    assert.deepEqual(
      [status, Object.keys(body).toSorted(), body['sentTo']],
      [200, ['expiresAt', 'sentTo'], 'mia@example.net'],
    );
    const [mail = assert.fail()] = await receiver.waitFor(1);
    assert.deepEqual([mail.subject, mail.recipients], ['Einladung zu Menagerie', ['mia@example.net']]);
    assert.ok(mail.text?.includes(`${SITE}/reset-password?for=invitation#`));
    const reset = await post(call, 'password-reset', { token: tokenIn(mail), newPassword: NEW_PASSWORD });
    assert.equal(reset.status, 200);
    const token = await logIn(call, 'mia', NEW_PASSWORD);
    assert.equal(await confirmedOf(call, token), 'mia@example.net');
    assert.equal(receiver.received.length, 1, 'the first login is no alert');
  });

  void it('is sent again, with a link that replaces the first one, until the user has accepted it', async (t) => {
    const { call, receiver } = await start(t);
    const root = bearer(await logIn(call, 'root'));
    await post(call, 'admin/users', { username: 'mia', email: 'mia@example.net' }, root);
    const [first = assert.fail()] = await receiver.waitFor(1);
    const resend = (username: string) => call('POST', `admin/users/${username}/invitation`, { headers: root });
    assert.equal((await resend('mia')).status, 200);
    const [, second = assert.fail()] = await receiver.waitFor(2);
    const { text } = await call('GET', 'admin/audit?action=account.reset-link-issued&limit=1', { headers: root });
    assert.match(text, /"name":"mia"/);
    const accept = (mail: ReceivedMail) =>
      post(call, 'password-reset', { token: tokenIn(mail), newPassword: NEW_PASSWORD });
    assert.deepEqual([(await accept(first)).status, (await accept(second)).status], [400, 200]);
    assert.deepEqual([(await resend('mia')).status, (await resend('unknown')).status], [409, 404]);
    await post(call, 'admin/users', { username: 'max' }, root);
    assert.equal((await resend('max')).status, 400, 'without an address');
  });

  void it('an invalid address is refused, and without one the link is returned', async (t) => {
    const { call } = await start(t);
    const root = bearer(await logIn(call, 'root'));
    for (const email of ['mia', 'a@b.example,c@d.example'])
      assert.equal((await post(call, 'admin/users', { username: 'mia', email }, root)).status, 400);
    const { body } = await post(call, 'admin/users', { username: 'mia' }, root);
    assert.match(String(body['link']), /#[\w-]{43}$/);
  });
});

void describe('alerts', () => {
  void it('name the new device, and the new API key', async (t) => {
    const started = await start(t, { flags: ['--trusted-proxies', '1'] });
    const { call, receiver, service } = started;
    const token = await confirmAddress(started, 'edna', 'edna@example.net');
    const password = PASSWORDS['edna'] ?? '';
    const logInFrom = async (address: string, agent: string) => {
      const headers = { 'x-forwarded-for': address, 'user-agent': agent };
      const { status } = await clientOf(service.base)('POST', 'user/login', {
        json: { username: 'edna', password },
        headers,
      });
      assert.equal(status, 200);
    };
    await logInFrom('203.0.113.7', 'Browser/1.0 (Laptop)');
    await logInFrom('203.0.113.7', 'Browser/2.0 (Laptop)');
    await logInFrom('203.0.113.7', 'Browser/2.0 (Phone)');
    await logInFrom('198.51.100.9', 'Browser/2.0 (Phone)');
    await call('POST', 'account/keys', { json: { name: 'Shop', scopes: ['read:pets'] }, headers: bearer(token) });
    const mails = (await receiver.waitFor(5)).slice(1);
    const devices = mails.filter(({ subject = '' }) => subject.startsWith('New device')).map(({ text = '' }) => text);
    assert.deepEqual(
      new Set(devices.map((text) => `${/IP address: (\S+)/.exec(text)?.[1]} ${/Device: (.+)/.exec(text)?.[1]}`)),
      new Set([
        '198.51.100.9 Browser/2.0 (Phone)',
        '203.0.113.7 Browser/1.0 (Laptop)',
        '203.0.113.7 Browser/2.0 (Phone)',
      ]),
    );
    assert.ok(mails.some(({ text = '' }) => text.includes('Name: Shop')));
  });

  void it('are not sent without a confirmed address', async (t) => {
    const { call, receiver } = await start(t);
    const token = await setAddress(call, 'edna', 'edna@example.net');
    await receiver.waitFor(1);
    await call('POST', 'account/keys', { json: { name: 'Shop', scopes: ['read:pets'] }, headers: bearer(token) });
    assert.equal((await stateOf(call, bearer(await logIn(call, 'root'))))?.waiting, 0);
  });
});

void describe('test message', () => {
  void it('shows the response of the server, and is only for administrators', async (t) => {
    const { call, receiver } = await start(t);
    const root = bearer(await logIn(call, 'root'));
    const send = (to: string, headers: Record<string, string>) => post(call, 'admin/mail/test', { to }, headers);
    const { body } = await send('ada@example.net', { ...root, ...GERMAN });
    assert.deepEqual(body, { sent: true, answer: '250 Queued' });
    assert.equal(receiver.received[0]?.subject, 'Testnachricht von Menagerie');
    receiver.behave(550);
    assert.deepEqual((await send('ada@example.net', root)).body, { sent: false, answer: '550 No such mailbox' });
    await receiver.stop();
    const down = (await send('ada@example.net', root)).body;
    assert.equal(down['sent'], false);
    assert.match(String(down['answer']), /ECONNREFUSED/);
    assert.equal((await send('a@b.example,c@d.example', root)).status, 400);
    assert.equal((await send('ada@example.net', bearer(await logIn(call, 'edna')))).status, 403);
  });

  void it('has the name of the organisation', async (t) => {
    const { call, receiver } = await start(t);
    const root = bearer(await logIn(call, 'root'));
    await call('PUT', 'organisation', { json: { name: 'Zoo, "Süd" <x@evil.example>' }, headers: root });
    await post(call, 'admin/mail/test', { to: 'ada@example.net' }, root);
    const { from } = receiver.received[0] ?? assert.fail();
    assert.deepEqual(from, { name: 'Zoo, "Süd" <x@evil.example>', address: 'pets@example.org' });
  });
});

void describe('queue of e-mail', () => {
  void it('a message that the server refuses for now is sent later; one it refuses for good is given up', async (t) => {
    let nowMs = Date.now();
    const started = await start(t, { clock: () => nowMs });
    const { call, receiver } = started;
    const root = bearer(await logIn(call, 'root'));
    receiver.behave({ status: 451, text: 'Greylisted' });
    await post(call, 'admin/users', { username: 'mia', email: 'mia@example.net' }, root);
    await until('state of the queue', async () => (await stateOf(call, root))?.lastError === '451 Greylisted');
    receiver.behave('accept');
    nowMs += 61_000;
    await receiver.waitFor(1);
    receiver.behave(550);
    await post(call, 'admin/users', { username: 'max', email: 'max@example.net' }, root);
    await until('state of the queue', async () => (await stateOf(call, root))?.dead === 1);
    assert.deepEqual(await stateOf(call, root), { waiting: 0, unknown: 0, dead: 1, lastError: '550 No such mailbox' });

    const listed = async () =>
      JSON.parse((await call('GET', 'admin/mail/dead', { headers: root })).text) as Record<string, unknown>[];
    const [{ id, createdAt, failedAt, accountId, ...message } = {}, ...more] = await listed();
    assert.equal(failedAt, new Date(nowMs).toISOString(), 'it failed now');
    assert.deepEqual(
      [more.length, typeof createdAt, typeof failedAt, typeof accountId],
      [0, 'string', 'string', 'number'],
    );
    const facts = { kind: 'invitation', recipient: 'max@example.net', attempts: 1, lastError: '550 No such mailbox' };
    assert.deepEqual(message, facts);
    const path = `admin/mail/dead/${String(id)}`;
    assert.equal((await call('POST', `${path}/retry`, { headers: root })).status, 200);
    await until('given up again', async () => (await listed()).length === 1);
    receiver.behave('accept');
    assert.equal((await call('POST', `${path}/retry`, { headers: root })).status, 200);
    assert.deepEqual((await receiver.waitFor(2))[1]?.recipients, ['max@example.net']);
    assert.deepEqual(await listed(), []);
    assert.equal((await call('POST', `${path}/retry`, { headers: root })).status, 404);

    receiver.behave(550);
    await post(call, 'admin/users', { username: 'tom', email: 'tom@example.net' }, root);
    await until('state of the queue', async () => (await stateOf(call, root))?.dead === 1);
    const [{ id: other } = {}] = await listed();
    for (const status of [200, 404])
      assert.equal((await call('DELETE', `admin/mail/dead/${String(other)}`, { headers: root })).status, status);
    const { text } = await call('GET', 'admin/audit?action=mail', { headers: root });
    const actions = (JSON.parse(text) as { action: string }[]).map(({ action }) => action);
    assert.deepEqual(actions, ['mail.deleted', 'mail.retried', 'mail.retried']);
  });

  void it('a message that the server refuses because of settings is tried again, and given up after two days', async (t) => {
    let nowMs = Date.now();
    const { call, receiver } = await start(t, { clock: () => nowMs });
    let root = bearer(await logIn(call, 'root'));
    const deadMail = async () =>
      JSON.parse((await call('GET', 'admin/mail/dead', { headers: root })).text) as Record<string, unknown>[];
    receiver.behave({ status: 530, text: 'Authentication required', at: 'recipient' });
    await post(call, 'admin/users', { username: 'mia', email: 'mia@example.net' }, root);
    await until(
      'state of the queue',
      async () => (await stateOf(call, root))?.lastError === '530 Authentication required',
    );
    assert.deepEqual([(await stateOf(call, root))?.waiting, await deadMail()], [1, []]);
    nowMs += 2 * 24 * 3_600_000;
    root = bearer(await logIn(call, 'root'));
    await until('given up', async () => (await stateOf(call, root))?.dead === 1);
    const [{ failedAt, id } = {}] = await deadMail();
    assert.equal(failedAt, new Date(nowMs).toISOString());
    receiver.behave('accept');
    assert.equal((await call('POST', `admin/mail/dead/${String(id)}/retry`, { headers: root })).status, 200);
    assert.deepEqual((await receiver.waitFor(1))[0]?.recipients, ['mia@example.net']);
  });

  void it('survives a restart and a server that is down', async (t) => {
    const started = await start(t);
    const { call, receiver, service } = started;
    const root = bearer(await logIn(call, 'root'));
    receiver.behave('drop');
    await post(call, 'admin/users', { username: 'mia', email: 'mia@example.net' }, root);
    await receiver.waitForAttempts(1);
    await service.stop();
    const other = await startSmtpReceiver(t);
    const flags = ['--smtp-url', other.url, '--mail-from', 'pets@example.org', '--public-url', SITE];
    const later = Date.now() + 10 * 60_000;
    await startSecuredService(t, { dataDir: service.dataDir, flags, clock: () => later });
    assert.deepEqual(
      (await other.waitFor(1)).map(({ recipients }) => recipients),
      [['mia@example.net']],
    );
  });

  void it('no token is in the database or the log', async (t) => {
    const lines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
    const started = await start(t, { log });
    const { call, receiver, service } = started;
    const root = bearer(await logIn(call, 'root'));
    await confirmAddress(started, 'vera', 'vera@example.net');
    await post(call, 'password-reset-request', { email: 'vera@example.net' });
    await post(call, 'admin/users', { username: 'mia', email: 'mia@example.net' }, root);
    const mails = await receiver.waitFor(3);
    await service.stop();
    const files = await readdir(service.dataDir, { recursive: true, withFileTypes: true });
    const contents = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
    );
    for (const mail of mails)
      assert.ok(![...contents, ...lines].some((text) => text.includes(tokenIn(mail))), mail.subject ?? '');
  });
});
