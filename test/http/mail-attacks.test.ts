import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createAddresses, fromAddress } from '../support/addresses.ts';
import type { Call, HttpResponse } from '../support/client.ts';
import { agedToken, OPEN_FORM } from '../support/enquiries.ts';
import { bearer, logIn, PASSWORDS, startSecuredService, type SecuredOptions } from '../support/secured.ts';
import { startSmtpReceiver, type ReceivedMail } from '../support/smtp-receiver.ts';
import { openTables } from '../support/stored.ts';
import { until } from '../support/until.ts';

/* Strangers who use the service to send their words, or many messages, to others. */

const PASSWORD = PASSWORDS['otto'] ?? '';
const EVIL = 'You won 1000 EUR, open www.evil.example';

async function start(t: TestContext, options: SecuredOptions = {}) {
  const receiver = await startSmtpReceiver(t);
  const flags = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org', '--trusted-proxies', '1'];
  const site = ['--public-url', 'http://pets.example.org', ...(options.flags ?? [])];
  const { call, dataDir } = await startSecuredService(t, { nodes: 1, ...options, flags: [...flags, ...site] });
  const root = bearer(await logIn(call, 'root'));
  const { query } = await openTables(t, dataDir);
  return {
    receiver,
    call,
    root,
    query,
    /** Waits until all messages were sent. */
    sent: async (): Promise<readonly ReceivedMail[]> => {
      await until('the queue is empty', async () => (await query('select 1 from mail where dead = 0')).length === 0);
      return receiver.received;
    },
  };
}

function ok({ status, text }: HttpResponse): string {
  assert.equal(status, 200, text);
  return text;
}

const recipientsOf = (mails: readonly ReceivedMail[]) => mails.flatMap(({ recipients }) => recipients);

/** Signs up, and has a link sent to an address in both ways. @returns the last response */
async function confirmAs(call: Call, username: string, email: string, words: object = {}): Promise<HttpResponse> {
  ok(await call('POST', 'user', { json: { username, password: PASSWORD, ...words } }));
  const headers = bearer(await logIn(call, username, PASSWORD));
  ok(await call('PUT', `user/${encodeURIComponent(username)}`, { headers, json: { username, email, ...words } }));
  return call('POST', 'account/email-confirmation', { headers });
}

