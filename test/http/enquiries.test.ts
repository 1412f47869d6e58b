import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { assertRefused, type Call, type HttpResponse } from '../support/client.ts';
import { bearer, logIn, startSecuredService, type SecuredOptions } from '../support/secured.ts';

/* Enquiries about pets: the form, its limits, and what the staff does with them. */

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

const QUESTIONS = [
  {
    id: 'garden',
    text: { en: 'Do you have a garden?', de: 'Haben Sie einen Garten?' },
    type: 'yes-no',
    required: true,
  },
  { id: 'home', text: { en: 'Home', de: 'Zuhause' }, type: 'choice', choices: [{ value: 'flat' }, { value: 'house' }] },
  { id: 'pets', text: { en: 'Other pets', de: 'Andere Tiere' }, type: 'text' },
];

interface Sent {
  name?: string;
  email?: unknown;
  [field: string]: unknown;
}

/** A service with a clock of its own, and the form enabled for a pet. */
async function start(t: TestContext, options: SecuredOptions = {}, settings: object = {}) {
  let nowMs = Date.now();
  const service = await startSecuredService(t, { clock: () => nowMs, nodes: 1, ...options });
  const { call } = service;
  const tokens = { root: await logIn(call, 'root'), edna: await logIn(call, 'edna'), vera: await logIn(call, 'vera') };
  const as = (name: keyof typeof tokens): Call => {
    return (method, path, { headers, ...rest } = {}) =>
      call(method, path, { ...rest, headers: { ...bearer(tokens[name]), ...headers } });
  };
  const root = as('root');
  await ok(root('PUT', 'enquiry-settings', { json: { enabled: true, questions: QUESTIONS, ...settings } }));
  const petId = await addPet(root, { name: 'Rex', status: 'available' });
  /** Loads the form, waits, and sends it. */
  const send = async (sent: Sent = {}, { pet = petId, waitMs = 4 * SECOND_MS }: SendOptions = {}) => {
    const token = await tokenFor(call, pet);
    nowMs += waitMs;
    return call('POST', `pet/${pet}/enquiries`, { json: { ...ENQUIRY, token, ...sent } });
  };
  return {
    ...service,
    root,
    edna: as('edna'),
    vera: as('vera'),
    petId,
    pass: (ms: number) => void (nowMs += ms),
    send,
  };
}

interface SendOptions {
  pet?: string;
  waitMs?: number;
}

const ENQUIRY = { name: 'Ada', email: 'ada@example.org', message: 'May I visit Rex?', answers: { garden: true } };

