import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { SAVED_SEARCH_LIMITS } from '../../src/features/saved-searches/domain/saved-search.ts';
import { QUIET_MS } from '../../src/features/saved-searches/domain/pet-run.ts';
import { bearer, logIn, startSecuredService, type SecuredOptions } from '../support/secured.ts';
import { startSmtpReceiver, type ReceivedMail } from '../support/smtp-receiver.ts';
import { keepLog } from '../support/kept-log.ts';

/* Saved searches, with messages that a real SMTP server has received. */

const SITE = 'http://pets.example.org';

async function start(t: TestContext, options: SecuredOptions = {}) {
  const receiver = await startSmtpReceiver(t);
  const flags = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org', '--public-url', SITE];
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const service = await startSecuredService(t, { clock, ...options, flags });
  const { call } = service;
  const headers = bearer(await logIn(call, 'root'));
  const read = async (method: string, path: string, json?: object, as: Record<string, string> = {}) => {
    const { status, text } = await call(method, path, { headers: as, ...(json && { json }) });
    return { status, body: JSON.parse(text) as Record<string, unknown> };
  };
  return {
    ...service,
    receiver,
    headers,
    read,
    /** After this, no pet has changed for long enough to be mailed. */
    quiet: () => {
      aheadMs += QUIET_MS;
    },
    save: (email: string, search: string, language = 'en') =>
      read('POST', 'saved-searches', { email, search, language }),
    confirm: (mail: ReceivedMail | undefined) => read('POST', 'saved-searches/confirm', { token: tokenIn(mail) }),
    addPet: async (name: string, species?: string, other: object = {}) => {
      const pet = await read('POST', 'pet', { name, photoUrls: [], status: 'available', ...other }, headers);
      const id = Number(pet.body['id']);
      if (species !== undefined)
        assert.equal((await read('PUT', `pet/${id}/profile`, { species }, headers)).status, 200);
      return id;
    },
  };
}

type Started = Awaited<ReturnType<typeof start>>;

function tokenIn({ text = '' }: ReceivedMail | undefined = assert.fail('no message')): string {
  return /#([\w-]{43})/.exec(text)?.[1] ?? assert.fail(text);
}

/** Saves a search and confirms it. */
async function saveConfirmed({ save, confirm, receiver }: Started, email: string, search: string, language = 'en') {
  const count = receiver.received.length;
  assert.equal((await save(email, search, language)).status, 200);
  const mails = await receiver.waitFor(count + 1);
  const { status, body } = await confirm(mails[count]);
  assert.equal(status, 200);
  return body;
}

