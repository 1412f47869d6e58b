import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, clientOf } from '../support/client.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

const MAX_INT64 = '9223372036854775807';

const service = await startSecuredService({ after });
const call = clientOf(service.base);
const headers = bearer(await logIn(call, 'root'));

async function ok(method: string, path: string, json?: unknown): Promise<string> {
  const { status, text } = await call(method, path, { headers, json });
  assert.equal(status, 200, `${method} ${path}: ${text}`);
  return text;
}

interface Removed {
  id: number;
  deletedAt: string;
}

async function removed(path = 'deleted-pets'): Promise<{ ids: readonly number[]; next: string | undefined }> {
  const response = await call('GET', path, { headers });
  assert.equal(response.status, 200, response.text);
  const link = response.headers.get('link');
  return {
    ids: (JSON.parse(response.text) as Removed[]).map(({ id }) => id),
    next: link === null ? undefined : (/^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? assert.fail(link)),
  };
}

void test('deleted pets: listed, last deleted first, until they are restored', async () => {
  assert.equal(await ok('GET', 'deleted-pets'), '[]');
  const sinceMs = Date.now();
  const rex = {
    id: MAX_INT64,
    category: { id: MAX_INT64, name: 'Dogs' },
    name: 'Rex "x"',
    tags: ['t'],
    status: 'sold',
  };
  await ok('POST', 'pet', rex);
  await ok('DELETE', `pet/${MAX_INT64}`);
  const text = await ok('GET', 'deleted-pets');
  const [, deletedAt = '', actor = ''] = /,"deletedAt":"([^"]+)","actor":(.*)\}\]$/.exec(text) ?? assert.fail(text);
  assert.equal(
    text,
    `[{"id":${MAX_INT64},"category":{"id":${MAX_INT64},"name":"Dogs"},"name":"Rex \\"x\\"","status":"sold","deletedAt":"${deletedAt}","actor":${actor}}]`,
  );
  assert.ok(Date.parse(deletedAt) >= sinceMs && Date.parse(deletedAt) <= Date.now());
  assert.equal((JSON.parse(actor) as { name: string }).name, 'root');
  for (const id of [1, 2, 3, 4]) await ok('POST', 'pet', { id, name: `Pet ${id}` });
  for (const id of [3, 1, 4]) await ok('DELETE', `pet/${id}`);
  await ok('POST', `pet/${MAX_INT64}/restore`);
  assert.deepEqual((await removed()).ids, [4, 1, 3]);
  await ok('POST', 'pet', { id: 1, name: 'Another' });
  assert.deepEqual((await removed()).ids, [4, 3]);
  await ok('DELETE', 'pet/1');
  assert.deepEqual((await removed()).ids, [1, 4, 3]);
});

void test('deleted pets: pages lead to all, during further deletions', async () => {
  const first = await removed('deleted-pets?limit=2');
  assert.deepEqual(first.ids, [1, 4]);
  await ok('DELETE', 'pet/2');
  const second = await removed(first.next);
  assert.deepEqual([second.ids, second.next], [[3], undefined]);
  assert.deepEqual((await removed('deleted-pets?limit=1')).ids, [2]);
  for (const query of ['limit=0', 'limit=1001', 'cursor=x', 'cursor='])
    assertRefused(await call('GET', `deleted-pets?${query}`, { headers }), 400, query);
});

void test('deleted pets: not cached, and only for clients that may change pets', async () => {
  const { headers: received } = await call('GET', 'deleted-pets', { headers });
  assert.match(received.get('cache-control') ?? '', /no-store/);
  assertRefused(await call('GET', 'deleted-pets'), 401);
  assertRefused(await call('GET', 'deleted-pets', { headers: bearer(await logIn(call, 'vera')) }), 403);
});
