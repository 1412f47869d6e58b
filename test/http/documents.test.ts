import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { PETSTORE_OPERATIONS } from '../../src/api/documents/petstore.ts';
import { callAs, clientOf } from '../support/client.ts';
import { startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';

/* The API documents and the page that shows them are public in every mode. */

interface ServedDocument {
  servers?: { url: string }[];
  host?: string;
  basePath?: string;
  schemes?: string[];
  paths: Record<string, Record<string, { operationId: OperationId }>>;
}

const services = {
  open: await startTestService({ after }, { web: true }),
  secured: await startSecuredService({ after }, { web: true }),
  sandbox: await startTestService({ after }, { flags: ['--empty', '--access', 'sandbox'], web: true }),
};

const idsIn = ({ paths }: ServedDocument) =>
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId)
    .toSorted();

/** Every URL that a page loads or mentions. */
const neededBy = (page: string, at: string) =>
  [...page.matchAll(/(?:src|href|data-document)="([^"]+)"/g)].map(([, path = '']) => new URL(path, at).href);

for (const [access, { base }] of Object.entries(services)) {
  const call = clientOf(base);
  const origin = new URL(base).origin;

  void test(`API documents: public in ${access} access`, async () => {
    const openApi = await call('GET', 'openapi.json');
    const swagger = await call('GET', 'swagger.json');
    for (const { status, headers } of [openApi, swagger]) {
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'application/json');
      assert.equal(headers.get('cache-control'), 'no-cache');
    }
    assert.deepEqual(idsIn(JSON.parse(openApi.text) as ServedDocument), Object.keys(ENDPOINTS).toSorted());
    assert.deepEqual(idsIn(JSON.parse(swagger.text) as ServedDocument), PETSTORE_OPERATIONS.toSorted());
  });

  void test(`API page: public in ${access} access, with everything it loads`, async () => {
    const page = await call('GET', `${origin}/docs`);
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    const needed = neededBy(page.text, `${origin}/docs`);
    assert.ok(needed.length >= 7, page.text);
    assert.deepEqual(neededBy((await call('GET', `${origin}/docs/`)).text, `${origin}/docs/`), needed);
    assert.deepEqual(
      neededBy(page.text, `${origin}/shop/docs`),
      needed.map((path) => path.replace(origin, `${origin}/shop`)),
      'links must be relative, to work behind a proxy',
    );
    for (const path of needed) {
      assert.ok(path.startsWith(`${origin}/`), `${path} is elsewhere`);
      const { status, headers, bytes } = await call('GET', path);
      assert.equal(status, 200, path);
      assert.equal(Number(headers.get('content-length')), bytes.byteLength, path);
    }
  });
}