/** Everything that a recipient can see, without what differs in each message: link, time, and Message-ID. */
function wordsOf({ subject, text, html, from, replyTo, headers }: ReceivedMail): string {
  const own = headers.filter(({ key }) => !['message-id', 'date', 'content-type'].includes(key));
  return JSON.stringify({ subject, text, html, from, replyTo, own })
    .replaceAll(/#[\w-]{43}/g, '#TOKEN')
    .replaceAll(/\d+ \w+ \d{4} at \d\d:\d\d/g, 'TIME')
    .replaceAll(/(?:one|two)@victim\.example/g, 'VICTIM');
}

void describe('words of strangers in messages', () => {
  void it('are in no message to an address that is not confirmed', async (t) => {
    const { call, root, receiver, sent, query } = await start(t);
    await call('PUT', 'enquiry-settings', { headers: root, json: { ...OPEN_FORM, recipient: 'office@example.org' } });
    await call('POST', 'pet', { headers: root, json: { id: 7, name: 'Rex', status: 'available' } });
    const attack = async (victim: string, words: string, address: string) => {
      const headers = { 'user-agent': words, referer: `https://www.evil.example/${words}`, 'x-forwarded-host': words };
      const client: Call = (method, path, options = {}) =>
        fromAddress(call, address)(method, path, { ...options, headers: { ...headers, ...options.headers } });
      ok(await confirmAs(client, words, victim, { firstName: words, lastName: words, phone: words }));
      ok(await client('POST', 'password-reset-request', { json: { email: victim } }));
      ok(await client('POST', 'saved-searches', { json: { email: victim, language: 'en', search: `text=${words}` } }));
      const enquiry = { name: words, phone: words, message: words, email: victim, token: await agedToken(query, 7n) };
      ok(await client('POST', 'pet/7/enquiries', { json: enquiry }));
      return (await sent()).filter(({ recipients }) => recipients.includes(victim));
    };
    const harmless = await attack('one@victim.example', 'harmless', '10.0.1.1');
    const evil = await attack('two@victim.example', EVIL, '10.0.2.1');
    assert.deepEqual(evil.map(wordsOf).toSorted(), harmless.map(wordsOf).toSorted());
    assert.equal(evil.length, 4, 'two links, one for a search, and a confirmation of the enquiry');
    for (const { raw } of evil) assert.doesNotMatch(raw, /won 1000|evil\.example/);
    assert.ok(recipientsOf(receiver.received).includes('office@example.org'), 'the shelter gets them');
  });

  void it('where everyone may name pets and users, answers and invitations have no names', async (t) => {
    const { call, root, query, sent } = await start(t, { flags: ['--access', 'sandbox'] });
    await call('PUT', 'enquiry-settings', { headers: root, json: OPEN_FORM });
    ok(await call('POST', 'pet', { json: { id: 7, name: EVIL, status: 'available' } }));
    const enquiry = { name: 'Ada', message: 'Hello', email: 'ada@victim.example', token: await agedToken(query, 7n) };
    ok(await call('POST', 'pet/7/enquiries', { json: enquiry }));
    const [{ id }] = JSON.parse(ok(await call('GET', 'enquiries', { headers: root }))) as [{ id: number }];
    ok(await call('POST', `enquiries/${id}/answers`, { headers: root, json: { text: 'Come on Monday.' } }));
    const bob = { username: 'bob', role: 'viewer', email: 'bob@victim.example' };
    ok(await call('POST', 'admin/users', { headers: root, json: bob }));
    await sent();
    ok(await call('PUT', 'user/bob', { json: { username: EVIL, email: bob.email, userStatus: 2 } }));
    ok(await call('POST', `admin/users/${encodeURIComponent(EVIL)}/invitation`, { headers: root }));
    const mails = await sent();
    assert.deepEqual(recipientsOf(mails).toSorted(), ['ada@victim.example', bob.email, bob.email]);
    for (const { raw } of mails) assert.doesNotMatch(raw, /won|evil/);
    assert.equal(mails[0]?.subject, 'Answer of Menagerie');
  });

  void it('an invitation has the name that an administrator has chosen', async (t) => {
    const { call, root, sent } = await start(t);
    const bob = { username: 'bob', role: 'viewer', email: 'bob@example.org' };
    ok(await call('POST', 'admin/users', { headers: root, json: bob }));
    assert.match((await sent())[0]?.text ?? '', /the account bob for you/);
  });
});

void describe('many messages', () => {
  void it('to one mailbox: 200 accounts at many addresses send few, however it is spelt', async (t) => {
    const { call, sent } = await start(t);
    for (let index = 0; index < 200; index++) {
      const spelling = ['victim', 'v.i.c.t.i.m', 'VIC.TIM'][index % 3] ?? '';
      const email = `${spelling}+${index}@${index % 2 === 0 ? 'gmail.com' : 'GoogleMail.com'}`;
      const client = fromAddress(call, `10.${index}.0.1`);
      const { status } = await confirmAs(client, `user${index}`, email);
      assert.ok(status === 200 || status === 429, String(status));
    }
    assert.equal((await sent()).length, 20);
    // The owner of another mailbox is not affected.
    assert.equal((await confirmAs(fromAddress(call, '10.200.0.1'), 'eva', 'eva@gmail.com')).status, 200);
  });

  void it('to many mailboxes: a network of any width sends few, others are served, and Retry-After says when', async (t) => {
    let nowMs = Date.now();
    const { call, sent } = await start(t, { clock: () => nowMs });
    const ask = (address: string, email: string) =>
      fromAddress(call, address)('POST', 'saved-searches', { json: { email, language: 'en', search: 'text=dog' } });
    const statuses: number[] = [];
    for (let index = 0; index < 30; index++) statuses.push((await ask('10.1.1.1', `a${index}@example.org`)).status);
    assert.deepEqual(statuses, [...Array<number>(20).fill(200), ...Array<number>(10).fill(429)]);
    // Other addresses of its IPv4 /24, and of an IPv6 /48.
    for (const addressOf of [(n: number) => `10.1.1.${n}`, (n: number) => `2001:db8:7:${n}::1`]) {
      const more: number[] = [];
      for (let n = 2; n < 100; n++) more.push((await ask(addressOf(n), `b${n}@${more.length}.example.org`)).status);
      const served = more.filter((status) => status === 200).length;
      assert.ok(served > 20 && served < 50, String(served));
      assert.equal(more.at(-1), 429);
    }
    const refused = await ask('10.1.1.1', 'c@example.org');
    const waitS = Number(refused.headers.get('retry-after'));
    assert.ok(refused.status === 429 && waitS > 0 && waitS <= 86_400, String(waitS));
    assert.equal((await ask('10.1.2.1', 'd@example.org')).status, 200);
    const count = (await sent()).length;
    nowMs += waitS * 1000 + 1;
    assert.equal((await ask('10.1.1.1', 'c@example.org')).status, 200);
    assert.equal((await sent()).length, count + 1);
  });

  void it('requests for a new password: the same response beyond the limit of the mailbox, and nothing is sent', async (t) => {
    const { call, receiver, sent } = await start(t);
    const headers = bearer(await logIn(call, 'vera'));
    ok(await call('PUT', 'user/vera', { headers, json: { username: 'vera', email: 'vera@example.net' } }));
    const [mail] = await receiver.waitFor(1);
    const token = /#([\w-]{43})/.exec(mail?.text ?? '')?.[1];
    ok(await call('POST', 'email-confirmation', { json: { token } }));
    const nextAddress = createAddresses();
    const responses = new Set<string>();
    for (let index = 0; index < 40; index++) {
      const client = fromAddress(call, nextAddress().replace('10.0.', `10.${index}.`));
      const email = index % 2 === 0 ? 'vera@example.net' : 'VERA@EXAMPLE.net';
      const { status, text } = await client('POST', 'password-reset-request', { json: { email } });
      responses.add(`${status} ${text}`);
    }
    assert.equal(responses.size, 1, [...responses].join('\n'));
    assert.equal((await sent()).length, 1 + 20);
  });

  void it('answers of staff to one mailbox are limited, and a refused one is not stored', async (t) => {
    const { call, root, query, sent } = await start(t);
    await call('PUT', 'enquiry-settings', { headers: root, json: OPEN_FORM });
    await call('POST', 'pet', { headers: root, json: { id: 7, name: 'Rex', status: 'available' } });
    const enquiry = { name: 'Ada', message: 'Hello', email: 'ada@victim.example', token: await agedToken(query, 7n) };
    ok(await call('POST', 'pet/7/enquiries', { json: enquiry }));
    const edna = bearer(await logIn(call, 'edna'));
    const [{ id }] = JSON.parse(ok(await call('GET', 'enquiries', { headers: edna }))) as [{ id: number }];
    const answer = () => call('POST', `enquiries/${id}/answers`, { headers: edna, json: { text: EVIL } });
    for (let index = 0; index < 10; index++) ok(await answer());
    const refused = await answer();
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    const { entries } = JSON.parse(ok(await call('GET', `enquiries/${id}`, { headers: edna }))) as {
      entries: unknown[];
    };
    assert.equal(entries.length, 10);
    assert.equal((await sent()).length, 11);
  });
});

void describe('addresses that are not on the internet', () => {
  const LOCAL = ['a@localhost', 'a@mail', 'a@127.0.0.1', 'a@0x7f.1', 'a@printer.local', 'a@x.internal', 'a@y.invalid'];

  void it('get messages from a local server only', async (t) => {
    const flags = ['--smtp-url', 'smtp://mail.example.org', '--mail-from', 'pets@example.org'];
    const site = ['--public-url', 'http://pets.example.org'];
    const { call, dataDir } = await startSecuredService(t, { nodes: 1, flags: [...flags, ...site] });
    const root = bearer(await logIn(call, 'root'));
    const { query } = await openTables(t, dataDir);
    await call('PUT', 'enquiry-settings', { headers: root, json: OPEN_FORM });
    await call('POST', 'pet', { headers: root, json: { id: 7, name: 'Rex', status: 'available' } });
    const vera = bearer(await logIn(call, 'vera'));
    for (const email of LOCAL) {
      const token = await agedToken(query, 7n);
      const requests: readonly (readonly [path: string, json: object, headers?: Record<string, string>])[] = [
        ['password-reset-request', { email }],
        ['saved-searches', { email, language: 'en', search: 'text=dog' }],
        ['pet/7/enquiries', { name: 'Ada', message: 'Hello', email, token }],
        ['admin/mail/test', { to: email }, root],
        ['admin/users', { username: 'bob', role: 'viewer', email }, root],
      ];
      for (const [path, json, headers = {}] of requests) {
        const { status, text } = await call('POST', path, { json, headers });
        assert.equal(status, 400, `${path} ${email}: ${text}`);
        assert.match(text, /must have a domain that exists on the internet/);
      }
      ok(await call('PUT', 'user/vera', { headers: vera, json: { username: 'vera', email, userStatus: 2 } }));
      assert.equal((await call('POST', 'account/email-confirmation', { headers: vera })).status, 400);
    }
    assert.deepEqual(await query('select recipient from mail'), []);
  });

  void it('get messages from a server of the same network', async (t) => {
    const { call, sent } = await start(t);
    ok(await call('POST', 'saved-searches', { json: { email: 'a@localhost', language: 'en', search: 'text=dog' } }));
    assert.deepEqual(recipientsOf(await sent()), ['a@localhost']);
  });
});