/** Days from today. */
function day(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

async function ok(response: Promise<HttpResponse>): Promise<Record<string, unknown>> {
  const { status, text } = await response;
  assert.equal(status, 200, text);
  return JSON.parse(text) as Record<string, unknown>;
}

async function addPet(call: Call, pet: object): Promise<string> {
  return String((await ok(call('POST', 'pet', { json: pet })))['id']);
}

async function tokenFor(call: Call, petId: string): Promise<string> {
  return String((await ok(call('GET', `pet/${petId}/enquiry-form`)))['token']);
}

type Listed = Record<string, unknown>[];

async function listed(call: Call, query = ''): Promise<Listed> {
  return (await ok(call('GET', `enquiries${query}`))) as unknown as Listed;
}

void describe('enquiries: the form', () => {
  void it('has the questions and a token, unless the shelter takes no enquiries about the pet', async (t) => {
    const { call, root, petId } = await start(t);
    const response = await call('GET', `pet/${petId}/enquiry-form`);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const form = JSON.parse(response.text) as Record<string, unknown>;
    assert.equal(form['isOpen'], true);
    assert.equal(form['minSeconds'], 3);
    assert.equal(form['retentionDays'], 365);
    assert.deepEqual(
      (form['questions'] as Listed).map(({ id }) => id),
      ['garden', 'home', 'pets'],
    );
    const adopted = await addPet(root, { name: 'Old', status: 'sold' });
    const draft = await addPet(root, { name: 'Draft', status: 'available' });
    await ok(root('PUT', `pet/${draft}/profile`, { json: { isPublished: false } }));
    const closed = { isOpen: false, minSeconds: 3, questions: [] };
    assert.deepEqual(await ok(call('GET', `pet/${adopted}/enquiry-form`)), closed);
    assertRefused(await call('GET', `pet/${draft}/enquiry-form`), 404);
    assertRefused(await root('GET', `pet/${draft}/enquiry-form`), 404);
    assertRefused(await call('GET', 'pet/999/enquiry-form'), 404);
    await ok(root('PUT', 'enquiry-settings', { json: { enabled: false } }));
    assert.deepEqual(await ok(call('GET', `pet/${petId}/enquiry-form`)), closed);
    assertRefused(await call('POST', `pet/${petId}/enquiries`, { json: { ...ENQUIRY, token: 'x' } }), 409);
  });

  void it('stores what a person sends, which only staff can read', async (t) => {
    const { edna, vera, call, send, petId } = await start(t);
    const sent = { phone: ' 030 1 ', message: 'Line 1\r\nLine 2', answers: { garden: false, home: 'flat', pets: '' } };
    await ok(send({ ...sent, language: 'de' }));
    const [enquiry = {}] = await listed(edna);
    const { id, createdAt, changedAt, ...rest } = enquiry;
    assert.deepEqual(rest, {
      petId: Number(petId),
      petName: 'Rex',
      state: 'new',
      assignee: null,
      name: 'Ada',
      email: 'ada@example.org',
      phone: '030 1',
      message: 'Line 1\nLine 2',
      answers: [
        { id: 'garden', question: 'Do you have a garden?', answer: false },
        { id: 'home', question: 'Home', answer: 'flat' },
      ],
      language: 'de',
    });
    assert.equal(createdAt, changedAt);
    for (const path of ['enquiries', `enquiries/${String(id)}`, 'export/enquiries', 'enquiry-settings']) {
      assertRefused(await call('GET', path), 401);
      assertRefused(await vera('GET', path), 403);
      assert.equal((await edna('GET', path)).headers.get('cache-control'), 'no-store');
    }
    assertRefused(await edna('PUT', 'enquiry-settings', { json: { enabled: false } }), 403);
  });

  void it('refuses what is too fast, too old, sent before, or of another pet', async (t) => {
    const { edna, root, call, send, petId, pass } = await start(t);
    const fast = await send({}, { waitMs: 2 * SECOND_MS });
    assertRefused(fast, 429);
    assert.equal(fast.headers.get('retry-after'), '1');
    const token = await tokenFor(call, petId);
    const other = await addPet(root, { name: 'Other', status: 'pending' });
    const post = (pet: string, json: object) => call('POST', `pet/${pet}/enquiries`, { json: { ...ENQUIRY, ...json } });
    pass(4 * SECOND_MS);
    assertRefused(await post(other, { token }), 400);
    for (const wrong of ['', 'x', token.slice(0, -1), `1${token}`])
      assertRefused(await post(petId, { token: wrong }), 400);
    await ok(post(petId, { token }));
    assertRefused(await post(petId, { token }), 409);
    await ok(send({}, { pet: other }));
    assert.equal((await listed(edna)).length, 2);
    assertRefused(await send({}, { waitMs: DAY_MS + SECOND_MS }), 400);
  });

  void it('accepts the form of a node whose clock is minutes ahead, and no other one from the future', async (t) => {
    const { send } = await start(t);
    await ok(send({}, { waitMs: -4 * 60 * SECOND_MS }));
    assertRefused(await send({}, { waitMs: -6 * 60 * SECOND_MS }), 400);
  });

  void it('names every field that is wrong', async (t) => {
    const { edna, send } = await start(t);
    const problemsOf = async (sent: Sent) => assertRefused(await send(sent), 400).errors?.map(({ path }) => path) ?? [];
    assert.deepEqual(await problemsOf({ name: '\u0007\u2028' }), ['/name']);
    for (const text of ['a\0', 'a\ud800'])
      assert.deepEqual(await problemsOf({ answers: { garden: true, pets: text } }), ['/answers/pets']);
    assert.deepEqual(await problemsOf({ name: ' ', message: '', email: 7 }), ['/name', '/email', '/message']);
    assert.deepEqual(await problemsOf({ email: 'ada@example.org, bob@example.org' }), ['/email']);
    assert.deepEqual(await problemsOf({ message: 'x'.repeat(5001) }), ['/message']);
    assert.deepEqual(await problemsOf({ answers: {} }), ['/answers/garden']);
    const answers = { garden: 'yes', home: 'boat', pets: true, other: 'x' };
    assert.deepEqual(await problemsOf({ answers }), [
      '/answers/other',
      '/answers/garden',
      '/answers/home',
      '/answers/pets',
    ]);
    assert.deepEqual(await listed(edna), []);
  });

  void it('takes days for a visit, and refuses those that are past, too far ahead or too many', async (t) => {
    const { edna, send } = await start(t);
    await ok(send({ visitDays: [day(9), day(3), day(3)] }));
    const [{ answers = [] } = {}] = await listed(edna);
    const words = [3, 9].map((days) =>
      new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(Date.parse(day(days))),
    );
    const question = 'Days on which a visit is possible';
    assert.deepEqual((answers as Listed)[0], { id: 'visit-days', question, answer: words.join(' · ') });
    const problemsOf = async (visitDays: readonly unknown[]) =>
      assertRefused(await send({ visitDays }), 400).errors?.map(({ path }) => path) ?? [];
    assert.deepEqual(await problemsOf([day(3), day(-3), day(200)]), ['/visitDays/1', '/visitDays/2']);
    assert.deepEqual(await problemsOf(['2030-02-30', 7]), ['/visitDays/1']);
    assert.deepEqual(await problemsOf(['2030-02-30']), ['/visitDays/0']);
    assert.deepEqual(await problemsOf([day(3), day(4), day(5), day(6)]), ['/visitDays']);
    assert.equal((await listed(edna)).length, 1);
  });

  void it('answers programs as people, and stores nothing of them', async (t) => {
    const { edna, send } = await start(t);
    const [stored, ignored] = [await send(), await send({ website: 'https://spam.example' })];
    assert.deepEqual([ignored.status, ignored.text], [stored.status, stored.text]);
    assert.equal((await listed(edna)).length, 1);
  });

  void it('is sent once with an Idempotency-Key', async (t) => {
    const { edna, call, petId, pass } = await start(t);
    const token = await tokenFor(call, petId);
    pass(4 * SECOND_MS);
    const request = { headers: { 'idempotency-key': '"form-1"' }, json: { ...ENQUIRY, token } };
    await ok(call('POST', `pet/${petId}/enquiries`, request));
    const again = await call('POST', `pet/${petId}/enquiries`, request);
    assert.equal(again.status, 200);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal((await listed(edna)).length, 1);
  });
});

void describe('enquiries: limits', () => {
  void it('stores at most 20 enquiries of one network in a day, also of concurrent requests', async (t) => {
    const { edna, call, petId, send, pass } = await start(t);
    const tokens = await Promise.all(Array.from({ length: 200 }, () => tokenFor(call, petId)));
    pass(4 * SECOND_MS);
    const responses = await Promise.all(
      tokens.map((token, index) =>
        call('POST', `pet/${petId}/enquiries`, { json: { ...ENQUIRY, email: `ada${index}@example.org`, token } }),
      ),
    );
    const accepted = responses.filter(({ status }) => status === 200);
    assert.equal(accepted.length, 20);
    for (const response of responses) if (response.status !== 200) assertRefused(response, 429);
    const token = tokens[responses.findIndex(({ status }) => status === 429)];
    const refused = await call('POST', `pet/${petId}/enquiries`, { json: { ...ENQUIRY, token } });
    assertRefused(refused, 429);
    assert.match(refused.headers.get('ratelimit-policy') ?? '', /^"enquiries";q=20;w=86400$/);
    assert.equal((await listed(edna)).length, 20);
    pass(DAY_MS);
    await ok(send({ email: 'bob@example.org' }));
  });

  void it('of one network with one address, five in a day: neither blocks the person of that address, nor shows whether it has written', async (t) => {
    const { call, petId, pass } = await start(t, { flags: ['--trusted-proxies', '1'] });
    const sendFrom = async (address: string, email = ENQUIRY.email) => {
      const token = await tokenFor(call, petId);
      pass(4 * SECOND_MS);
      const headers = { 'x-forwarded-for': address };
      return call('POST', `pet/${petId}/enquiries`, { headers, json: { ...ENQUIRY, email, token } });
    };
    for (const [index, name] of ['ada', 'ADA', 'Ada', 'ada', 'ada'].entries())
      await ok(sendFrom(`2001:db8::${index}`, `${name}@example.org`));
    const refused = await sendFrom('2001:db8::ffff:1');
    assertRefused(refused, 429);
    assert.match(refused.headers.get('ratelimit-policy') ?? '', /^"enquiries-of-address"/);
    await ok(sendFrom('2001:db8::ffff:1', 'bob@example.org'));
    for (let count = 0; count < 5; count++) await ok(sendFrom('203.0.113.7'));
  });
});

void describe('enquiries: staff', () => {
  void it('finds them by state, pet, assignee and text, in pages', async (t) => {
    const { edna, root, send, petId } = await start(t);
    const other = await addPet(root, { name: 'Émile', status: 'available' });
    await ok(send());
    await ok(send({ name: 'Bob', email: 'BOB@example.org', message: 'Ärger' }, { pet: other }));
    const namesOf = async (query: string) => (await listed(edna, query)).map(({ name }) => name);
    assert.deepEqual(await namesOf(''), ['Bob', 'Ada']);
    assert.deepEqual(await namesOf(`?petId=${petId}`), ['Ada']);
    assert.deepEqual(await namesOf('?text=ÄRGER'), ['Bob']);
    assert.deepEqual(await namesOf('?email=bob@EXAMPLE.org'), ['Bob']);
    const [{ id } = {}] = await listed(edna, '?text=bob');
    await ok(edna('PATCH', `enquiries/${String(id)}`, { json: { assignee: 'root', state: 'closed' } }));
    assert.deepEqual(await namesOf('?assignee=root'), ['Bob']);
    assert.deepEqual(await namesOf('?assignee=unknown'), []);
    assert.deepEqual(await namesOf('?unassigned=true'), ['Ada']);
    assert.deepEqual(await namesOf('?state=closed'), ['Bob']);
    const page = await edna('GET', 'enquiries?limit=1');
    const next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? assert.fail();
    assert.deepEqual(
      ((await ok(edna('GET', next))) as unknown as Listed).map(({ name }) => name),
      ['Ada'],
    );
    assertRefused(await edna('GET', 'enquiries?state=lost'), 400);
    assertRefused(await edna('GET', 'enquiries?q=x'), 400);
  });

  void it('changes them with entity tags, adds notes, and answers only by e-mail', async (t) => {
    const { edna, send } = await start(t);
    await ok(send());
    const [{ id } = {}] = await listed(edna);
    const path = `enquiries/${String(id)}`;
    assert.equal((await edna('GET', path)).headers.get('etag'), '"1"');
    const changed = await edna('PATCH', path, { json: { assignee: 'edna' }, headers: { 'if-match': '"1"' } });
    assert.equal(changed.headers.get('etag'), '"2"');
    assertRefused(await edna('PATCH', path, { json: { state: 'closed' }, headers: { 'if-match': '"1"' } }), 412);
    assertRefused(await edna('PATCH', path, { json: { assignee: 'vera' } }), 400);
    assertRefused(await edna('PATCH', path, { json: { state: 'lost' } }), 400);
    const noted = await ok(edna('POST', `${path}/notes`, { json: { text: 'Called back.' } }));
    const [entry = {}] = noted['entries'] as Listed;
    assert.deepEqual([entry['number'], entry['kind'], entry['text']], [1, 'note', 'Called back.']);
    assert.equal((entry['author'] as Record<string, unknown>)['name'], 'edna');
    assertRefused(await edna('POST', `${path}/answers`, { json: { text: 'Yes.' } }), 409);
    assert.equal((await ok(edna('PATCH', path, { json: { assignee: null } })))['assignee'], null);
    assertRefused(await edna('DELETE', path, { headers: { 'if-match': '"1"' } }), 412);
    await ok(edna('DELETE', path));
    assertRefused(await edna('GET', path), 404);
    assertRefused(await edna('POST', `${path}/notes`, { json: { text: 'x' } }), 404);
  });

  void it('exports them as CSV without formulas, and as NDJSON', async (t) => {
    const { edna, send } = await start(t);
    await ok(send({ name: '=1+1' }));
    const [{ id } = {}] = await listed(edna);
    await ok(edna('POST', `enquiries/${String(id)}/notes`, { json: { text: '@home' } }));
    const csv = await edna('GET', 'export/enquiries?format=csv');
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(csv.text, /"'=1\+1"/);
    assert.match(csv.text, /note edna: @home/);
    const lines = (await edna('GET', 'export/enquiries?text=rex')).text.trim().split('\n');
    const [exported = {}] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal((exported['entries'] as Listed).length, 1);
    assert.equal((await edna('GET', 'export/enquiries?state=closed')).text, '');
  });

  void it('erases a person, and keeps the address out of the audit log', async (t) => {
    const { edna, root, send } = await start(t);
    await ok(send());
    await ok(send({ email: 'ADA@example.org' }));
    await ok(send({ email: 'bob@example.org' }));
    assert.deepEqual(await ok(edna('POST', 'enquiries/erase', { json: { email: 'Ada@example.org' } })), { erased: 2 });
    assert.deepEqual(
      (await listed(edna)).map(({ email }) => email),
      ['bob@example.org'],
    );
    const { text } = await root('GET', 'admin/audit?action=enquiry.erased');
    assert.match(text, /"enquiries":"2"/);
    assert.doesNotMatch(text, /ada@/i);
    assertRefused(await edna('POST', 'enquiries/erase', { json: { email: 'everyone' } }), 400);
  });
});
