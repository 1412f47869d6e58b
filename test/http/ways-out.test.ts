import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { TOOL_NAMES } from '../../src/features/agents/api/tools.ts';
import { ENDPOINTS, type Endpoint } from '../../src/api/endpoints.ts';
import { LISTING_FILES } from '../../src/features/listings/domain/listing-files.ts';
import { sendCall } from '../support/agents.ts';
import { clientOf, type Call } from '../support/client.ts';
import { agedToken, OPEN_FORM } from '../support/enquiries.ts';
import { followEvents } from '../support/event-client.ts';
import { startFtpReceiver } from '../support/ftp-receiver.ts';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import {
  ADOPTED_WORD,
  IDS,
  LAST_WORD,
  PERSONAL,
  plantSecrets,
  PUBLIC_WORD,
  secretFor,
  secretsIn,
} from '../support/planted-secrets.ts';
import { createPlayground } from '../support/playgrounds.ts';
import { QUIET_MS } from '../../src/features/saved-searches/domain/pet-run.ts';
import { bearer, createKey, logIn, startSecuredService } from '../support/secured.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { startTestService } from '../support/service.ts';
import { openTables } from '../support/stored.ts';
import {
  assertNoSecrets,
  EVERY_STATUS,
  isSameForAll,
  OPERATIONS,
  OTHER_OPERATIONS,
  readAll,
  readEverything,
  ROUTES,
  routesOf,
  TOOLS,
  type Place,
} from '../support/ways-out.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { until } from '../support/until.ts';

/*
 * What must not leave the service, and each way out. A new operation, page, tool or route fails here until it has a
 * row; a new private field has a secret at once. `public-past.test.ts` has the rules for the past, `enquiry-privacy.test.ts` those for enquiries.
 */

const SITE = 'http://pets.example.org';

/** Searches for each secret find nothing: a filter must not answer what a response may not. */
async function searchForSecrets({ call, planted }: Place): Promise<void> {
  for (const { text, what } of [...planted.secrets, ...planted.ofPast]) {
    const found = await call('GET', `pet?text=${text}&${EVERY_STATUS}`);
    assert.match(found.text, /"total":0\b/, `${what}: ${found.text}`);
  }
}

function rows(table: object): readonly string[] {
  return Object.keys(table).toSorted();
}

const ERASED = ['name', 'message'].map((what) => secretFor(`${what} of an erased person`));

async function startSecured() {
  const smtp = await startSmtpReceiver({ after });
  const webhooks = await startReceiver({ after });
  const uploads = await startFtpReceiver({ after });
  const flags = ['--webhook-private-addresses', '--public-url', SITE, '--mail-from', 'pets@example.org'];
  const outward = ['--smtp-url', smtp.url, '--rescuegroups-upload-url', uploads.url];
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const options = { flags: [...flags, ...outward], web: true, nodes: 1, clock };
  const service = await startSecuredService({ after }, options);
  const { call, origin, base, dataDir } = service;
  const staff = bearer(await logIn(call, 'root'));
  const as: Call = (method, path, options = {}) =>
    call(method, path, { ...options, headers: { ...staff, ...options.headers } });
  const ok = async (method: string, path: string, json?: object): Promise<string> => {
    const { status, text } = await as(method, path, { ...(json && { json }) });
    assert.equal(status, 200, `${method} ${path}: ${text}`);
    return text;
  };
  await ok('POST', 'admin/webhooks', { url: webhooks.origin, events: ['*'] });
  const [firstName = '', lastName = '', email = '', phone = ''] = PERSONAL.map(({ text }) => text);
  const user = { username: 'known', password: 'a long enough password', firstName, lastName, phone };
  await ok('POST', 'user/createWithList', [{ ...user, email: `${email}@example.org` }]);
  await call('POST', 'saved-searches', { json: { email: 'ada@example.org', search: 'species=dog', language: 'en' } });
  const [confirmation] = await smtp.waitFor(1);
  const token = /#([\w-]{43})/.exec(confirmation?.text ?? '')?.[1] ?? assert.fail();
  assert.equal((await call('POST', 'saved-searches/confirm', { json: { token } })).status, 200);
  const live = followEvents(() => `${base}/events`);
  after(() => live.close());
  await live.opened;
  const planted = await plantSecrets(as);
  // New matches are mailed when they are quiet; if the service has looked for them before, it looks again after a minute.
  aheadMs = QUIET_MS + 120_000;
  await ok('PUT', 'enquiry-settings', { ...OPEN_FORM, recipient: 'office@example.org' });
  const { query } = await openTables({ after }, dataDir);
  const [name, message] = ERASED.map(({ text }) => text);
  const enquiry = {
    name,
    message,
    email: 'gone@example.org',
    token: await agedToken(query, BigInt(IDS.open), clock()),
  };
  assert.equal((await call('POST', `pet/${IDS.open}/enquiries`, { json: enquiry })).status, 200);
  const keys = new Map<string, string>();
  for (const site of Object.keys(LISTING_FILES)) {
    await ok('PATCH', `admin/listings/${site}`, { on: true });
    keys.set(site, (JSON.parse(await ok('POST', `admin/listings/${site}/key`)) as { key: string }).key);
  }
  const { key } = await createKey(call, await logIn(call, 'edna'), ['read:pets']);
  const viewer = bearer(await logIn(call, 'vera'));
  const readers = { anonymous: {}, viewer, "an editor's key that reads": { api_key: key } };
  // A confirmation, the matches, the enquiry, and its receipt.
  const mails = await smtp.waitFor(4);
  await ok('POST', 'enquiries/erase', { email: 'gone@example.org' });
  const place: Place = { origin, site: SITE, call, planted, readers, staff };
  return { place, live, mails, keys, webhooks, uploads };
}

