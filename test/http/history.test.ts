import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  assertResponse,
  assertRefused,
  clientOf,
  errorText,
  type HttpResponse,
  type CallOptions,
} from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';

const START_MS = Date.UTC(2026, 0, 31, 12);
const MAX_INT64 = '9223372036854775807';

let nowMs = START_MS;
const call = clientOf((await startTestService({ after }, { clock: () => nowMs })).base);
let count = 100;

interface Entry {
  version: number;
  at: string;
  action: string;
  actor: { id: number; name: string | null } | null;
  changes: { field: string; before?: unknown; after?: unknown }[];
}

async function ok(method: string, path: string, options: CallOptions = {}): Promise<HttpResponse> {
  const response = await call(method, path, options);
  assert.equal(response.status, 200, `${method} ${path}: ${response.text}`);
  return response;
}

async function historyOf(id: number | string, query = ''): Promise<readonly Entry[]> {
  return JSON.parse((await ok('GET', `pet/${id}/history${query}`)).text) as Entry[];
}

function ifMatch({ headers }: HttpResponse): CallOptions {
  return { headers: { 'if-match': headers.get('etag') ?? '' } };
}

function urlsOf({ text }: HttpResponse): readonly string[] {
  return (JSON.parse(text) as { photoUrls: string[] }).photoUrls;
}

void test('pet history: lists every change, newest first, across deletion and restore', async () => {
  const id = ++count;
  await ok('POST', 'pet', { json: { id, name: 'Rex', status: 'sold', tags: ['t'] } });
  nowMs += 1000;
  await ok('PATCH', `pet/${id}`, { json: { name: 'Max', status: null, category: { id: 1 } } });
  await ok('DELETE', `pet/${id}`);
  await ok('POST', 'pet', { json: { id, name: 'Tom' } });
  const entries = await historyOf(id);
  assert.deepEqual(
    entries.map(({ version: _version, at, ...entry }) => ({ ...entry, at: Date.parse(at) - START_MS })),
    [
      {
        action: 'added',
        actor: null,
        changes: [
          { field: 'name', after: 'Tom' },
          { field: 'photoUrls', after: [] },
          { field: 'tags', after: [] },
        ],
        at: 1000,
      },
      {
        action: 'deleted',
        actor: null,
        changes: [
          { field: 'category', before: { id: 1 } },
          { field: 'name', before: 'Max' },
          { field: 'photoUrls', before: [] },
          { field: 'tags', before: [{ name: 't' }] },
        ],
        at: 1000,
      },
      {
        action: 'edited',
        actor: null,
        changes: [
          { field: 'name', before: 'Rex', after: 'Max' },
          { field: 'status', before: 'sold' },
          { field: 'category', after: { id: 1 } },
        ],
        at: 1000,
      },
      {
        action: 'added',
        actor: null,
        changes: [
          { field: 'name', after: 'Rex' },
          { field: 'photoUrls', after: [] },
          { field: 'tags', after: [{ name: 't' }] },
          { field: 'status', after: 'sold' },
        ],
        at: 0,
      },
    ],
  );
  assert.match(entries[0]?.at ?? '', /^2026-01-31T12:00:01\.000Z$/);
  assert.equal((await call('GET', `pet/${id}`)).headers.get('etag'), `"${entries[0]?.version}"`);
});

void test('version: has the whole pet of that time, digit for digit', async () => {
  const json = Buffer.from(`{"id":${MAX_INT64},"category":{"id":9007199254740993},"name":"Rex"}`);
  await ok('POST', 'pet', { body: json, headers: { 'content-type': 'application/json' } });
  await ok('DELETE', `pet/${MAX_INT64}`);
  const [removed, added] = await historyOf(MAX_INT64);
  const { text } = await ok('GET', `pet/${MAX_INT64}/history/${added?.version}`);
  const pet = `{"id":${MAX_INT64},"category":{"id":9007199254740993},"name":"Rex","photoUrls":[],"tags":[]}`;
  assert.ok(text.endsWith(`,"pet":${pet}}`), text);
  assert.ok(text.includes('"changes":[{"field":"category","after":{"id":9007199254740993}}'), text);
  assert.ok((await ok('GET', `pet/${MAX_INT64}/history/${removed?.version}`)).text.endsWith(',"pet":null}'));
});

