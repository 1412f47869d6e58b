import assert from 'node:assert/strict';
import { isIPv6 } from 'node:net';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { WebhookMessage } from '../../src/features/webhooks/domain/ports.ts';
import { isPublic } from '../../src/services/networks/addresses.ts';
import { Sender, type SenderSettings } from '../../src/features/webhooks/sender/sender.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;

function open(t: Lifetime, settings: Partial<SenderSettings> = {}) {
  const sender = new Sender({ isPrivateAllowed: true, timeoutMs: 20_000, ...settings });
  t.after(async () => sender.close());
  const send = (url: string, other: Partial<WebhookMessage> = {}) =>
    sender.send(
      { url, secrets: [SECRET], id: 'w1_7', atMs: Date.now(), body: '{"type":"é 🦜"}', ...other },
      new AbortController().signal,
    );
  return { refusalOf: (url: string) => sender.refusalOf(url), send };
}

const PRIVATE = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::127.0.0.1',
  '::7f00:1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::7f00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '4000::1',
  'no address',
  '',
];

const PUBLIC = ['1.1.1.1', '8.8.8.8', '93.184.215.14', '::ffff:8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001::1'];

void describe('addresses', () => {
  for (const address of PRIVATE)
    void it(`${JSON.stringify(address)}: is not public`, () => assert.equal(isPublic(address), false));
  for (const address of PUBLIC) void it(`${address}: is public`, () => assert.equal(isPublic(address), true));
});

