import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { DESCRIPTIONS } from '../../src/api/documents/descriptions.ts';
import type { OperationDescription } from '../../src/api/documents/parts/format.ts';
import { createOpenApi } from '../../src/api/documents/openapi.ts';
import { createCheck } from '../../src/api/check.ts';
import { PETSTORE_OPERATIONS } from '../../src/api/documents/petstore.ts';
import { createSwagger } from '../../src/api/documents/swagger.ts';
import { SentPet } from '../../src/api/records/sent-pet.ts';
import { Failure } from '../../src/domain/failure.ts';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { committedDocuments } from '../../scripts/documents.ts';

/* The documents generated from the endpoint table and its descriptions. */

const settings = { origin: 'https://pets.example.org:8443', version: '1.2.3' };
const openApi = createOpenApi(settings);
const swagger = createSwagger(settings);

type Parameter = { name: string; in: string; type?: string; required?: boolean; collectionFormat?: string };
type Operation = {
  operationId: string;
  parameters: Parameter[];
  produces?: string[];
  consumes?: string[];
  deprecated?: true;
  responses: Readonly<Record<string, { content?: object }>>;
  requestBody?: { content: object };
};
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const operationsOf = (document: { paths: unknown }) =>
  Object.entries(document.paths as Paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );

for (const [name, document] of Object.entries({ openApi, swagger })) {
  void test(`${name}: is valid by the official schema`, async () => {
    const copy = JSON.parse(JSON.stringify(document)) as Parameters<Validator['validate']>[0];
    assert.deepEqual(await new Validator().validate(copy), { valid: true });
  });
}

void test('committed API documents: are up to date', async () => {
  for (const [name, text] of Object.entries(committedDocuments())) {
    const committed = await readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
    assert.ok(committed === text, `docs/${name} is out of date. Run: npm run documents`);
  }
});

void test('openapi.json: has every operation of the endpoint table at its path', () => {
  const found = operationsOf(openApi).map(({ operationId, method, path }) => `${operationId} ${method} /v2${path}`);
  const wanted = Object.entries(ENDPOINTS).map(([id, { method, path }]) => `${id} ${method.toLowerCase()} ${path}`);
  assert.deepEqual(found.toSorted(), wanted.toSorted());
});

void test('openapi.json: describes the parameters of every path, and no others', () => {
  for (const [id, { path = {} }] of Object.entries<OperationDescription>(DESCRIPTIONS)) {
    const inPath = [...ENDPOINTS[id as OperationId].path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    assert.deepEqual(
      Object.keys(path).toSorted((a, b) => a.localeCompare(b)),
      inPath.toSorted((a, b) => a.localeCompare(b)),
      id,
    );
  }
});

void test('openapi.json: an operation has a body if the endpoint table says so', () => {
  for (const [id, { body }] of Object.entries<OperationDescription>(DESCRIPTIONS))
    assert.equal(body !== undefined, ENDPOINTS[id as OperationId].body !== 'none', id);
});

void test('API documents: have no integers beyond 2^53, which the API page would round', () => {
  for (const [name, text] of Object.entries(committedDocuments()).filter(([name]) => name.endsWith('.json'))) {
    const numbers = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d+/g) ?? assert.fail(name);
    assert.deepEqual(
      numbers.filter((digits) => !Number.isSafeInteger(Number(digits))),
      [],
    );
  }
});