const secured = await startSecured();

void describe('what must not leave a service in secured access', () => {
  const { place, live, mails, keys, webhooks, uploads } = secured;

  void it('staff read all of it', async () => {
    const paths = [
      `pet?${EVERY_STATUS}&include=profile&limit=100`,
      ...Object.values(IDS).map((id) => `pet/${id}/history`),
      'own-fields',
      'export/pets?include=profile',
      `pet/${IDS.draft}/photos`,
      'deleted-pets',
      'admin/users/known',
    ];
    const texts = await Promise.all(
      paths.map(async (path) => (await place.call('GET', path, { headers: place.staff })).text),
    );
    const all = [...place.planted.secrets, ...place.planted.ofPast, ...PERSONAL];
    assert.deepEqual(
      all.map(({ what }) => what).filter((what) => !secretsIn(texts.join(), '', all).includes(what)),
      [],
    );
  });

  void it('is in no operation, page, feed or frame', () => readEverything(place));

  void it('is in no photo: that of a draft is not found', async () => {
    const { open, draft } = place.planted.photos;
    for (const headers of Object.values(place.readers))
      for (const size of ['', '/small']) {
        assert.equal((await place.call('GET', `photo/${open}${size}`, { headers })).status, 200);
        assert.equal((await place.call('GET', `photo/${draft}${size}`, { headers })).status, 404);
      }
  });

  void it('is found by no search', () => searchForSecrets(place));

  void it('is returned by no tool of agents', async () => {
    const showing: string[] = [];
    for (const [name, inputs] of Object.entries(TOOLS))
      for (const input of inputs) {
        const { text } = await sendCall(place.call, place.origin, name, input);
        assertNoSecrets(`tool ${name} ${JSON.stringify(input)}`, text, place.planted);
        if (text.includes(PUBLIC_WORD)) showing.push(name);
      }
    assert.deepEqual(new Set(showing), new Set(['search_pets', 'get_pet']));
  });

  void it('is in no event, neither live nor later', async (t) => {
    const later = Object.values(place.readers).map((headers) =>
      followEvents(() => `${place.origin}/v2/events`, { headers, lastEventId: '0' }),
    );
    t.after(() => later.forEach((client) => client.close()));
    for (const client of [live, ...later]) {
      await until('the last event', async () => client.events.some(({ data }) => data.includes(LAST_WORD)));
      assertNoSecrets('events', JSON.stringify(client.events), place.planted);
    }
  });

  void it('is sent to no webhook', async () => {
    await until('the last event', async () => webhooks.calls.some(({ body }) => body.includes(LAST_WORD)));
    assertNoSecrets('webhooks', JSON.stringify(webhooks.calls), place.planted);
  });

  void it('is in no e-mail: neither drafts nor adopted or deleted pets', async () => {
    const texts = mails.map(({ subject, text, html }) => [subject, text, html].join('\n'));
    const matches = texts.find((text) => text.includes(LAST_WORD)) ?? assert.fail(texts.join());
    assert.ok(matches.includes(PUBLIC_WORD) && !matches.includes(ADOPTED_WORD), matches);
    for (const text of texts) assertNoSecrets('e-mail', text, place.planted);
    for (const { recipients, ...mail } of mails)
      if (!recipients.includes('office@example.org'))
        assert.deepEqual(secretsIn(JSON.stringify([mail.subject, mail.text, mail.html]), '', ERASED), []);
  });

  void it('is in no file of a listing site, for downloads and uploads', async () => {
    const files = Object.entries(LISTING_FILES).flatMap(([site, names]) => names.map((name) => [site, name] as const));
    const texts = await Promise.all(
      files.map(async ([site, name]) => (await place.call('GET', `feeds/${site}/${name}?key=${keys.get(site)}`)).text),
    );
    await until('the upload', async () => uploads.files.size > 0);
    texts.push(...uploads.files.values());
    assert.ok(texts.filter((text) => text.includes(PUBLIC_WORD)).length >= 5, texts.join('\n\n'));
    for (const text of texts) {
      assertNoSecrets('listing', text, place.planted);
      assert.ok(!text.includes(ADOPTED_WORD), text);
    }
  });

  void it('an erased person is in nothing that staff read', async () => {
    for (const path of ['enquiries', 'export/enquiries', 'admin/audit?limit=1000', 'admin/mail/dead', 'admin/system']) {
      const { status, text } = await place.call('GET', path, { headers: place.staff });
      assert.equal(status, 200, text);
      assert.deepEqual(secretsIn(text, '', ERASED), [], path);
    }
  });
});

