import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DESCRIPTIONS } from '../../src/api/documents/descriptions.ts';
import type { OperationDescription } from '../../src/api/documents/parts/format.ts';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { assertRefused } from '../support/client.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/* Unknown fields: ignored in bodies of Petstore, refused with a suggestion in all others. */

const { call } = await startSecuredService({ after });
const headers = bearer(await logIn(call, 'root'));

/** The operations whose body is a pet, a user or the credentials of Petstore. */
const OF_PETSTORE: readonly OperationId[] = [
  'addPet',
  'updatePet',
  'patchPet',
  'createUser',
  'updateUser',
  'loginUserWithBody',
  'signInWithPassword',
];

interface BodySchema {
  properties?: Readonly<Record<string, BodySchema>>;
  documentedAs?: BodySchema;
  readOnly?: true;
}

function fieldsOf(operation: OperationId): readonly string[] {
  const { body }: OperationDescription = DESCRIPTIONS[operation];
  const schema: BodySchema | undefined = body?.content['application/json'];
  const { properties = {} } = schema?.documentedAs ?? schema ?? {};
  return Object.keys(properties).filter((name) => properties[name]?.readOnly !== true);
}

const OWN = Object.entries(ENDPOINTS)
  .filter(([, { body }]) => body === 'json' || body === 'merge-patch')
  .map(([operation]) => operation as OperationId)
  .filter((operation) => !OF_PETSTORE.includes(operation) && fieldsOf(operation).length > 0);

function send(operation: OperationId, json: object) {
  const { method, path } = ENDPOINTS[operation];
  return call(method, path.replace('/v2/', '').replaceAll(/\{\w+\}/g, '1'), { headers, json });
}

await call('POST', 'pet', { headers, json: { id: 1, name: 'Rex' } });

void test('unknown fields: the operations with a body of their own are found', () => {
  assert.ok(OWN.length > 30, String(OWN.length));
});

for (const operation of OWN) {
  // The token of a playground in a path comes first.
  const isOfPlayground = ENDPOINTS[operation].path.includes('{token}');
  void test(`${operation}: refuses a misspelt field and names the nearest one`, { skip: isOfPlayground }, async () => {
    for (const name of fieldsOf(operation)) {
      const { errors } = assertRefused(await send(operation, { [`${name}X`]: 1 }), 400, name);
      const problem = errors?.find(({ path }) => path === `/${name}X`);
      assert.equal(problem?.message, `is unknown (did you mean ${name}?)`);
    }
  });
}

void test('a profile: is not emptied by a misspelt field, and can be sent as it was read', async () => {
  const profile = { species: 'cat', weightKg: 3, description: '# Hello' };
  assert.equal((await call('PUT', 'pet/1/profile', { headers, json: profile })).status, 200);
  const before = (await call('GET', 'pet/1/profile', { headers })).text;
  const refused = assertRefused(await call('PUT', 'pet/1/profile', { headers, json: { weightkg: 3 } }), 400);
  assert.equal(refused.message, 'Invalid input: /weightkg is unknown (did you mean weightKg?).');
  assertRefused(await call('PUT', 'pet/1/profile', { headers, json: { bondedWith: [{ id: 2, x: 1 }] } }), 400);
  assert.equal((await call('GET', 'pet/1/profile', { headers })).text, before);
  assert.ok(before.includes('descriptionHtml'), before);
  assert.equal((await call('PUT', 'pet/1/profile', { headers, json: JSON.parse(before) as object })).text, before);
});

for (const path of ['organisation', 'own-fields', 'embedding', 'enquiry-settings']) {
  void test(`${path}: can be sent as it was read`, async () => {
    const { status, text } = await call('GET', path, { headers });
    assert.equal(status, 200, path);
    const stored = await call('PUT', path, { headers, json: JSON.parse(text) as object });
    assert.equal(stored.status, 200, stored.text);
  });
}

void test('long and many unknown fields: a short refusal', async () => {
  const names = Array.from({ length: 5000 }, (_, index) => `${'~/\uD800x'.repeat(20)}${index}`);
  const json = Object.fromEntries(names.map((name) => [name, 1]));
  const response = await call('PUT', 'pet/1/profile', { headers, json });
  assert.ok(assertRefused(response, 400).message.length < 2000);
  assert.ok(response.text.length < 20_000, String(response.text.length));
});

void test('a line of a bulk request: a misspelt precondition is no missing one', async () => {
  const { text } = await call('POST', 'bulk', {
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: Buffer.from('{"op":"delete","id":1,"ifmatch":"\\"0\\""}\n{"op":"update","pet":{"id":1,"name":"Rex","x":1}}'),
  });
  const [refused, updated] = text.trim().split('\n');
  assert.match(refused ?? '', /"status":400,"message":"Invalid input: \/ifmatch is unknown \(did you mean ifMatch\?\)/);
  assert.match(updated ?? '', /"status":200/);
});