void test('saved search: confirmed by a link, new matches are mailed, and one click stops it', async (t) => {
  const log = keepLog();
  const started = await start(t, { log: log.log });
  const { receiver, addPet, read, call, headers, quiet, origin } = started;
  await addPet('Old Rex', 'dog');
  const confirmed = await saveConfirmed(started, 'Ada@example.org', 'species=dog', 'de');
  assert.equal(confirmed['search'], 'species=dog');
  assert.ok(!JSON.stringify(confirmed).includes('example.org'), 'the response does not have the address');
  const [request = assert.fail()] = receiver.received;
  assert.match(request.subject ?? '', /^Bestätigen Sie/);
  assert.ok(!/dog|Hund/.test(request.text ?? ''), 'text of the sender is not sent to others');
  assert.ok(request.text?.includes(`${SITE}/confirm-search#`));

  const id = await addPet('Bella <b>', 'dog');
  await addPet('Cat', 'cat');
  quiet();
  const [, mail = assert.fail()] = await receiver.waitFor(2);
  assert.deepEqual(mail.recipients, ['Ada@example.org']);
  assert.equal(mail.subject, 'Ein neues Tier bei Menagerie');
  const { text = '' } = mail;
  assert.ok(text.includes(`Bella <b>, Hund:\n${SITE}/pets/${id}`), text);
  assert.ok(mail.html?.includes('Bella &lt;b&gt;, Hund'));
  assert.ok(!text.includes('Old Rex') && !text.includes('Cat'));
  assert.ok(text.includes(`${SITE}/?species=dog`) && text.includes(`${SITE}/manage-search#`));

  const header = (name: string): string => mail.headers.find(({ key }) => key === name)?.value ?? assert.fail(name);
  assert.equal(header('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
  const url = new URL(/^<(.+)>$/.exec(header('list-unsubscribe'))?.[1] ?? assert.fail());
  assert.equal(url.origin, SITE);
  assert.equal(url.pathname, `/stop-search/${tokenIn(mail)}`);
  const listed = async () => JSON.parse((await call('GET', 'saved-searches?email=ada@example.org', { headers })).text);
  assert.equal((await listed()).length, 1);
  assert.equal((await fetch(origin + url.pathname)).status, 404, 'a program that opens the link stops nothing');
  assert.equal((await listed()).length, 1);
  const post = async (body: FormData | URLSearchParams, other: Record<string, string> = {}) =>
    (await fetch(origin + url.pathname, { method: 'POST', body, headers: other })).status;
  assert.equal(await post(new URLSearchParams(), { origin: 'https://elsewhere.example' }), 403);
  assert.equal((await listed()).length, 1);
  // RFC 8058 has forms of both kinds.
  const form = new FormData();
  form.set('List-Unsubscribe', 'One-Click');
  for (const body of [new URLSearchParams('List-Unsubscribe=One-Click'), form]) assert.equal(await post(body), 200);
  assert.deepEqual(await listed(), []);
  assert.equal((await read('POST', 'saved-searches/confirm', { token: tokenIn(mail) })).status, 400);
  assert.ok(!JSON.stringify(log.lines).toLowerCase().includes('ada@example.org'), 'the log has no address');
});

void test('saved search: the response is the same for known and unknown addresses, and no mailbox is flooded', async (t) => {
  const started = await start(t);
  const { save, receiver } = started;
  await saveConfirmed(started, 'ada@example.org', 'species=dog');
  const known = await save('ada@example.org', 'species=dog');
  assert.deepEqual(known, await save('bob@example.org', 'species=dog'));
  const statuses = new Set<number>();
  for (let index = 0; index < 30; index++) statuses.add((await save('eve@example.org', `text=pet${index}`)).status);
  assert.ok(statuses.has(429), 'the network is limited');
  const toEve = () => receiver.received.filter(({ recipients }) => recipients[0] === 'eve@example.org').length;
  assert.ok(toEve() <= SAVED_SEARCH_LIMITS.unconfirmedOfAddress);
});

void test('saved search: invalid addresses, searches and links are refused', async (t) => {
  const { save, read } = await start(t);
  for (const [email, search, language] of [
    ['nobody', 'species=dog', 'en'],
    ['ada@example.org', 'status=sold', 'en'],
    ['ada@example.org', 'species=unicorn', 'en'],
    ['ada@example.org', 'own=secret:x', 'en'],
    ['ada@example.org', '', 'en'],
    ['ada@example.org', 'species=dog', 'fr'],
  ] as const)
    assert.equal((await save(email, search, language)).status, 400, `${email} ${search} ${language}`);
  assert.equal((await read('POST', 'saved-searches/confirm', { token: 'A'.repeat(43) })).status, 400);
  assert.equal((await read('POST', `saved-searches/${'A'.repeat(43)}/stop`)).status, 200);
  assert.equal((await read('POST', 'saved-searches//stop')).status, 404);
});

void test('saved search: an administrator finds and erases those of an address', async (t) => {
  const started = await start(t);
  const { call, headers, receiver, read, addPet, quiet } = started;
  await saveConfirmed(started, 'ada@example.org', 'species=dog');
  await saveConfirmed(started, 'bob@example.org', 'species=dog');
  const path = 'saved-searches?email=ADA@example.org';
  const edna = bearer(await logIn(call, 'edna'));
  const erase = (email: string, as = headers) => read('POST', 'saved-searches/erase', { email }, as);
  assert.equal((await read('GET', path, undefined, edna)).status, 403);
  assert.equal((await erase('ada@example.org', edna)).status, 403);
  assert.equal((await erase('everyone')).status, 400);
  const [search] = JSON.parse((await call('GET', path, { headers })).text) as readonly Record<string, unknown>[];
  assert.deepEqual([search?.['search'], search?.['language']], ['species=dog', 'en']);
  assert.deepEqual((await erase(' ADA@example.org')).body, { erased: 1 });
  assert.equal((await call('GET', path, { headers })).text, '[]');
  const { text } = await call('GET', 'admin/audit?action=saved-search.erased', { headers });
  assert.ok(text.includes('saved-search.erased') && !/ada@example/i.test(text), text);
  await addPet('Bella', 'dog');
  quiet();
  const mails = await receiver.waitFor(3);
  assert.deepEqual(mails[2]?.recipients, ['bob@example.org']);
});