void test('pet history: refuses the cursor of another pet, and invented cursors', async () => {
  const [one, two] = [++count, ++count];
  for (const id of [one, two, one, two]) await ok('POST', 'pet', { json: { id, name: `Name ${++count}` } });
  const link = (await ok('GET', `pet/${one}/history?limit=1`)).headers.get('link') ?? '';
  const cursor = /cursor=([^&>]+)/.exec(link)?.[1];
  assert.equal((await historyOf(one, `?cursor=${cursor}`)).length, 1);
  assert.deepEqual(await historyOf(two, `?cursor=${cursor}`), []);
  assertRefused(await call('GET', `pet/${one}/history?cursor=nonsense`), 400);
  for (const limit of ['0', '1001', 'x', '-1'])
    assertRefused(await call('GET', `pet/${one}/history?limit=${limit}`), 400);
});

void test('unknown pet: has no history and no versions, and cannot be restored', async () => {
  const id = ++count;
  await ok('POST', 'pet', { json: { id, name: 'Rex' } });
  const version = (await historyOf(id))[0]?.version ?? 0;
  for (const path of ['history', 'history?cursor=aWQ6NQ'])
    assertResponse(await call('GET', `pet/987654321/${path}`), 404, errorText('Pet not found'));
  assertResponse(await call('POST', 'pet/987654321/restore'), 404, errorText('Pet not found'));
  for (const wrong of ['0', '-1', MAX_INT64, String(version + 1), String(version - 1)]) {
    assertResponse(await call('GET', `pet/${id}/history/${wrong}`), 404, errorText('Version not found'));
    assertResponse(await call('POST', `pet/${id}/history/${wrong}/restore`), 404, errorText('Version not found'));
  }
  assertResponse(await call('GET', `pet/987654321/history/${version}`), 404, errorText('Version not found'));
  for (const wrong of ['x', '1.5', '9223372036854775808', '%00']) {
    assertResponse(await call('GET', `pet/${id}/history/${wrong}`), 400, errorText('Invalid version supplied'));
    assertResponse(
      await call('POST', `pet/${id}/history/${wrong}/restore`),
      400,
      errorText('Invalid version supplied'),
    );
  }
});

void test('restore of a version: creates a new version, also of a deleted pet', async () => {
  const id = ++count;
  const first = await ok('POST', 'pet', { json: { id, name: 'Rex', tags: ['t'] } });
  const second = await ok('PATCH', `pet/${id}`, { json: { name: 'Max' } });
  const [, added] = await historyOf(id);
  const path = `pet/${id}/history/${added?.version}/restore`;
  assertRefused(await call('POST', path, ifMatch(first)), 412);
  const restored = await ok('POST', path, ifMatch(second));
  assertResponse(restored, 200, first.text);
  assert.equal(restored.headers.get('menagerie-missing-photos'), '0');
  assert.deepEqual((await historyOf(id))[0]?.changes, [{ field: 'name', before: 'Max', after: 'Rex' }]);
  assert.equal((await ok('POST', path)).headers.get('etag'), restored.headers.get('etag'), 'nothing to restore');
  await ok('DELETE', `pet/${id}`);
  assertResponse(await ok('POST', path), 200, first.text);
  assertResponse(await call('GET', `pet/${id}`), 200, first.text);
  const [, removal] = await historyOf(id);
  assert.equal(removal?.action, 'deleted');
  assertRefused(await call('POST', `pet/${id}/history/${removal?.version}/restore`), 409);
  assert.deepEqual(
    (await historyOf(id)).map(({ action }) => action),
    ['restored', 'deleted', 'restored', 'edited', 'added'],
  );
});