void test('API documents: not sent again to a client that has them', async () => {
  const call = clientOf(services.open.base);
  for (const path of ['openapi.json', 'swagger.json']) {
    const first = await call('GET', path);
    const etag = first.headers.get('etag') ?? '';
    const again = await call('GET', path, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    assert.equal(again.text, '');
    assert.equal(again.headers.get('etag'), etag);
    assert.equal((await call('GET', path, { headers: { 'if-none-match': '"other"' } })).status, 200);
    const head = await call('HEAD', path);
    assert.equal(head.headers.get('content-length'), String(first.bytes.byteLength));
  }
});

void test('API documents: contain the address that the client used', async () => {
  const { base } = services.sandbox;
  const headers = { host: 'pets.example.org:81' };
  const openApi = JSON.parse((await callAs(base, 'GET', 'openapi.json', { headers })).text) as ServedDocument;
  assert.deepEqual(openApi.servers, [{ url: 'http://pets.example.org:81/v2' }]);
  const swagger = JSON.parse((await callAs(base, 'GET', 'swagger.json', { headers })).text) as ServedDocument;
  assert.equal(swagger.host, 'pets.example.org:81');
  assert.deepEqual(swagger.schemes, ['http']);
});

void test('API documents: contain the configured public address', async (t) => {
  const flags = ['--empty', '--access', 'sandbox', '--public-url', 'https://pets.example.org'];
  const { base } = await startTestService(t, { flags });
  const swagger = JSON.parse((await clientOf(base)('GET', 'swagger.json')).text) as ServedDocument;
  assert.equal(swagger.host, 'pets.example.org');
  assert.deepEqual(swagger.schemes, ['https']);
});

void test('public address with a path: used consistently', async (t) => {
  const flags = ['--empty', '--access', 'sandbox', '--public-url', 'https://pets.example.org/shop/'];
  const { base } = await startTestService(t, { flags });
  const call = clientOf(base);
  const openApi = JSON.parse((await call('GET', 'openapi.json')).text) as ServedDocument;
  assert.deepEqual(openApi.servers, [{ url: 'https://pets.example.org/shop/v2' }]);
  const swagger = await call('GET', 'swagger.json');
  const { host, basePath } = JSON.parse(swagger.text) as ServedDocument;
  assert.equal(`https://${host}${basePath}`, 'https://pets.example.org/shop/v2');
  assert.ok(swagger.text.includes('"authorizationUrl":"https://pets.example.org/shop/oauth/authorize"'));
  for (const id of [1, 2]) await call('POST', 'pet', { json: { id, name: 'Rex', status: 'sold' } });
  const { headers } = await call('GET', 'pet/findByStatus?status=sold&limit=1');
  assert.match(headers.get('link') ?? '', /^<https:\/\/pets\.example\.org\/shop\/v2\/pet\/findByStatus\?/);
  const file = new Blob([await readFile(new URL('../../assets/sample-photos/dog-juno.jpg', import.meta.url))]);
  const form = new FormData();
  form.set('file', file, 'juno.jpg');
  assert.equal((await fetch(`${base}/pet/1/uploadImage`, { method: 'POST', body: form })).status, 200);
  const pet = (await call('GET', 'pet/1')).text;
  assert.match(pet, /"photoUrls":\["https:\/\/pets\.example\.org\/shop\/v2\/photo\/[0-9a-f]{64}"\]/);
  // A returned URL must be recognized as the service's own photo.
  await call('PUT', 'pet', { json: JSON.parse(pet) as object });
  assert.match((await call('GET', 'pet/1/photos')).text, /"digest":"[0-9a-f]{64}"/);
});

void test('API documents: a host that would break the address is refused', async () => {
  const { status, text } = await callAs(services.sandbox.base, 'GET', 'openapi.json', { headers: { host: 'a"b' } });
  assert.equal(status, 400, text);
});

void test('API page: runs own scripts only, and contacts no other host', async () => {
  const { headers } = await clientOf(services.open.base)('GET', `${services.open.origin}/docs`);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self'; /);
  assert.match(policy, /; connect-src 'self'; /);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
});

void test('API page: shows the document that its query names', async () => {
  const call = clientOf(services.open.origin);
  const documents = { docs: 'openapi', 'docs?document=swagger': 'swagger', 'docs/?document=other': 'openapi' };
  for (const [path, name] of Object.entries(documents)) {
    const { text } = await call('GET', path);
    assert.match(text, new RegExp(`data-document="\\.\\.?/v2/${name}\\.json"`), path);
    assert.match(text, new RegExp(`document=${name}" aria-current="page"`), path);
  }
});

void test('API page: without a build, says how to build it, and links to the document', async (t) => {
  const { origin } = await startTestService(t);
  for (const path of ['docs', 'docs/']) {
    const page = await clientOf(origin)('GET', path);
    assert.equal(page.status, 200);
    assert.match(page.text, /npm run build:web/);
    const links = neededBy(page.text, `${origin}/shop/${path}`);
    assert.deepEqual(links, [`${origin}/shop/v2`, `${origin}/shop/v2/openapi.json`]);
  }
});
