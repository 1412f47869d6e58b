import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { PlaygroundFaults, SentPlaygroundFaults } from '../../src/api/records/playgrounds/faults.ts';
import { assertRefused, clientOf, type Call } from '../support/client.ts';
import { followEvents } from '../support/event-client.ts';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { createPlayground, type TestPlayground } from '../support/playgrounds.ts';
import { rawExchange } from '../support/raw-http.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/* Faults on demand: each of them, by rule and by header, and that they concern only what they are for. */

type Rule = SentPlaygroundFaults['rules'][number];

const asking = (call: Call, fault: string, method = 'GET', path = 'pet/1', json?: unknown) =>
  call(method, path, { headers: { 'menagerie-fault': fault }, ...(json !== undefined && { json }) });

async function delaysOf({ call }: TestPlayground): Promise<(string | null)[]> {
  const headers: (string | null)[] = [];
  for (let index = 0; index < 8; index++) headers.push((await call('GET', 'pet/1')).headers.get('menagerie-fault'));
  return headers;
}

function fixed(headers: object, body?: unknown, status = 200): object {
  return { fault: 'response', response: { status, headers, ...(body !== undefined && { body }) } };
}

void describe('faults', { skip: skipWithoutPlaygrounds() }, async () => {
  const { base, origin } = await startTestService({ after }, { flags: ['--empty', '--access=sandbox'] });
  const service = clientOf(base);

  const open = (options: object = {}) => createPlayground(service, { contents: 'empty', ...options });

  async function setFaults({ token }: TestPlayground, rules: readonly Rule[]): Promise<void> {
    const { status, text } = await service('PUT', `playgrounds/${token}/faults`, { json: { rules } });
    assert.equal(status, 200, text);
  }

  async function faultsOf({ token }: TestPlayground) {
    return (JSON.parse((await service('GET', `playgrounds/${token}/faults`)).text) as PlaygroundFaults).rules;
  }

  const LUNA = { name: 'Luna', status: 'available' };

  void it('rules that would mean something else: are refused, and change nothing', async () => {
    const playground = await open();
    await setFaults(playground, [{ fault: 'server-error', operation: 'addPet' }]);
    const rules = await faultsOf(playground);
    for (const [rule, message] of [
      [{ fault: 'unavailable', op: 'addPet' }, /\/rules\/0\/op is unknown \(did you mean operation\?\)/],
      [{ fault: 'latency' }, /\/rules\/0\/delayMs must be above 0 for latency/],
      [{ fault: 'latency', delayMs: 0, spreadMs: 0 }, /\/rules\/0\/delayMs must be above 0 for latency/],
      [{ fault: 'unavailable', delayMs: 300 }, /\/rules\/0\/delayMs is only for latency: leave it out/],
      [{ fault: 'cut-off', spreadMs: 300 }, /\/rules\/0\/spreadMs is only for latency/],
      [{ fault: 'server-error', retryAfterSeconds: 5 }, /\/retryAfterSeconds is only for too-many-requests and /],
    ] as const) {
      const response = await service('PUT', `playgrounds/${playground.token}/faults`, { json: { rules: [rule] } });
      assert.match(assertRefused(response, 400).message, message);
    }
    for (const [header, message] of [
      ['latency', /a delay above 0 for latency/],
      ['latency;delay-ms=0', /a delay above 0 for latency/],
      ['unavailable;delay-ms=300', /delay-ms only for latency/],
      ['latency;delay-ms=1, server-error;retry-after=7', /retry-after only for too-many-requests and unavailable/],
    ] as const)
      assert.match(assertRefused(await asking(playground.call, header), 400).message, message);
    assert.deepEqual(await faultsOf(playground), rules);
    await setFaults(playground, rules);
    for (const json of [{ content: 'empty' }, { limits: { pet: 1 } }])
      assert.match(
        assertRefused(await service('POST', 'playgrounds', { json }), 400).message,
        / is unknown \(did you mean (?:contents|pets)\?\)/,
      );
  });

  const put = ({ token }: TestPlayground, rule: object) =>
    service('PUT', `playgrounds/${token}/faults`, { json: { rules: [rule] } });

  void it('responses of their own: by method, path and fields of the body, once or n times', async () => {
    const playground = await open();
    const { call, token } = playground;
    const response = {
      status: 418,
      headers: { 'Retry-After': '7', 'X-Test-Case': 'teapot' },
      body: { id: 1, name: 'x' },
    };
    const bodyFields = { name: 'Luna', category: { name: 'Cats' } };
    const rule = { fault: 'response', method: 'POST', path: '/pet', bodyFields, count: 1, response } as const;
    await setFaults(playground, [rule]);
    const cat = { ...LUNA, category: { id: 1, name: 'Cats' } };
    for (const json of [LUNA, { ...cat, name: 'Rex' }, { ...LUNA, category: ['Cats'] }, { ...cat, name: ['Luna'] }])
      assert.notEqual((await call('POST', 'pet', { json })).status, 418, JSON.stringify(json));
    assert.equal((await call('PUT', 'pet', { json: { ...cat, id: 1 } })).status, 200);
    const made = await call('POST', 'pet', { json: cat });
    assert.deepEqual([made.status, made.text], [418, '{"id":1,"name":"x"}']);
    const headers = ['content-type', 'retry-after', 'x-test-case', 'menagerie-fault', 'access-control-allow-origin'];
    assert.deepEqual(
      headers.map((name) => made.headers.get(name)),
      ['application/json', '7', 'teapot', 'response', '*'],
    );
    assert.equal((await call('POST', 'pet', { json: cat })).status, 200);
    const rules = await faultsOf(playground);
    assert.deepEqual([rules[0]?.matched, rules[0]?.made], [2, 1]);
    await setFaults(playground, rules);
    const text = JSON.stringify(
      (await service('GET', `playgrounds/${token}/requests?status=418&bodyText=teapot`)).text,
    );
    assert.equal(text, '"[]"');
    const found = await service('GET', `playgrounds/${token}/requests?status=418&path=/p*&bodyText=Cats`);
    assert.equal((JSON.parse(found.text) as unknown[]).length, 1);
  });

  void it('responses of their own: texts, no body, long bodies of requests, and HEAD', async () => {
    const playground = await open();
    const { call } = playground;
    const answerWith = (response: object, place: object = {}) =>
      setFaults(playground, [{ fault: 'response', ...place, response } as Rule]);
    await answerWith(
      { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{"id":12' },
      { path: '/v2/pet/*' },
    );
    assert.equal((await call('GET', 'pet/12?x=1')).text, '{"id":12');
    assert.equal((await call('GET', 'tags')).status, 200);
    await answerWith({ status: 204 });
    const empty = await call('GET', 'pet/1');
    assert.deepEqual([empty.status, empty.text, empty.headers.get('content-type')], [204, '', null]);
    await answerWith({ status: 503, body: 'down' }, { path: '/pet?limit=2*' });
    const head = await call('HEAD', 'pet?limit=2');
    assert.deepEqual([head.status, head.text, head.headers.get('content-length')], [503, '', '4']);
    assert.equal((await call('GET', 'pet?limit=3')).status, 200);
    await answerWith({ status: 418 }, { bodyFields: { name: 'Luna' } });
    const photoUrls = Array.from({ length: 100 }, (_, index) => `https://example.org/${index}${'x'.repeat(1900)}`);
    assert.equal((await call('POST', 'pet', { json: { ...LUNA, photoUrls } })).status, 200);
    assert.equal((await call('POST', 'pet', { json: { ...LUNA, photoUrls: photoUrls.slice(0, 20) } })).status, 418);
    const form = { body: Buffer.from('name=Luna'), headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    assert.equal((await call('POST', 'pet/1', form)).status, 200);
  });

  void it('responses of their own: neither documents, cookies nor headers for proxies', async () => {
    const playground = await open();
    for (const [rule, message] of [
      [fixed({ 'Content-Type': 'text/html' }), /content-type must be a type of JSON, plain text/],
      [fixed({ 'content-type': 'application/xhtml+xml' }), /content-type must be/],
      [fixed({ 'content-type': 'image/svg+xml' }), /content-type must be/],
      [fixed({ 'Set-Cookie': 'a=b' }), /set-cookie is not allowed/],
      [fixed({ 'X-Accel-Redirect': '/etc/passwd' }), /x-accel-redirect is not allowed/],
      [fixed({ 'content-length': '3' }), /content-length is not allowed/],
      [fixed({ Location: 'https://example.org/' }), /location must be a path/],
      [fixed({ location: '//example.org/' }), /location must be a path/],
      [fixed({ 'X-Test-A': 'a\r\nSet-Cookie: b' }), /must be a text of 1 to 1000 printable/],
      [fixed({ 'Retry-Aftr': '1' }), /did you mean retry-after/],
      [fixed({}, 'x', 204), /body must be left out with the status 204/],
      [fixed({}, 'x'.repeat(70_000)), /at most 65536 characters/],
      [{ fault: 'response' }, /response must be given/],
      [{ fault: 'unavailable', response: { status: 200 } }, /response is only for response/],
      [{ fault: 'unavailable', path: 'pet' }, /path must be a path below/],
      [{ fault: 'unavailable', path: '/a*b*c' }, /at most one wildcard/],
    ] as const)
      assert.match(assertRefused(await put(playground, rule), 400).message, message);
    assertRefused(await asking(playground.call, 'response'), 400);
  });

  void it('refusals: have status, format and name of the fault, and are not executed', async () => {
    const { call } = await open();
    for (const [fault, status] of [
      ['too-many-requests', 429],
      ['server-error', 500],
      ['unavailable', 503],
    ] as const) {
      const parameter = status === 500 ? '' : ';retry-after=7';
      const response = await asking(call, `${fault}${parameter}`, 'POST', 'pet', LUNA);
      assertRefused(response, status);
      assert.equal(response.headers.get('menagerie-fault'), fault);
      assert.equal(response.headers.get('retry-after'), status === 500 ? null : '7');
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      const accept = { accept: 'application/problem+json', 'menagerie-fault': fault };
      const problem = await call('GET', 'pet/1', { headers: accept });
      assert.equal((JSON.parse(problem.text) as { status: number }).status, status);
    }
    assert.equal((await call('GET', 'pet/findByStatus?status=available')).text, '[]');
  });

  void it('latency: is named with its delay, which the seed decides', async () => {
    const rule: Rule = { fault: 'latency', delayMs: 1, spreadMs: 20, seed: 5, operation: 'getPetById' };
    const [one, other] = [await open(), await open()];
    await setFaults(one, [rule]);
    await setFaults(other, [rule]);
    const first = await delaysOf(one);
    assert.ok(first.every((header) => /^latency;delay-ms=(?:[1-9]|1\d|2[01])$/.test(header ?? '')));
    assert.ok(new Set(first).size > 2);
    assert.deepEqual(await delaysOf(other), first);
    await service('POST', `playgrounds/${one.token}/reset`);
    assert.deepEqual(await delaysOf(one), first);
    assert.equal((await one.call('GET', 'tags')).headers.get('menagerie-fault'), null);
  });

  void it('rules: have a share by seed, a count and an operation', async () => {
    const playground = await open();
    const statuses = async (count: number) => {
      const all: number[] = [];
      for (let index = 0; index < count; index++) all.push((await playground.call('GET', 'tags')).status);
      return all;
    };
    const rule: Rule = { fault: 'unavailable', operation: 'listTags', share: 0.5, seed: 42 };
    await setFaults(playground, [rule]);
    const first = await statuses(40);
    const faulty = first.filter((status) => status === 503).length;
    assert.ok(faulty > 8 && faulty < 32, `${faulty} of 40`);
    await setFaults(playground, [rule]);
    assert.deepEqual(await statuses(40), first);
    assert.deepEqual(
      (await faultsOf(playground)).map(({ matched, made, seed }) => [matched, made, seed]),
      [[40, faulty, 42]],
    );
    await setFaults(playground, [{ ...rule, share: 1, count: 3 }]);
    assert.deepEqual(await statuses(5), [503, 503, 503, 200, 200]);
    assert.equal((await playground.call('GET', 'categories')).status, 200);
    await setFaults(playground, [{ fault: 'server-error' }, { fault: 'unavailable' }]);
    assert.deepEqual(await statuses(1), [500]);
    await setFaults(playground, []);
    assert.deepEqual(await statuses(1), [200]);
  });

  void it('rules: are refused with the field', async () => {
    const { token, call } = await open();
    const cases: [rule: object, path: string][] = [
      [{ fault: 'other' }, '/rules/0/fault'],
      [{ fault: 'latency', delayMs: 10_001 }, '/rules/0/delayMs'],
      [{ fault: 'latency', share: 2 }, '/rules/0/share'],
      [{ fault: 'latency', count: 0 }, '/rules/0/count'],
      [{ fault: 'latency', seed: -1 }, '/rules/0/seed'],
      [{ fault: 'latency', operation: 'toString' }, '/rules/0/operation'],
    ];
    for (const [rule, path] of cases) {
      const refused = await service('PUT', `playgrounds/${token}/faults`, { json: { rules: [rule] } });
      assertRefused(refused, 400);
      assert.match(refused.text, new RegExp(`"path":"${path}"`));
    }
    const rules = Array.from({ length: 51 }, () => ({ fault: 'latency' }));
    assertRefused(await service('PUT', `playgrounds/${token}/faults`, { json: { rules } }), 400);
    for (const header of ['other', 'latency;delay-ms=99999', 'latency;x=1', Array(6).fill('latency').join()])
      assert.match(assertRefused(await asking(call, header), 400).message, /Menagerie-Fault/);
    for (const method of ['GET', 'PUT'])
      assertRefused(await service(method, 'playgrounds/unknown/faults', { json: { rules: [] } }), 404);
  });

  void it('malformed JSON: has its own length, and no tag under which it could be cached', async () => {
    const { call } = await open();
    await call('POST', 'pet', { json: LUNA });
    const response = await asking(call, 'malformed-json');
    assert.equal(response.status, 200);
    assert.throws(() => JSON.parse(response.text) as unknown, SyntaxError);
    assert.equal(response.headers.get('content-length'), String(response.bytes.length));
    assert.equal(response.headers.get('menagerie-fault'), 'malformed-json');
    assert.equal(response.headers.get('etag'), null);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    // What is no JSON cannot have it, and does not say so.
    const xml = await call('GET', 'pet/1', {
      headers: { accept: 'application/xml', 'menagerie-fault': 'malformed-json' },
    });
    assert.deepEqual([xml.headers.get('menagerie-fault'), xml.text.startsWith('<?xml')], [null, true]);
    const head = await asking(call, 'malformed-json', 'HEAD');
    assert.ok(Number(head.headers.get('content-length')) > 0);
  });

  void it('wrong content type: is one that browsers do not interpret', async () => {
    const { call } = await open();
    await call('POST', 'pet', { json: { name: '<script>alert(1)</script>' } });
    const response = await asking(call, 'wrong-content-type');
    assert.equal(response.headers.get('content-type'), 'text/plain');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('menagerie-fault'), 'wrong-content-type');
  });

  void it('cut-off body and connection reset: come after the request is executed', async () => {
    const { call, base: own } = await open();
    const name = 'L'.repeat(200);
    const path = `${new URL(own).pathname}/pet`;
    const body = JSON.stringify({ ...LUNA, name });
    const request = (fault: string) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nMenagerie-Fault: ${fault}\r\n\r\n${body}`;
    const { text: cut, closed } = await rawExchange(origin, request('cut-off'));
    assert.ok(closed);
    assert.match(cut, /^HTTP\/1\.1 200 /);
    assert.match(cut, /\r\nMenagerie-Fault: cut-off\r\n/);
    const [, sent = ''] = cut.split('\r\n\r\n');
    const length = Number(/\r\nContent-Length: (\d+)/.exec(cut)?.[1]);
    assert.equal(sent.length, Math.ceil(length / 2));
    const reset = await rawExchange(origin, request('connection-reset'));
    assert.deepEqual(reset, { text: '', closed: true });
    const { text } = await call('GET', 'pet/findByStatus?status=available');
    assert.equal((JSON.parse(text) as unknown[]).length, 2);
  });

  void it('long lists: are not held in memory, and are cut off nevertheless', async () => {
    const { call, base: own } = await open();
    const photoUrls = [`https://example.org/${'x'.repeat(2000)}`];
    const line = JSON.stringify({ op: 'create', pet: { ...LUNA, photoUrls } });
    const headers = { 'content-type': 'application/x-ndjson' };
    await call('POST', 'bulk', { headers, body: Buffer.from(`${line}\n`.repeat(900)) });
    const list = 'pet/findByStatus?status=available';
    const whole = await asking(call, 'malformed-json', 'GET', list);
    assert.equal((JSON.parse(whole.text) as unknown[]).length, 900);
    assert.equal(whole.headers.get('menagerie-fault'), null);
    const request = `GET ${new URL(own).pathname}/${list} HTTP/1.1\r\nHost: localhost\r\nMenagerie-Fault: cut-off\r\n\r\n`;
    const { text: cut, closed } = await rawExchange(origin, request);
    assert.match(cut, /^HTTP\/1\.1 200 /);
    assert.match(cut, /\r\nMenagerie-Fault: cut-off\r\n/);
    assert.ok(closed && !cut.includes('\r\n0\r\n'));
  });

  void it('events: are repeated and reordered', async (t) => {
    const playground = await open();
    const follow = (fault: string) => {
      const stream = followEvents(() => `${playground.base}/events`, { headers: { 'menagerie-fault': fault } });
      t.after(async () => stream.close());
      return stream;
    };
    const [repeated, reordered] = [follow('duplicate-events'), follow('reordered-events')];
    await Promise.all([repeated.opened, reordered.opened]);
    for (let index = 0; index < 4; index++) await playground.call('POST', 'pet', { json: LUNA });
    const ids = ({ events }: typeof repeated) => events.map(({ id }) => Number(id));
    await until('all events arrive', async () => repeated.events.length >= 8 && reordered.events.length >= 4);
    const [first = 0] = ids(repeated);
    assert.deepEqual(
      ids(repeated),
      [0, 0, 1, 1, 2, 2, 3, 3].map((offset) => first + offset),
    );
    assert.deepEqual(
      ids(reordered),
      [1, 0, 3, 2].map((offset) => first + offset),
    );
    assert.equal(repeated.headers()['menagerie-fault'], 'duplicate-events');
  });

  void it('others: neither another playground, the service, nor pages of the playground have them', async () => {
    const [faulty, other] = [await open(), await open()];
    await setFaults(faulty, [{ fault: 'server-error' }]);
    assert.equal((await faulty.call('GET', 'tags')).status, 500);
    for (const call of [other.call, service]) {
      const { status, headers } = await call('GET', 'tags');
      assert.deepEqual([status, headers.get('menagerie-fault')], [200, null]);
    }
    assert.equal((await asking(service, 'server-error', 'GET', 'tags')).status, 200);
    const page = `${origin}/s/${faulty.token}/health/live`;
    const [plain, asked] = [await service('GET', page), await asking(service, 'server-error', 'GET', page)];
    assert.deepEqual([plain.status, asked.status], [asked.status, plain.status]);
    assert.notEqual(plain.status, 500);
  });

  void it('a delayed request: ends with its playground', async () => {
    const playground = await open();
    const waiting = asking(playground.call, 'latency;delay-ms=10000').catch((error: unknown) => error);
    await until('the request waits', async () => {
      const { state } = JSON.parse((await service('GET', `playgrounds/${playground.token}`)).text) as { state: string };
      return state === 'awake';
    });
    await service('DELETE', `playgrounds/${playground.token}`);
    const ended = await waiting;
    assert.ok(ended instanceof Error || (ended as { status: number }).status === 404);
  });
});