void test('restore of a deleted pet: returns its last state, once', async () => {
  const id = ++count;
  await ok('POST', 'pet', { json: { id, name: 'Rex' } });
  const last = await ok('PATCH', `pet/${id}`, { json: { name: 'Max', status: 'sold' } });
  assertRefused(await call('POST', `pet/${id}/restore`), 409);
  await ok('DELETE', `pet/${id}`);
  assertRefused(
    await call('POST', `pet/${id}/restore`, { headers: { 'if-match': last.headers.get('etag') ?? '' } }),
    412,
  );
  const responses = await Promise.all(Array.from({ length: 5 }, () => call('POST', `pet/${id}/restore`)));
  assert.deepEqual(responses.map(({ status }) => String(status)).toSorted(), ['200', '409', '409', '409', '409']);
  const back = responses.find(({ status }) => status === 200) ?? assert.fail();
  assertResponse(back, 200, last.text);
  assert.equal((await call('GET', `pet/${id}`)).headers.get('etag'), back.headers.get('etag'));
});

void test('photos in a history: have URLs for the client, and are restored with the pet', async () => {
  const id = ++count;
  await ok('POST', 'pet', { json: { id, name: 'Pictured' } });
  await ok('POST', `pet/${id}/uploadImage`, fileUpload(await makePhoto({ width: 8, height: 8 })));
  const urls = urlsOf(await ok('GET', `pet/${id}`));
  const [entry] = await historyOf(id);
  assert.deepEqual(entry?.changes, [{ field: 'photoUrls', before: [], after: urls }]);
  await ok('DELETE', `pet/${id}`);
  assert.deepEqual(urlsOf(await ok('POST', `pet/${id}/restore`)), urls);
  assert.equal((await call('GET', urls[0] ?? '')).status, 200);
});

void test('pet history in secured access: has actors, for clients that may change pets', async () => {
  const { call: ask } = await startSecuredService({ after });
  const edna = bearer(await logIn(ask, 'edna'));
  const root = bearer(await logIn(ask, 'root'));
  await ask('POST', 'pet', { headers: edna, json: { id: 7, name: 'Rex' } });
  await ask('DELETE', 'pet/7', { headers: root });
  const response = await ask('GET', 'pet/7/history', { headers: edna });
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.deepEqual(
    (JSON.parse(response.text) as Entry[]).map(({ actor }) => actor?.name),
    ['root', 'edna'],
  );
  await ask('POST', 'pet/7/restore', { headers: edna });
  const trail = await ask('GET', 'admin/audit?action=pet.restored', { headers: root });
  const [recorded] = JSON.parse(trail.text) as { actor: { name: string }; subject: object }[];
  assert.deepEqual([recorded?.actor.name, recorded?.subject], ['edna', { kind: 'pet', id: '7', name: 'Rex' }]);
});

void test('page of long versions: ends early with a link; a single version is complete', async () => {
  const id = ++count;
  // Each takes six characters in JSON.
  const photoUrls = Array.from({ length: 60 }, () => '\u0001'.repeat(1700));
  for (let index = 0; index < 9; index++)
    await ok('POST', 'pet', { json: { id, name: `${index}`, photoUrls: [...photoUrls, `/${index}`] } });
  const seen: Entry[] = [];
  let pages = 0;
  for (let path: string | undefined = `pet/${id}/history?limit=1000`; path !== undefined; pages++) {
    const response: HttpResponse = await ok('GET', path);
    assert.ok(response.text.length < 4 * 1024 * 1024, `${response.text.length} characters`);
    seen.push(...(JSON.parse(response.text) as Entry[]));
    const link = response.headers.get('link');
    path = link === null ? undefined : /\/v2\/([^>]+)>/.exec(link)?.[1];
  }
  assert.ok(pages > 1, `${pages} pages`);
  assert.deepEqual(
    seen.map(({ changes }) => changes.find(({ field }) => field === 'name')?.after),
    ['8', '7', '6', '5', '4', '3', '2', '1', '0'],
  );
  const { text } = await ok('GET', `pet/${id}/history/${seen[4]?.version}`);
  assert.deepEqual((JSON.parse(text) as { pet: { name: string } }).pet.name, '4');
});