void describe('sender', () => {
  for (const url of [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://2130706433/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::]/',
    'https://10.1.2.3:8443/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00:ec2::254]/',
    'https://１２７.0.0.1/',
    'http://example.org/',
    'ftp://example.org/',
    'file:///etc/passwd',
    'https://user@example.org/',
    'https://user:password@example.org/',
    'example.org',
    'https://',
    `https://example.org/${'x'.repeat(2050)}`,
    '',
  ])
    void it(`${url.slice(0, 60)}: is refused unless private addresses are allowed`, async (t) => {
      const { refusalOf, send } = open(t, { isPrivateAllowed: false });
      assert.match(refusalOf(url) ?? '', /^must /);
      assert.deepEqual(await send(url), { error: 'the URL is not allowed' });
    });

  void it('host names: are accepted, because only their addresses can be checked', (t) => {
    const { refusalOf } = open(t, { isPrivateAllowed: false });
    for (const url of ['https://example.org', 'https://localhost./x', 'https://xn--e1afmkfd.example:8443/a?b#c'])
      assert.equal(refusalOf(url), undefined, url);
  });

  for (const [name, addresses] of [
    ['loopback', ['127.0.0.1']],
    ['loopback in IPv6', ['::1', '::ffff:127.0.0.1']],
    ['link-local', ['169.254.169.254', 'fe80::1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['no address', []],
  ] as const)
    void it(`host name with ${name}: is not called`, async (t) => {
      const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
      const resolve = () => Promise.resolve(found);
      const { send } = open(t, { isPrivateAllowed: false, resolve });
      assert.deepEqual(await send('https://pets.example.org/'), {
        error: 'the address is not public',
      });
    });

  void it('localhost in any spelling: is not called', async (t) => {
    const { send } = open(t, { isPrivateAllowed: false });
    for (const host of ['localhost', 'localhost.', 'LOCALHOST'])
      assert.ok('error' in (await send(`https://${host}:1/`)), host);
  });

  void it('DNS rebinding: the name is looked up and checked for each connection', async (t) => {
    let lookups = 0;
    const resolve = async () => [{ address: lookups++ === 0 ? '127.0.0.1' : '::1', family: lookups === 1 ? 4 : 6 }];
    const { send } = open(t, { isPrivateAllowed: false, resolve });
    for (let count = 0; count < 2; count++)
      assert.deepEqual(await send('https://rebinding.example/'), {
        error: 'the address is not public',
      });
    assert.equal(lookups, 2);
  });

  void it('signature: is valid for a Standard Webhooks library', async (t) => {
    const receiver = await startReceiver(t);
    const { send } = open(t);
    assert.deepEqual(await send(`${receiver.origin}/hook?a=b`), { status: 200 });
    const [call] = receiver.calls;
    assert.equal(call?.path, '/hook?a=b');
    assert.equal(call?.headers['content-type'], 'application/json');
    const headers = call?.headers as Record<string, string>;
    assert.deepEqual(new Webhook(SECRET).verify(call?.body ?? '', headers), { type: 'é 🦜' });
    assert.throws(() => new Webhook(SECRET).verify(`${call?.body} `, headers));
    assert.throws(() => new Webhook('whsec_bm90IHRoZSBzZWNyZXQ=').verify(call?.body ?? '', headers));
  });

  void it('two secrets: a Standard Webhooks library accepts either, and no third one', async (t) => {
    const receiver = await startReceiver(t);
    const other = `whsec_${Buffer.from('another secret of thirty-three bytes').toString('base64')}`;
    await open(t).send(receiver.origin, { secrets: [SECRET, other] });
    const { body, headers } = receiver.calls[0] ?? assert.fail();
    assert.match(String(headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    for (const secret of [SECRET, other]) new Webhook(secret).verify(body, headers as Record<string, string>);
    const third = new Webhook('whsec_bm90IHRoZSBzZWNyZXQ=');
    assert.throws(() => third.verify(body, headers as Record<string, string>));
  });

  const DATE = 'Sat, 28 Nov 2026 09:00:00 GMT';
  for (const [status, value, expected] of [
    [429, '120', 120_000],
    [503, ' 7 ', 7000],
    [503, '0', 0],
    [503, 'Sat, 28 Nov 2026 09:02:00 GMT', 120_000],
    [429, 'Saturday, 28-Nov-26 09:02:00 GMT', 120_000],
    [429, 'Sat, 28 Nov 2026 08:59:59 GMT', undefined],
    [503, '-5', undefined],
    [503, '1.5', undefined],
    [503, '1e3', undefined],
    [503, '2099', 2_099_000],
    [503, '2099-01-01', undefined],
    [503, 'in the year 2099', undefined],
    [503, 'Saturday', undefined],
    [500, '120', undefined],
    [200, '120', undefined],
  ] as const)
    void it(`Retry-After ${JSON.stringify(value)} with ${status}: is ${expected ?? 'left out'}`, async (t) => {
      const receiver = await startReceiver(t);
      // Its own date counts: the clocks may differ.
      receiver.respond((_call, response) => response.writeHead(status, { 'retry-after': value, date: DATE }).end());
      const retryAfter = expected === undefined ? {} : { retryAfterMs: expected };
      assert.deepEqual(await open(t).send(receiver.origin), { status, ...retryAfter });
    });

  void it('redirect: is not followed', async (t) => {
    const [receiver, other] = [await startReceiver(t), await startReceiver(t)];
    receiver.respond((_call, response) => response.writeHead(307, { location: `${other.origin}/` }).end());
    assert.deepEqual(await open(t).send(receiver.origin), { status: 307 });
    assert.equal(other.calls.length, 0);
  });

  void it('slow or endless response: ends with the timeout or the size limit', async (t) => {
    const receiver = await startReceiver(t);
    receiver.respond(() => {});
    assert.deepEqual(await open(t, { timeoutMs: 500 }).send(receiver.origin), { error: 'timeout' });
    receiver.respond((_call, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536);
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write);
      write();
    });
    // The size limit is reached long before this timeout.
    assert.deepEqual(await open(t, { timeoutMs: 60_000 }).send(receiver.origin), { status: 200 });
  });

  void it('failed connection: reports the error code', async (t) => {
    const { send } = open(t);
    assert.deepEqual(await send('http://127.0.0.1:1/'), { error: 'connection failed (ECONNREFUSED)' });
    const receiver = await startReceiver(t);
    receiver.respond((_call, response) => response.destroy());
    assert.deepEqual(await send(receiver.origin), { error: 'connection failed (ECONNRESET)' });
  });
});