const { base: baseOfPlaygrounds } = await startTestService(
  { after },
  { flags: ['--empty', '--access=sandbox'], web: true },
);

async function plantedPlayground(access: 'secured' | 'open'): Promise<Place> {
  const limits = { requestsPerMinute: 60_000 };
  const { call, base, users } = await createPlayground(clientOf(baseOfPlaygrounds), {
    contents: 'empty',
    access,
    limits,
  });
  // In open access, there are no users.
  const admin = users.find(({ role }) => role === 'admin');
  const staff = admin === undefined ? {} : bearer(await logIn(call, admin.username, admin.password));
  const as: Call = (method, path, options = {}) =>
    call(method, path, { ...options, headers: { ...staff, ...options.headers } });
  const secrets = await plantSecrets(as, access);
  const origin = base.replace(/\/v2$/, '');
  return { origin, site: origin, call, planted: secrets, readers: { anonymous: {} }, staff };
}

void describe('what must not leave a playground', { skip: skipWithoutPlaygrounds() }, () => {
  void it('is in no operation, page, feed or frame of one in secured access', async () => {
    const place = await plantedPlayground('secured');
    await readEverything(place);
    await searchForSecrets(place);
  });

  void it('is in nothing that is the same for all in open access, where everyone is staff', async () => {
    const place = await plantedPlayground('open');
    const seen = await readAll(place, routesOf(place).filter(isSameForAll), {});
    assert.ok(seen.length > 5, seen.join());
  });
});

void describe('ways out', () => {
  void it('have a row for each operation that reads without a permission', () => {
    const endpoints = Object.entries<Endpoint>(ENDPOINTS);
    const reading = endpoints.filter(([, { method, permission }]) => method === 'GET' && permission === undefined);
    assert.deepEqual([...rows(OPERATIONS), ...OTHER_OPERATIONS].toSorted(), reading.map(([name]) => name).toSorted());
  });

  void it('have a row for each other route, and for each tool', () => {
    const folder = join(import.meta.dirname, '../../src');
    const files = globSync('{http,features/*/http}/**/*.ts', { cwd: folder });
    const found = files.flatMap((name) => [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/\bapp\.get\(\s*([^,]+),/g),
    ]);
    assert.deepEqual([...new Set(found.map(([, path = '']) => path))].toSorted(), rows(ROUTES));
    assert.deepEqual(rows(TOOLS), TOOL_NAMES.toSorted());
  });
});
