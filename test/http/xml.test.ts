import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { ENDPOINTS } from '../../src/api/endpoints.ts';
import { assertNothingLeaks, assertRefused, clientOf, type HttpResponse, type CallOptions } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';
import { startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';
import { noXmlReader, readByOthers, type ReadElement } from '../support/xml-reader.ts';

const service = await startTestService({ after });
const call = clientOf(service.base);

const XML = 'application/xml';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

/** The same call from a client that accepts XML only. */
const askXml = async (method: string, path: string, { headers, ...options }: CallOptions = {}) =>
  call(method, path, {
    ...options,
    headers: { ...(options.json !== undefined && { 'content-type': 'application/json' }), ...headers, accept: XML },
  });

/** Sends and accepts XML. */
const sendXml = (method: string, xml: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  askXml(method, 'pet', { body: Buffer.from(xml as string), headers: { 'content-type': XML, ...headers } });

function assertXml(response: HttpResponse, status: number, xml: string | RegExp, context = ''): void {
  assert.equal(response.status, status, `${context} ${response.text}`);
  assert.equal(response.headers.get('content-type'), XML, context);
  assert.ok(response.text.startsWith(DECLARATION), response.text);
  const root = response.text.slice(DECLARATION.length);
  if (typeof xml === 'string') assert.equal(root, xml, context);
  else assert.match(root, xml, context);
  assertNothingLeaks(response, context);
}

const apiResponse = (message: string) =>
  `<ApiResponse><code>200</code><type>unknown</type><message>${message}</message></ApiResponse>`;
const refusal = (message: string) =>
  `<ApiResponse><code>1</code><type>error</type><message>${message}</message></ApiResponse>`;

const MAX = '9223372036854775807';
const REX = `<Pet><id>${MAX}</id><category><id>9007199254740993</id><name>a &amp; b</name></category><name>&lt;Rex&gt;</name><photoUrls><photoUrl>http://x/?a=1&amp;b=2</photoUrl></photoUrls><tags><tag><id>1</id><name>ä</name></tag><tag><name>b</name></tag></tags><status>sold</status></Pet>`;
const ADA = { id: 41, username: 'ada', firstName: 'A & L', email: 'ada@example.org', password: 'pw', userStatus: 2 };

void test('XML: each of the sixteen operations responds in it, and two of them accept it', async () => {
  assertXml(await sendXml('POST', REX), 200, REX);
  assertXml(await sendXml('PUT', REX.replace('sold', 'pending')), 200, REX.replace('sold', 'pending'));
  assertXml(
    await askXml('GET', 'pet/findByStatus?status=pending'),
    200,
    `<pets>${REX.replace('sold', 'pending')}</pets>`,
  );
  assertXml(await askXml('GET', 'pet/findByStatus?status=sold'), 200, '<pets></pets>');
  assertXml(
    await askXml('GET', `pet/findByTags?tags=${encodeURIComponent('ä')}`),
    200,
    /^<pets><Pet><id>9223372036854775807<\/id>.*<\/pets>$/,
  );
  assertXml(await askXml('POST', `pet/${MAX}`, { form: { status: 'sold' } }), 200, apiResponse(MAX));
  assertXml(await askXml('GET', `pet/${MAX}`), 200, REX);
  const uploaded = await askXml('POST', `pet/${MAX}/uploadImage`, fileUpload(await makePhoto()));
  assertXml(uploaded, 200, /<message>additionalMetadata: null\nFile uploaded to .*, \d+ bytes<\/message>/);
  const [, photoUrl = ''] =
    /<photoUrl>([^<]*\/v2\/photo\/[^<]*)<\/photoUrl>/.exec((await askXml('GET', `pet/${MAX}`)).text) ?? [];
  assert.equal((await call('GET', photoUrl)).status, 200);
  assertXml(await askXml('DELETE', `pet/${MAX}`), 200, apiResponse(MAX));

  assertXml(await askXml('POST', 'user', { json: ADA }), 200, apiResponse('41'));
  assertXml(await askXml('POST', 'user/createWithArray', { json: [{ username: 'bob' }] }), 200, apiResponse('ok'));
  assertXml(await askXml('POST', 'user/createWithList', { json: [{ username: 'eve' }] }), 200, apiResponse('ok'));
  const login = await askXml('GET', 'user/login?username=ada&password=pw');
  assertXml(login, 200, /^<string>logged in user session:[\w-]{43}<\/string>$/);
  assert.ok(login.headers.get('x-expires-after') !== null && login.headers.get('set-cookie') !== null);
  assert.equal(login.headers.get('cache-control'), 'no-store');
  const user =
    '<User><id>41</id><username>ada</username><firstName>A &amp; ' +
    'L</firstName><email>ada@example.org</email><userStatus>2</userStatus></User>';
  assertXml(await askXml('GET', 'user/ada'), 200, user);
  assertXml(await askXml('PUT', 'user/ada', { json: { ...ADA, phone: '1' } }), 200, apiResponse('41'));
  assertXml(await askXml('GET', 'user/logout'), 200, apiResponse('ok'));
  assertXml(await askXml('DELETE', 'user/ada'), 200, apiResponse('ada'));
});

void test('XML: has the same content as JSON', async () => {
  const pet = { id: 300, name: 'x\ty\r\n\u0001\uFFFE🐕', photoUrls: [], tags: [] };
  assert.equal((await call('POST', 'pet', { json: pet })).status, 200);
  const { text } = await askXml('GET', 'pet/300');
  // The replacement for characters that XML cannot carry.
  assert.ok(text.includes('<name>x\ty&#13;\n\uFFFD\uFFFD🐕</name>'), JSON.stringify(text));
  await sendXml('POST', '<pet><id>301</id><name>  007 </name><tags><Tag>a</Tag></tags></pet>');
  assert.equal((await call('GET', 'pet/301')).text, '{"id":301,"name":"007","photoUrls":[],"tags":[{"name":"a"}]}');
});

const negotiations: [accept: string, type: string][] = [
  ['application/xml', XML],
  ['APPLICATION/XML', XML],
  ['application/xml;charset=utf-8', XML],
  ['text/xml', 'text/xml; charset=utf-8'],
  ['text/*', 'text/xml; charset=utf-8'],
  ['text/xml, application/xml', XML],
  ['text/xml, application/xml;q=0.9', 'text/xml; charset=utf-8'],
  ['application/xml, application/json;q=0.9', XML],
  ['application/xml, */*;q=0.1', XML],
  ['application/xml, application/json;q=0', XML],
  ['text/html, application/xml', XML],
  ['application/xml, application/json', 'application/json'],
  ['application/json, application/xml', 'application/json'],
  ['application/xml;q=0.9, application/json;q=0.9', 'application/json'],
  ['application/xml, */*', 'application/json'],
  ['application/*', 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/problem+json, application/xml', 'application/json'],
  ['application/xml;q=0, */*;q=0.1', 'application/json'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', 'application/json'],
];
for (const [accept, type] of negotiations) {
  void test(`Accept: ${accept} returns ${type}`, async () => {
    await call('POST', 'pet', { json: { id: 310, name: 'x' } });
    for (const path of ['pet/310', 'pet/findByTags?tags=nothing', 'user/logout']) {
      const { status, headers, text } = await call('GET', path, { headers: { accept } });
      // A link followed in a browser is refused, in the same format.
      assert.equal(status, path === 'user/logout' && accept.startsWith('text/html') ? 403 : 200, text);
      assert.equal(headers.get('content-type'), type, path);
      assert.equal(headers.get('vary'), 'Accept, Origin');
      assert.equal(text.startsWith('<'), type !== 'application/json');
    }
    assert.equal((await call('GET', 'pet/x', { headers: { accept } })).status, 400);
  });
}

const logins: [accept: string, type: string, begin: string][] = [
  ['application/xml', XML, `${DECLARATION}<string>logged`],
  ['text/plain', 'text/plain', 'logged'],
  ['text/*', 'text/plain', 'logged'],
  ['text/plain;q=0.5, application/xml', XML, `${DECLARATION}<string>logged`],
  ['text/plain, application/xml;q=0.5', 'text/plain', 'logged'],
  ['application/xml, application/json', 'application/json', '"logged'],
];
for (const [accept, type, begin] of logins) {
  void test(`login with Accept: ${accept} returns ${type}`, async () => {
    await call('POST', 'user', { json: { username: 'lou', password: 'pw' } });
    const { headers, text } = await call('GET', 'user/login?username=lou&password=pw', { headers: { accept } });
    assert.ok(headers.get('content-type')?.startsWith(type), String(headers.get('content-type')));
    assert.ok(text.startsWith(begin), text);
  });
}

void test('errors in XML: have status and fields', async () => {
  await call('POST', 'user', { json: { username: 'taken' } });
  const cases: [status: number, expected: string | RegExp, response: Promise<HttpResponse>][] = [
    [400, refusal('Invalid ID supplied'), askXml('GET', 'pet/x')],
    [400, refusal('Invalid status value'), askXml('GET', 'pet/findByStatus?status=lost')],
    [400, refusal('Invalid username/password supplied'), askXml('GET', 'user/login?username=a&password=b')],
    [404, refusal('Pet not found'), askXml('GET', 'pet/987654321')],
    [404, refusal('User not found'), askXml('GET', 'user/nobody')],
    [409, /^<ApiResponse><code>1<\/code>.*<\/ApiResponse>$/, askXml('POST', 'user', { json: { username: 'taken' } })],
    [412, /<message>The record has changed/, askXml('DELETE', 'pet/300', { headers: { 'if-match': '"other"' } })],
    [413, /<message>The body is larger/, askXml('POST', 'pet', { json: { name: 'x'.repeat(1024 * 1024) } })],
    [
      415,
      /<message>.*application\/xml/,
      askXml('POST', 'pet', { body: Buffer.from('x'), headers: { 'content-type': 'text/plain' } }),
    ],
    [
      400,
      /<errors><error><path>\/name<\/path><message>is required<\/message><\/error><\/errors><\/ApiResponse>$/,
      askXml('POST', 'pet', { json: {} }),
    ],
    [
      400,
      /&lt;|&amp;|<path>\/tags\/1\/id<\/path>/,
      sendXml('POST', '<Pet><name>x</name><tags><tag/><tag><id>&lt;</id></tag></tags></Pet>'),
    ],
  ];
  await call('POST', 'pet', { json: { id: 300, name: 'x' } });
  for (const [status, expected, response] of cases) assertXml(await response, status, expected);
});

void test('missing permission: reported in XML as well', async (t) => {
  const secured = await startSecuredService(t);
  const response = await secured.call('DELETE', 'pet/1', { headers: { accept: XML } });
  assertXml(response, 401, /^<ApiResponse><code>1<\/code><type>error<\/type>/);
  assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="menagerie"');
});

void test('HEAD errors: no body, with the length of the XML', async () => {
  await call('POST', 'pet', { json: { id: 320, name: 'ä' } });
  const get = await askXml('GET', 'pet/320');
  const head = await askXml('HEAD', 'pet/320');
  assert.equal(head.text, '');
  for (const name of ['content-type', 'content-length', 'etag', 'vary'])
    assert.equal(head.headers.get(name), get.headers.get(name), name);
  assert.equal(get.headers.get('content-length'), String(get.bytes.byteLength));
  const missing = await askXml('HEAD', 'pet/987654321');
  assert.deepEqual([missing.status, missing.text, missing.headers.get('content-type')], [404, '', XML]);
});

void test('operations beyond the sixteen: response JSON only, and accept no XML', async () => {
  const sixteen = Object.entries(ENDPOINTS).filter(([, { xml }]) => xml !== undefined);
  assert.equal(sixteen.length, 16);
  for (const path of ['account', 'account/keys', 'admin/users', 'admin/audit'])
    assertRefused(await askXml('GET', path), 406, path);
  assertRefused(await askXml('POST', 'user/login', { json: { username: 'a', password: 'b' } }), 406);
  const body = { body: Buffer.from('<User><username>x</username></User>'), headers: { 'content-type': XML } };
  for (const [method, path] of [
    ['POST', 'user'],
    ['POST', 'user/createWithList'],
    ['PUT', 'user/lou'],
    ['POST', 'user/login'],
    ['POST', 'pet/300'],
    ['POST', 'pet/300/uploadImage'],
  ] as const)
    assertRefused(await call(method, path, body), 415, path);
  assertRefused(await askXml('GET', 'nothing'), 404);
});

void test('ETag of XML: differs from JSON, and either works in preconditions', async () => {
  const created = await sendXml('POST', '<Pet><id>330</id><name>x</name></Pet>');
  const inXml = created.headers.get('etag') ?? assert.fail();
  const inJson = (await call('GET', 'pet/330')).headers.get('etag') ?? assert.fail();
  assert.match(inJson, /^"\d+"$/);
  assert.equal(inXml, inJson.replace(/"$/, '-xml"'));
  assert.equal((await askXml('GET', 'pet/330')).headers.get('etag'), inXml);
  const reads: [accept: string, ifNoneMatch: string, status: number][] = [
    [XML, inXml, 304],
    [XML, `W/${inXml}`, 304],
    [XML, `"other", ${inXml}`, 304],
    [XML, '*', 304],
    [XML, inJson, 200],
    ['*/*', inJson, 304],
    ['*/*', inXml, 200],
    ['*/*', `${inXml}, ${inJson}`, 304],
  ];
  for (const [accept, ifNoneMatch, status] of reads) {
    const response = await call('GET', 'pet/330', { headers: { accept, 'if-none-match': ifNoneMatch } });
    assert.equal(response.status, status, `${accept} ${ifNoneMatch}`);
    assert.equal(response.headers.get('etag'), accept === XML ? inXml : inJson);
    assert.equal(response.headers.get('vary'), 'Accept, Origin');
  }
  const change = (headers: Record<string, string>, name: string) =>
    call('PUT', 'pet', { json: { id: 330, name }, headers: { 'content-type': 'application/json', ...headers } });
  assert.equal((await change({ 'if-none-match': inXml }, 'no')).status, 412);
  const second = await change({ 'if-match': inXml }, 'second');
  assert.equal(second.status, 200);
  const now = second.headers.get('etag') ?? '';
  assert.equal((await change({ 'if-match': inXml }, 'no')).status, 412);
  assert.equal((await change({ 'if-match': `W/${now}` }, 'no')).status, 412);
  assert.equal((await change({ 'if-match': now }, 'third')).status, 200);
  const form = await askXml('POST', 'pet/330', { form: { name: 'fourth' } });
  assert.equal(form.headers.get('etag'), (await askXml('GET', 'pet/330')).headers.get('etag'));
});

void test('Vary: Accept, and Origin for allowed pages', async (t) => {
  const origin = 'https://shop.example.org';
  const { base } = await startTestService(t, { flags: ['--empty', '--cors-origins', origin] });
  const call = clientOf(base);
  await call('POST', 'pet', { json: { id: 340, name: 'x' } });
  for (const accept of [XML, 'application/json']) {
    for (const path of ['pet/340', 'pet/x', 'pet/findByStatus?status=sold']) {
      const { headers } = await call('GET', path, { headers: { accept, origin } });
      assert.deepEqual(headers.get('vary')?.toLowerCase().split(/, ?/).toSorted(), ['accept', 'origin'], path);
      assert.equal(headers.get('access-control-allow-origin'), origin);
    }
  }
});

void test('long lists: complete in XML, streamed or in pages', { skip: noXmlReader }, async () => {
  const ids = Array.from({ length: 450 }, (_, index) => String(1000 + index));
  const lines = ids.map((id) =>
    JSON.stringify({ op: 'create', pet: { id: Number(id), name: `<${id}>`, tags: ['many'], status: 'sold' } }),
  );
  const headers = { 'content-type': 'application/x-ndjson' };
  assert.equal((await call('POST', 'bulk', { headers, body: Buffer.from(lines.join('\n')) })).status, 200);
  const path = 'pet/findByTags?tags=many';
  const streamed = await askXml('GET', path);
  assert.equal(streamed.headers.get('content-type'), XML);
  assert.equal(streamed.headers.get('content-length'), null);
  const head = await askXml('HEAD', path);
  assert.deepEqual([head.status, head.text, head.headers.get('content-type')], [200, '', XML]);
  const pages: string[] = [];
  for (let next: string | undefined = `${path}&limit=200`; next !== undefined;) {
    const page: HttpResponse = await askXml('GET', next);
    pages.push(page.text);
    next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
  }
  assert.equal(pages.length, 3);
  const [whole, ...parts] = readByOthers([streamed.text, ...pages]);
  assert.deepEqual(idsIn(whole), ids);
  assert.deepEqual(parts.flatMap(idsIn), ids);
});

function idsIn(list: ReadElement | null | undefined): string[] {
  assert.equal(list?.[0], 'pets');
  return list[2].map(([, , [id]]) => id?.[1] ?? '');
}

const types: [type: string, status: number][] = [
  ['application/xml', 200],
  ['text/xml', 200],
  ['application/xml; charset=utf-8', 200],
  ['application/vnd.pets+xml', 200],
  ['APPLICATION/XML', 200],
  ['application/xml; charset=iso-8859-1', 415],
  ['application/xml; charset=utf-16', 415],
  ['application/xmlish', 415],
  ['image/svg+xml', 415],
];
for (const [type, status] of types) {
  void test(`body as ${type}: ${status}`, async () => {
    const xml = '<Pet><id>350</id><name>ä</name></Pet>';
    for (const method of ['POST', 'PUT']) {
      const response = await sendXml(method, xml, { 'content-type': type });
      assertXml(
        response,
        status,
        status === 200
          ? xml.replace('</name>', '</name><photoUrls></photoUrls><tags></tags>')
          : /UTF-8|Unsupported media type/,
      );
    }
  });
}

void test('body encoding: a byte order mark is skipped; other encodings and compression are refused', async () => {
  const xml = '<?xml version="1.0"?><Pet><id>360</id><name>ä</name></Pet>';
  assert.equal((await sendXml('POST', `\uFEFF${xml}`)).status, 200);
  assertXml(await sendXml('POST', Buffer.from(xml, 'latin1')), 400, refusal('The body is not valid UTF-8.'));
  assertXml(await sendXml('POST', Buffer.from(`\uFEFF${xml}`, 'utf16le')), 400, /UTF-8|well-formed/);
  assertXml(await sendXml('POST', xml, { 'content-encoding': 'gzip' }), 415, /must not be compressed/);
  const declared = xml.replace('"1.0"', '"1.0" encoding="windows-1252"');
  assertXml(await sendXml('POST', declared), 415, refusal('The body must be in UTF-8.'));
});

const KB = 1024;
const attacks: [title: string, xml: string, status: number, message: RegExp][] = [
  [
    'a file as an entity',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><Pet><name>&x;</name></Pet>',
    400,
    /DOCTYPE/,
  ],
  [
    'laughs',
    `<!DOCTYPE a [<!ENTITY x "${'ha'.repeat(1000)}">]><Pet><name>${'&x;'.repeat(10_000)}</name></Pet>`,
    400,
    /DOCTYPE/,
  ],
  ['unclosed levels', `<Pet>${'<a>'.repeat(300 * KB)}`, 400, /elements/],
  ['deep levels', `<Pet><name>x</name>${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}</Pet>`, 400, /nested/],
  ['too many elements', `<Pet><name>x</name>${'<a/>'.repeat(200 * KB)}</Pet>`, 400, /elements/],
  ['comments without end', '<!--'.repeat(250 * KB), 400, /well-formed/],
  ['instructions without end', '<?'.repeat(500 * KB), 400, /well-formed/],
  ['quotes without end', `<Pet a="${'x="'.repeat(300 * KB)}`, 400, /well-formed/],
  ['a body beyond 1 MiB', `<Pet><name>x</name><!--${' '.repeat(1024 * KB)}--></Pet>`, 413, /larger/],
];
for (const [title, xml, status, message] of attacks) {
  void test(`XML attack: ${title}`, async () => {
    const before = (await call('GET', 'pet/findByStatus?status=available,pending,sold')).text;
    assertXml(await sendXml('POST', xml), status, message);
    assert.equal((await call('GET', 'pet/findByStatus?status=available,pending,sold')).text, before);
  });
}

void test('large harmless XML: accepted with nearly 1 MiB of attribute, comment or spaces', async () => {
  const much = 'x'.repeat(1000 * KB);
  for (const xml of [
    `<Pet a="${much}"><id>370</id><name>x</name></Pet>`,
    `<Pet><!--${much}--><id>370</id><name>x</name></Pet>`,
    `<Pet>${' '.repeat(1000 * KB)}<id>370</id><name>x</name></Pet>`,
    `<Pet><unknown>${much}</unknown><id>370</id><name>x</name></Pet>`,
  ])
    assert.equal((await sendXml('POST', xml)).status, 200);
});

void test('random bytes: never cause a failure', async () => {
  const good = '<?xml version="1.0"?><Pet><id>380</id><name>a&amp;b</name><tags><tag><name>t</name></tag></tags></Pet>';
  const pieces = [
    '<',
    '>',
    '&',
    '</',
    '<!',
    '<?',
    ']]>',
    '<![CDATA[',
    '"',
    '=',
    '\0',
    '\u0001',
    '&#0;',
    '&x;',
    '<a>',
    'é',
  ];
  const change = fc.tuple(fc.nat({ max: good.length }), fc.nat({ max: 5 }), fc.constantFrom(...pieces));
  const mutated = fc
    .array(change, { maxLength: 4 })
    .map((changes) =>
      Buffer.from(
        changes.reduce((text, [at, length, piece]) => text.slice(0, at) + piece + text.slice(at + length), good),
      ),
    );
  const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
  await fc.assert(
    fc.asyncProperty(fc.oneof(mutated, bytes), async (body) => {
      const response = await sendXml('POST', body);
      assert.ok([200, 400, 415].includes(response.status), `${response.status} ${response.text}`);
      assertXml(response, response.status, /^<(?:Pet|ApiResponse)>/);
    }),
    { numRuns: 200 },
  );
});
