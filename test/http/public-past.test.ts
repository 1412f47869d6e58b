import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { connectAgent, callTool } from '../support/agents.ts';
import { assertRefused, type CallOptions, type HttpResponse } from '../support/client.ts';
import { followEvents } from '../support/event-client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, createKey, logIn, startSecuredService } from '../support/secured.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { until } from '../support/until.ts';

/* The public past: the six fields of pets that were published then. Secrets have a marker. */

const MARKER = 'zorb';

const { call, origin, base } = await startSecuredService(
  { after },
  { flags: ['--webhook-private-addresses'], web: true },
);
const staff = { headers: bearer(await logIn(call, 'edna')) };
const root = { headers: bearer(await logIn(call, 'root')) };
const { key } = await createKey(call, await logIn(call, 'edna'), ['read:pets']);
const OTHERS: readonly CallOptions[] = [
  {},
  { headers: bearer(await logIn(call, 'vera')) },
  { headers: { api_key: key } },
];
const receiver = await startReceiver({ after });

async function ok(method: string, path: string, options: CallOptions = {}): Promise<HttpResponse> {
  const response = await call(method, path, { ...options, headers: { ...root.headers, ...options.headers } });
  assert.equal(response.status, 200, `${method} ${path}: ${response.text}`);
  return response;
}

const patch = (path: string, json: object) => ok('PATCH', path, { json });