void test('openapi.json: contains nothing internal', () => {
  for (const document of [openApi, swagger]) {
    const text = JSON.stringify(document);
    assert.doesNotMatch(text, /"message":"must /);
    assert.doesNotMatch(text, /"~\w+"|"title":"(?!Menagerie)/);
  }
});

void test('openapi.json: schemas with the same title are one component', () => {
  const found = new Map<string, string>();
  const visit = (given: unknown): void => {
    if (typeof given !== 'object' || given === null) return;
    const { documentedAs: place = given } = given as { documentedAs?: object };
    const { title } = place as { title?: unknown };
    if (typeof title === 'string') {
      const text = JSON.stringify(place);
      assert.equal(found.get(title) ?? text, text, `There are two schemas with the title ${title}.`);
      found.set(title, text);
    }
    for (const inner of Object.values(place)) visit(inner);
  };
  visit(DESCRIPTIONS);
  for (const name of ['Pet', 'Category', 'Tag', 'User', 'ApiResponse', 'SentPet']) assert.ok(found.has(name), name);
  for (const name of found.keys()) assert.ok(openApi.components.schemas[name], name);
});

/** Every object within, with its path. */
function* objectsIn(
  place: unknown,
  path = '',
): Generator<readonly [path: string, object: Readonly<Record<string, unknown>>]> {
  if (typeof place !== 'object' || place === null) return;
  yield [path, place as Readonly<Record<string, unknown>>];
  for (const [name, inner] of Object.entries(place)) yield* objectsIn(inner, `${path}/${name}`);
}

const patternsIn = (document: object) =>
  [...objectsIn(document)].flatMap(([path, { pattern }]) => (typeof pattern === 'string' ? [{ path, pattern }] : []));

void test('openapi.json: patterns work in any regular expression engine', () => {
  const found = [...patternsIn(openApi), ...patternsIn(swagger)];
  assert.ok(found.length > 10);
  for (const { path, pattern } of found) {
    // Literals, classes, groups, alternatives and counts, and escapes of ASCII are common to RE2, PCRE, Java, .NET,
    // Python, Ruby and Rust.
    assert.match(pattern, /^(?:[ -~])+$/, path);
    assert.doesNotMatch(pattern, /\\(?![-.\\/^$*+?()[\]{}|dwsDWS]|x[0-9a-fA-F]{2})/, `${path}: ${pattern}`);
    assert.doesNotMatch(pattern, /\(\?(?!:)/, `${path}: ${pattern}`);
    assert.doesNotThrow(() => new RegExp(pattern, 'u'), `${path}: ${pattern}`);
  }
});

void test('openapi.json: a rule without a pattern is described in words, and still checked', () => {
  const { SentPet: pet, SentUser: user } = openApi.components.schemas as unknown as Record<
    string,
    { properties: Record<string, object> }
  >;
  assert.deepEqual(pet?.properties['name'], {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'A string of 1 to 255 characters with one that is no space.',
  });
  assert.match(
    JSON.stringify(user?.properties['username']),
    /without control characters, invisible characters, slashes/,
  );
  const check = createCheck(SentPet);
  for (const name of ['', '  ', 'a\u0000', '\uD800']) assert.throws(() => check({ name }), Failure);
});

void test('openapi.json: shared parameters and failures are components', () => {
  const inline = operationsOf(openApi).flatMap(({ parameters, responses }) => [
    ...parameters.filter((parameter) => !('$ref' in parameter)),
    ...Object.entries(responses).flatMap(([status, response]) => (Number(status) < 400 ? [] : [response])),
  ]);
  const repeated = inline
    .filter((part) => !('$ref' in part))
    .map((part) => JSON.stringify(part))
    .filter((text, index, all) => all.indexOf(text) !== index);
  assert.deepEqual(repeated, []);
  const used = new Set([...objectsIn(openApi)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : [])));
  for (const kind of ['schemas', 'parameters', 'responses', 'headers'] as const)
    for (const name of Object.keys(openApi.components[kind]))
      assert.ok(used.has(`#/components/${kind}/${name}`), `${kind}/${name}`);
});

void test('openapi.json: each parameter is that of its operation, also if others have its name', () => {
  const components: Readonly<Record<string, object>> = openApi.components.parameters;
  for (const { operationId, parameters } of operationsOf(openApi)) {
    const { path, query }: OperationDescription = DESCRIPTIONS[operationId as OperationId];
    const described = Object.entries({ ...path, ...query }).map(([name, schema]) => [
      name,
      (schema as { description?: string }).description,
    ]);
    const found = parameters.map((parameter) => {
      const { $ref } = parameter as { $ref?: string };
      const shared = $ref === undefined ? parameter : components[$ref.split('/').at(-1) ?? ''];
      return shared as { name: string; in: string; description: string };
    });
    const inUrl = found.filter((parameter) => parameter.in !== 'header');
    assert.deepEqual(
      inUrl.map(({ name, description }) => [name, description]),
      described,
      operationId,
    );
  }
});

void test('openapi.json: `default` has the failures of every operation, and each operation lists its others', () => {
  const exact = new Map(
    operationsOf(createOpenApi({ ...settings, isExact: true })).map((each) => [each.operationId, each]),
  );
  const { Failure: shared, FailureWithXml: sharedWithXml } = openApi.components.responses;
  assert.deepEqual(statusesIn(shared), ['400', '403', '406', '413', '415', '417', '429', '500', '503']);
  assert.deepEqual(statusesIn(sharedWithXml), statusesIn(shared));
  for (const { operationId, responses } of operationsOf(openApi)) {
    const { default: other, ...listed } = responses;
    assert.ok(other, operationId);
    const expected = Object.keys(exact.get(operationId)?.responses ?? {});
    const { response, method } = ENDPOINTS[operationId as OperationId];
    const never = [
      ...(['photo', 'file'].includes(response) ? ['406'] : []),
      ...(method === 'GET' ? ['413', '415'] : []),
    ];
    const common = statusesIn(shared).filter((status) => !never.includes(status));
    assert.deepEqual([...new Set([...Object.keys(listed), ...common])].toSorted(), expected.toSorted());
  }
});

const statusesIn = (response: object | undefined) =>
  [...(response as { description: string }).description.matchAll(/\b\d{3}(?=: )/g)].map(([status]) => status);

void test('openapi.json: has at most 2,000 bytes per operation', () => {
  assert.ok(JSON.stringify(openApi).length / operationsOf(openApi).length < 2000);
});

void test('an unknown expectation: every operation of swagger.json has a 417', () => {
  for (const { operationId, responses } of operationsOf(swagger)) assert.ok('417' in responses, operationId);
});

const closed = (document: object) =>
  [...objectsIn(document)].filter(([, { additionalProperties }]) => additionalProperties === false);

void test('openapi.json: responses may have further fields, except in our own tests', () => {
  assert.deepEqual(closed(openApi), []);
  assert.deepEqual(closed(swagger), []);
  assert.ok(closed(createOpenApi({ ...settings, isExact: true })).length > 20);
});

void test('openapi.json: every body and every record has a name', () => {
  const ownDocuments = /^\/paths\/\/(?:openapi|swagger|arazzo)\.json\//;
  const inline = [...objectsIn(openApi)]
    .filter(([path, { type, properties }]) => type === 'object' && properties !== undefined && !ownDocuments.test(path))
    .map(([path]) => path)
    .filter((path) => !/^\/components\/schemas\/\w+$/.test(path));
  assert.deepEqual(inline, []);
});

void test('API documents: give the address of the service', () => {
  assert.deepEqual(openApi.servers, [{ url: 'https://pets.example.org:8443/v2' }]);
  assert.equal(swagger.host, 'pets.example.org:8443');
  assert.equal(swagger.basePath, '/v2');
  assert.deepEqual(swagger.schemes, ['https']);
});

void test('swagger.json: has the operations of Petstore with their parameters, in their order', () => {
  const found = Object.fromEntries(
    operationsOf(swagger).map(({ operationId, method, path, parameters }) => [
      operationId,
      `${method} ${path}: ${parameters.map(({ name, in: place }) => `${name} in ${place}`).join(', ')}`,
    ]),
  );
  assert.deepEqual(found, {
    addPet: 'post /pet: body in body',
    updatePet: 'put /pet: body in body',
    findPetsByStatus: 'get /pet/findByStatus: status in query',
    findPetsByTags: 'get /pet/findByTags: tags in query',
    getPetById: 'get /pet/{petId}: petId in path',
    updatePetWithForm: 'post /pet/{petId}: petId in path, name in formData, status in formData',
    deletePet: 'delete /pet/{petId}: api_key in header, petId in path',
    uploadFile: 'post /pet/{petId}/uploadImage: petId in path, additionalMetadata in formData, file in formData',
    createUser: 'post /user: body in body',
    createUsersWithArrayInput: 'post /user/createWithArray: body in body',
    createUsersWithListInput: 'post /user/createWithList: body in body',
    loginUser: 'get /user/login: username in query, password in query',
    logoutUser: 'get /user/logout: ',
    getUserByName: 'get /user/{username}: username in path',
    updateUser: 'put /user/{username}: username in path, body in body',
    deleteUser: 'delete /user/{username}: username in path',
  });
  assert.deepEqual(Object.keys(found).toSorted(), PETSTORE_OPERATIONS.toSorted());
});

void test('swagger.json: has the definitions of Petstore under the names that its clients know', () => {
  const { definitions } = swagger;
  assert.deepEqual(Object.keys(definitions).toSorted(), ['ApiResponse', 'Category', 'Pet', 'Tag', 'User']);
  assert.deepEqual(definitions['Pet']?.['required'], ['name', 'photoUrls']);
  const fields = (name: string) => Object.keys(definitions[name]?.['properties'] ?? {});
  assert.deepEqual(fields('Pet'), ['id', 'category', 'name', 'photoUrls', 'tags', 'status']);
  assert.deepEqual(fields('User').toSorted(), [
    'email',
    'firstName',
    'id',
    'lastName',
    'password',
    'phone',
    'userStatus',
    'username',
  ]);
  assert.doesNotMatch(JSON.stringify(definitions), /anyOf|oneOf|"null"|"const"/);
});

void test('API documents: declare XML for exactly sixteen operations', () => {
  const inXml = Object.entries(ENDPOINTS).filter(([, { xml }]) => xml !== undefined);
  assert.deepEqual(inXml.map(([id]) => id).toSorted(), PETSTORE_OPERATIONS.toSorted());
  for (const { operationId, responses, requestBody } of operationsOf(openApi)) {
    const { xml, takesXml } = ENDPOINTS[operationId as OperationId];
    for (const [status, { content }] of Object.entries(responses))
      if (content !== undefined)
        assert.equal('application/xml' in content, xml !== undefined, `${operationId} ${status}`);
    assert.equal('application/xml' in (requestBody?.content ?? {}), takesXml, operationId);
  }
});

void test('swagger.json: declares XML names and deprecated operations', () => {
  for (const { operationId, produces, consumes, deprecated } of operationsOf(swagger)) {
    assert.deepEqual(produces, ['application/json', 'application/xml'], operationId);
    assert.equal(deprecated, operationId === 'findPetsByTags' ? true : undefined, operationId);
    if (operationId === 'addPet' || operationId === 'updatePet')
      assert.deepEqual(consumes, ['application/json', 'application/xml'], operationId);
  }
});
