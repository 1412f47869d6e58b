import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAddresses, fromAddress } from '../support/addresses.ts';
import { clientOf, type Call, type HttpResponse } from '../support/client.ts';
import { agedToken, ENQUIRY, OPEN_FORM } from '../support/enquiries.ts';
import { bearer, logIn, newSecuredFolder, startSecuredService } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { openTables } from '../support/stored.ts';

/* Limits on three nodes: each is one for all of them, not one for each. */

const receiver = await startSmtpReceiver({ after });
const dataDir = await newSecuredFolder({ onPostgres: true });
after(() => removeFolder(dataDir));
const nowMs = Date.now();
const mail = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org', '--public-url', 'http://pets.example.org'];
const flags = [...mail, '--trusted-proxies', '1'];
const service = await startSecuredService({ after }, { dataDir, nodes: 3, flags, clock: () => nowMs });
const nodes = service.nodes.map(({ origin }) => clientOf(`${origin}/v2`));
const headers = bearer(await logIn(service.call, 'root'));
await service.call('POST', 'pet', { headers, json: { id: 7, name: 'Rex', status: 'available' } });
await service.call('PUT', 'enquiry-settings', { headers, json: OPEN_FORM });
const { query } = await openTables({ after }, dataDir);
const nextAddress = createAddresses();

const wrongLogin = (call: Call) =>
  call('POST', 'user/login', { json: { username: 'vera', password: 'not the password of anybody' } });

type Send = (call: Call, number: number) => Promise<HttpResponse>;

const limits: readonly [what: string, most: number, send: Send][] = [
  ['wrong passwords', 10, wrongLogin],
  ['sign-ups', 100, (call, number) => call('POST', 'user', { json: { username: `guest-${number}` } })],
  [
    'invalid reset links',
    20,
    (call, number) =>
      call('POST', 'password-reset', {
        json: { token: String(number).padEnd(43, 'x'), newPassword: 'a new passphrase for this test' },
      }),
  ],
  [
    'requests for reset links',
    20,
    (call, number) => call('POST', 'password-reset-request', { json: { email: `visitor-${number}@example.net` } }),
  ],
  [
    'saved searches',
    20,
    (call, number) =>
      call('POST', 'saved-searches', {
        json: { email: `fan-${number}@example.net`, search: 'text=rex', language: 'en' },
      }),
  ],
  [
    'enquiries',
    20,
    async (call, number) =>
      call('POST', 'pet/7/enquiries', {
        json: { ...ENQUIRY, email: `writer-${number}@example.net`, token: await agedToken(query, 7n, nowMs) },
      }),
  ],
];

for (const [what, most, send] of limits)
  void test(`limit of ${what} by one address: three nodes share it`, async () => {
    const address = nextAddress();
    const places = nodes.map((node) => fromAddress(node, address));
    const statuses: number[] = [];
    for (let number = 0; number < most + 6; number++) {
      const response = await send(places[number % 3] ?? assert.fail(), number);
      statuses.push(response.status);
      if (response.status === 429) assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    assert.deepEqual(
      statuses.map((status) => status === 429),
      statuses.map((_, index) => index >= most),
      statuses.join(' '),
    );
  });

void test('limit of sign-ups: requests that reach three nodes at the same moment share it, too', async () => {
  const address = nextAddress();
  const statuses = await Promise.all(
    Array.from({ length: 130 }, async (_, number) => {
      const call = fromAddress(nodes[number % 3] ?? assert.fail(), address);
      return (await call('POST', 'user', { json: { username: `crowd-${number}` } })).status;
    }),
  );
  assert.equal(statuses.filter((status) => status === 200).length, 100);
});