/** Creates a pet with a profile in one change. */
async function create(pet: object, profile: object): Promise<void> {
  const line = JSON.stringify({ op: 'create', pet, profile });
  const { text } = await ok('POST', 'bulk', {
    body: Buffer.from(line),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  assert.match(text, /"status":200/, text);
}

const PUBLISHED = { isPublished: null, description: null, breedPrimary: null };
const DRAFT = { isPublished: false, description: 'The zorbstory of a draft', breedPrimary: 'Zorbhound' };

/** A draft whose six fields are all secret. */
const secretPet = (id: number) => ({
  id,
  name: `Zorbella${id}`,
  category: { id: 77, name: 'Zorbcats' },
  tags: [{ id: 78, name: 'zorbtag' }],
  photoUrls: [`https://photos.example/zorbphoto-${id}.jpg`],
  status: 'pending',
});

const plainPet = (id: number) => ({ id, name: `Plain${id}`, status: 'available', photoUrls: [], tags: [] });

/** The events that everyone gets, as `type id name`. */
const PUBLIC_PAST = [
  'pet.added 1 Plain1',
  'pet.added 2 Plain2',
  'pet.edited 2 Plain2',
  'pet.edited 2 Plain2',
  'pet.added 3 Plain3',
  'pet.edited 3 Plain3',
  'pet.deleted 3 null',
  'pet.added 5 Plain5',
  'pet.deleted 5 null',
  'pet.added 5 Plain5',
  'pet.deleted 5 null',
  'pet.added 6 Plain6',
  'pet.deleted 6 null',
  'pet.restored 6 Plain6',
  'pet.added 9 Last9',
];

async function makePast(): Promise<void> {
  await ok('POST', 'admin/webhooks', { json: { url: `${receiver.origin}/`, events: ['*'] } });
  // A draft, published with other texts.
  await create(secretPet(1), DRAFT);
  await patch('pet/1', { name: 'Zorbinette' });
  await patch('pet/1', { ...plainPet(1), category: null });
  await patch('pet/1/profile', PUBLISHED);
  // A story that is corrected, and private fields.
  await ok('POST', 'pet', { json: plainPet(2) });
  await patch('pet/2/profile', { summary: 'A zorbsummary', description: 'The zorbstory', microchip: 'zorbchip' });
  await patch('pet/2/profile', { summary: 'Corrected', description: null });
  // A story whose pet is deleted.
  await ok('POST', 'pet', { json: plainPet(3) });
  await patch('pet/3/profile', { description: 'The zorbstory of a deleted pet' });
  await ok('DELETE', 'pet/3');
  // A draft that is deleted, restored, deleted, and restored by its version.
  await create(secretPet(4), DRAFT);
  await ok('DELETE', 'pet/4');
  await ok('POST', 'pet/4/restore');
  await ok('DELETE', 'pet/4');
  const history = JSON.parse((await ok('GET', 'pet/4/history')).text) as { version: number }[];
  await ok('POST', `pet/4/history/${history.at(-1)?.version}/restore`);
  // A published pet that becomes a draft, is published again, and restored as the draft.
  await ok('POST', 'pet', { json: plainPet(5) });
  await patch('pet/5/profile', DRAFT);
  await patch('pet/5', secretPet(5));
  const draft = (JSON.parse((await ok('GET', 'pet/5/history')).text) as { version: number }[])[0];
  await patch('pet/5', { ...plainPet(5), category: null });
  await patch('pet/5/profile', PUBLISHED);
  await ok('POST', `pet/5/history/${draft?.version}/restore`);
  // A published pet that is deleted and restored.
  await ok('POST', 'pet', { json: plainPet(6) });
  await ok('DELETE', 'pet/6');
  await ok('POST', 'pet/6/restore');
  // A draft with an uploaded photo.
  await create(secretPet(7), DRAFT);
  await ok('POST', 'pet', { json: { ...plainPet(9), name: 'Last9' } });
}

interface PublicEvent {
  type: string;
  id: number;
  version: number;
  pet: Record<string, unknown> | null;
}

/** Asserts that the events are the public past, and have nothing but the six fields of pets. */
function assertPublicPast(texts: readonly string[], more: readonly string[] = []): void {
  const events = texts.map((text) => JSON.parse(text) as PublicEvent);
  assert.deepEqual(
    events.map(({ type, id, pet }) => `${type} ${id} ${pet === null ? 'null' : String(pet['name'])}`),
    PUBLIC_PAST,
  );
  for (const event of events) {
    assert.deepEqual(new Set(Object.keys(event)), new Set(['version', 'type', 'at', 'id', 'pet', ...more]));
    const fields = new Set(['id', 'category', 'name', 'photoUrls', 'tags', 'status']);
    for (const field of Object.keys(event.pet ?? {})) assert.ok(fields.has(field), field);
  }
}

function assertNoMarker(text: string, context: string): void {
  const place = text.toLowerCase().indexOf(MARKER);
  assert.ok(place < 0, `${context}: ${text.slice(Math.max(0, place - 200), place + 100)}`);
}

/** The data of the events after a position, until one has this text. */
async function eventsFor({ headers = {} }: CallOptions, lastEventId: number, end: string, query = '') {
  const client = followEvents(() => `${base}/events${query}`, { headers, lastEventId: `${lastEventId}` });
  try {
    await until('the events', async () => client.events.some(({ data }) => data.includes(end)));
    return client.events.map(({ data }) => data);
  } finally {
    client.close();
  }
}

await makePast();

const FORMATS = ['', '?format=csv', '?include=profile', '?format=csv&include=profile'];
const API = [
  ...FORMATS.map((query) => `export/pets${query}`),
  'export/pet-history',
  'pet?limit=1000&include=profile&covers=true',
  'pet?sort=newest&include=facts',
  'pet?updatedSince=2020-01-01',
  'pet?text=zorbela',
  'pet?text=zorbella4&include=profile',
  'pet?tags=zorbtag',
  'pet?category=Zorbcats',
  'pet?breed=Zorbhound',
  'pet/findByStatus?status=available,pending,sold',
  'pet/findByTags?tags=zorbtag',
  'facets',
  'suggestions?text=zor',
  'tags',
  'categories',
  'statistics',
  'pet/2',
  'pet/2/profile',
  'pet/2/photos',
];
const PAGES =
  '/ /?sort=newest /?text=plain /pets/1 /pets/2 /dashboard /feed.atom /feed.json /sitemap.xml /sitemap-1.xml ' +
  '/llms.txt /embed/pets /embed/pets/2';
const OF_DRAFTS = ['/pets/4', '/pets/4/history', '/pets/5', '/embed/pets/4', `/oembed?url=${origin}/pets/4`];

void describe('the public past', () => {
  void it('no response for others has texts of drafts, corrected stories or stories of deleted pets', async () => {
    for (const options of OTHERS)
      for (const path of [...API, ...[...PAGES.split(' '), ...OF_DRAFTS].map((page) => `${origin}${page}`)]) {
        const { status, text, headers } = await call('GET', path, options);
        if (!OF_DRAFTS.some((page) => path.endsWith(page))) assert.equal(status, 200, path);
        // A response may repeat what was searched.
        const asked = [...new URL(path, origin).searchParams.values()].filter((value) => value.includes(MARKER));
        const answer = asked.reduce((rest, value) => rest.replaceAll(value, ''), text);
        assertNoMarker(answer + JSON.stringify([...headers]).replaceAll(path, ''), path);
      }
  });

  void it('the history export has the six fields of versions that were published, for those who may not change pets', async () => {
    for (const options of OTHERS) {
      const { status, text } = await call('GET', 'export/pet-history', options);
      assert.equal(status, 200, text);
      assertPublicPast(text.trimEnd().split('\n'));
    }
    const { text } = await call('GET', 'export/pet-history', staff);
    for (const secret of ['Zorbinette', 'zorbchip', 'zorbstory of a deleted pet', 'zorbsummary', '"actor":'])
      assert.ok(text.includes(secret), secret);
  });

  void it('event streams have the same from any position, and nothing about a pet that was only a draft', async () => {
    for (const options of OTHERS) {
      const all = await eventsFor(options, 0, 'Last9');
      assertPublicPast(all);
      const isAfter = (position: number) => (data: string) => (JSON.parse(data) as PublicEvent).version > position;
      for (const position of [1, 7, 12, 20])
        assert.deepEqual(await eventsFor(options, position, 'Last9'), all.filter(isAfter(position)));
      assert.ok(all.every((data) => ![4, 7].includes((JSON.parse(data) as PublicEvent).id)));
    }
    const ofDraft = await eventsFor(staff, 0, 'pet.restored', '?petId=4');
    assert.match(ofDraft.join('\n'), /Zorbella4/);
  });

  void it('webhooks receive the same, and who made the change', async () => {
    await until('the last delivery', async () => receiver.calls.some(({ body }) => body.includes('Last9')));
    const bodies = receiver.calls.map(({ body }) => JSON.parse(body) as { data: PublicEvent });
    const inOrder = bodies.map(({ data }) => data).toSorted((a, b) => a.version - b.version);
    assertPublicPast(
      inOrder.map((data) => JSON.stringify(data)),
      ['actor'],
    );
  });

  void it('the history, deleted pets and their restoration are refused', async () => {
    for (const [options, status] of [
      [OTHERS[0] ?? {}, 401],
      [OTHERS[1] ?? {}, 403],
      [OTHERS[2] ?? {}, 401],
    ] as const)
      for (const [method, path] of [
        ['GET', 'pet/2/history'],
        ['GET', 'pet/4/history'],
        ['GET', 'pet/999/history'],
        ['GET', 'deleted-pets'],
        ['POST', 'pet/3/restore'],
        ['POST', 'pet/2/history/6/restore'],
      ] as const)
        assertRefused(await call(method, path, options), status, path);
  });

  void it('tools of agents have nothing of it', async (t) => {
    const client = await connectAgent(t, origin);
    for (const [name, input] of [
      ['find_pets', { text: 'zorbela' }],
      ['find_pets', {}],
      ['get_pet', { petId: '2' }],
      ['get_pet', { petId: '4' }],
      ['get_statistics', {}],
      ['get_pet_history', { petId: '2' }],
    ] as const) {
      const { text, structured } = await callTool(client, name, input).catch((error: unknown) => ({
        text: String(error),
        structured: {},
      }));
      assertNoMarker((text + JSON.stringify(structured)).replaceAll('zorbela', ''), name);
    }
  });
});

interface Counts {
  added: number;
  changed: number;
  deleted: number;
}

async function jsonFor<T>(path: string, options: CallOptions): Promise<T> {
  const { status, text } = await call('GET', path, options);
  assert.equal(status, 200, text);
  return JSON.parse(text) as T;
}

/** The sums of the statistics, and of the events in the export. */
async function countsFor(options: CallOptions): Promise<Readonly<Record<'statistics' | 'events', Counts>>> {
  const none = { added: 0, changed: 0, deleted: 0 };
  const { days } = await jsonFor<{ days: readonly Counts[] }>('statistics', options);
  const statistics = days.reduce(
    (sum, { added, changed, deleted }) => ({
      added: sum.added + added,
      changed: sum.changed + changed,
      deleted: sum.deleted + deleted,
    }),
    none,
  );
  const events = { ...none };
  const { text } = await call('GET', 'export/pet-history', options);
  for (const line of text.trimEnd().split('\n')) {
    const action = (JSON.parse(line) as PublicEvent).type.slice('pet.'.length);
    events[action === 'added' || action === 'deleted' ? action : 'changed']++;
  }
  return { statistics, events };
}

const sold = (id: number) => ({ ...plainPet(id), status: 'sold' });

async function newest(options: CallOptions): Promise<readonly number[]> {
  const { pets } = await jsonFor<{ pets: readonly { id: number }[] }>('pet?sort=newest&status=sold', options);
  return pets.map(({ id }) => id);
}

void describe('times and counts of drafts', () => {
  void it('the statistics of days count what a client may read of the past', async () => {
    for (const options of [...OTHERS, staff]) {
      const { statistics, events } = await countsFor(options);
      assert.deepEqual(statistics, events);
    }
    assert.notDeepEqual(await countsFor({}), await countsFor(staff));
  });

  void it('the order of the newest has a pet where it was published last', async () => {
    await create(sold(20), { isPublished: false });
    for (const id of [21, 22]) await ok('POST', 'pet', { json: sold(id) });
    for (const options of OTHERS) assert.deepEqual(await newest(options), [22, 21]);
    assert.deepEqual(await newest(staff), [22, 21, 20]);
    await patch('pet/20/profile', { isPublished: true });
    for (const options of [...OTHERS, staff]) assert.deepEqual(await newest(options), [20, 22, 21]);
    await patch('pet/21/profile', { isPublished: false });
    await patch('pet/21', { name: 'Edited21' });
    assert.deepEqual(await newest(staff), [20, 22, 21]);
    await patch('pet/21/profile', { isPublished: null });
    for (const options of [...OTHERS, staff]) assert.deepEqual(await newest(options), [21, 20, 22]);
    // It returns to its place.
    await ok('DELETE', 'pet/20');
    await ok('POST', 'pet/20/restore');
    for (const options of [...OTHERS, staff]) assert.deepEqual(await newest(options), [21, 20, 22]);
  });
});

void describe('photos of the past', () => {
  void it('a photo that no published pet has is for staff, also after its draft changes or is deleted', async () => {
    const upload = fileUpload(await makePhoto());
    await ok('POST', 'pet/7/uploadImage', { ...upload, headers: { ...upload.headers, ...root.headers } });
    const [, photo = assert.fail()] = /(\/v2\/photo\/[0-9a-f]{64})/.exec((await ok('GET', 'pet/7')).text) ?? [];
    const statuses = async () =>
      Promise.all([...OTHERS, staff].map(async (options) => (await call('GET', `${origin}${photo}`, options)).status));
    assert.deepEqual(await statuses(), [404, 404, 404, 200]);
    await patch('pet/7', { photoUrls: [] });
    assert.deepEqual(await statuses(), [404, 404, 404, 200]);
    await patch('pet/7', { photoUrls: [`${origin}${photo}`] });
    await ok('DELETE', 'pet/7');
    assert.deepEqual(await statuses(), [404, 404, 404, 200]);
    await ok('POST', 'pet/7/restore');
    await patch('pet/7/profile', { isPublished: true });
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    await patch('pet/7/profile', { isPublished: false });
    assert.deepEqual(await statuses(), [404, 404, 404, 200]);
  });
});
