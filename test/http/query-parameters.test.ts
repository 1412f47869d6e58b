import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DESCRIPTIONS } from '../../src/api/documents/descriptions.ts';
import type { OperationDescription } from '../../src/api/documents/parts/format.ts';
import { PETSTORE_OPERATIONS } from '../../src/api/documents/petstore.ts';
import { ENDPOINTS, hasHead, type OperationId } from '../../src/api/endpoints.ts';
import { assertRefused } from '../support/client.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/* Misspelled query parameters are refused, with a suggestion; clients of Petstore may send any. */

const { call } = await startSecuredService({ after });
const headers = bearer(await logIn(call, 'root'));

const PATH_VALUES: Readonly<Record<string, string>> = {
  petId: '1',
  digest: 'a'.repeat(64),
  size: 'small',
  username: 'vera',
  webhookId: 'unknown',
  token: 'unknown',
  site: 'open',
  file: 'pets.json',
  loginId: '1',
};

const PETSTORE: ReadonlySet<string> = new Set(PETSTORE_OPERATIONS);

const OPERATIONS = Object.entries<OperationDescription>(DESCRIPTIONS).flatMap(([operation, { query }]) =>
  query === undefined ? [] : [{ operation: operation as OperationId, query }],
);

const own = OPERATIONS.filter(({ operation }) => !PETSTORE.has(operation));

function send(operation: OperationId, query: string, method: string = ENDPOINTS[operation].method) {
  const { path, body } = ENDPOINTS[operation];
  const filled = path
    .replace('/v2/', '')
    .replaceAll(/\{(\w+)\}/g, (_all, name: string) => PATH_VALUES[name] ?? assert.fail(name));
  return call(method, `${filled}?${query}`, { headers, ...(body === 'json' && { json: { role: 'viewer' } }) });
}

void test('query parameters: the operations that have them are found', () => {
  assert.ok(own.length >= 15, String(own.length));
  assert.ok(OPERATIONS.length > own.length);
});

for (const { operation, query } of own) {
  const names = Object.keys(query);

  void test(`${operation}: refuses a misspelled query parameter and names the nearest one`, async () => {
    for (const name of names) {
      const message = `Unknown query parameter: ${name}x. Did you mean ${name}?`;
      const response = await send(operation, `${name}x=1`);
      assert.equal(assertRefused(response, 400).message, message);
    }
    for (const name of [`${names[0]}[x]`, `${names[0]}[0][]`])
      assert.ok(assertRefused(await send(operation, `${name}=1`), 400).message.includes(name), name);
    if (hasHead(ENDPOINTS[operation])) assert.equal((await send(operation, `${names[0]}x=1`, 'HEAD')).status, 400);
  });

  void test(`${operation}: knows its query parameters`, async () => {
    const lists = names.filter((name) => (query[name] as { type?: string }).type === 'array');
    for (const name of [...names, ...lists.flatMap((list) => [`${list}[]`, `${list}[0]`, `${list}%5B12%5D`])]) {
      const { text } = await send(operation, `${name}=1`);
      assert.doesNotMatch(text, /Unknown query parameter/, name);
    }
  });
}

void test('query parameters: a long or odd name is truncated in the message', async () => {
  const response = await send('findPets', `${'%F0%9F%90%95'.repeat(26)}${'t'.repeat(5000)}=1`);
  assertRefused(response, 400);
  assert.ok(response.text.length < 300, response.text);
});

for (const operation of ['findPetsByStatus', 'findPetsByTags'] as const)
  void test(`${operation}: ignores unknown query parameters, as Petstore does`, async () => {
    assert.equal((await send(operation, 'status=sold&tags=calm&tag=x')).status, 200);
  });
