import assert from 'node:assert/strict';
import { argon2 } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Argon2Hasher } from '../../src/services/crypto/passwords.ts';
import { createAddresses, fromAddress } from '../support/addresses.ts';
import { assertResponse, assertRefused, clientOf, errorText, type HttpResponse, type Call } from '../support/client.ts';
import { startComposed } from '../support/composed-service.ts';
import { openConnection } from '../support/connection.ts';
import { nodeCount } from '../support/nodes.ts';
import { rawExchange } from '../support/raw-http.ts';
import { bearer, logIn, newSecuredFolder, PASSWORDS, startSecuredService, tokenOf } from '../support/secured.ts';
import { LIGHT_HASHING, removeFolder, startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/* Throttling of password guesses must not affect legitimate users. */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

const WRONG = 'not the password of anybody here';
const NEW_PASSWORD = 'twelve green parrots read the news';
/** Hashes at a time, and logins that wait for them, in a flood. */
const CONCURRENT = 2;
const WAITING = 100;
/** For hundreds of queued requests that hash passwords, on a busy machine. */
const LINE_PATIENCE_MS = 300_000;
const FREE = 10;
/** The wait after the free attempts: it doubles, up to 15 minutes. */
const WAITS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900];

let nowMs = Date.UTC(2026, 0, 15, 12, 20, 0);
/** For services that run in parallel. */
let othersNowMs = nowMs;
const othersClock = () => othersNowMs;
const flags = ['--trusted-proxies', '1'];
const service = await startSecuredService({ after }, { flags, clock: () => nowMs });
const nextAddress = createAddresses();

/** Advances the clock until earlier failures no longer count. */
function forgetEverything(): void {
  nowMs += 100 * DAY_MS;
}

function guess(address: string, username: string, password = WRONG, call = service.call): Promise<HttpResponse> {
  return fromAddress(call, address)('POST', 'user/login', { json: { username, password } });
}

function rightGuess(address: string, username: string, call = service.call): Promise<HttpResponse> {
  return guess(address, username, PASSWORDS[username], call);
}

function assertWrong(response: HttpResponse): void {
  assertResponse(response, 400, errorText('Invalid username/password supplied'));
}

async function failTimes(times: number, address: string, username: string, call = service.call): Promise<void> {
  for (let count = 0; count < times; count++) assertWrong(await guess(address, username, WRONG, call));
}

function assertWaits(response: HttpResponse, seconds: number): void {
  const wait = seconds === 1 ? 'a second' : `${seconds} seconds`;
  assertResponse(response, 429, errorText(`Too many attempts. Try again in ${wait}.`));
  assert.equal(response.headers.get('retry-after'), String(seconds));
  assert.equal(response.headers.get('ratelimit'), `"attempts";r=0;t=${seconds}`);
}

/** Everything in a response except its request id and time. */
function said({ status, headers, text }: HttpResponse): unknown {
  const rest = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, text, headers: rest };
}

async function countAudited(call: Call, token: string, query: string): Promise<number> {
  const response = await call('GET', `admin/audit?limit=1000&${query}`, { headers: bearer(token) });
  assert.equal(response.status, 200, response.text);
  return (JSON.parse(response.text) as unknown[]).length;
}

const networks: [title: string, first: string, second: string, isOne: boolean][] = [
  ['two addresses of one /64', '2001:db8:1:1::1', '2001:db8:1:1:ffff:ffff:ffff:ffff', true],
  ['two /64', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['IPv4 and the same inside IPv6', '203.0.113.1', '::ffff:203.0.113.1', true],
  ['two IPv4 addresses', '203.0.113.2', '203.0.113.3', false],
];

/** Signs up without a password, to avoid hashing. */
function signUp(address: string, username: string, other: Record<string, string> = {}): Promise<HttpResponse> {
  return fromAddress(service.call, address)('POST', 'user', { json: { username, ...other } });
}

// Addresses of requests.

interface Entry {
  address: string;
}

/** The address that the service records for a request with these headers. */
async function addressSeen(call: Call, tokens: { editor: string; admin: string }, forwardedFor: string | undefined) {
  const headers = { ...bearer(tokens.editor), ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }) };
  const added = await call('POST', 'pet', { json: { name: 'Rex' }, headers });
  assert.equal(added.status, 200, added.text);
  const { text } = await call('GET', 'admin/audit?limit=1&action=pet.added', { headers: bearer(tokens.admin) });
  return (JSON.parse(text) as Entry[])[0]?.address;
}

const PEER = '127.0.0.1';
const LONG = 'x'.repeat(12_000);
const MANY = Array.from({ length: 500 }, (_, index) => `192.0.2.${index % 256}`).join(', ');

const forwarded: [forwardedFor: string | undefined, byHops: Readonly<Record<'none' | 'one' | 'two', string>>][] = [
  [undefined, { none: PEER, one: PEER, two: PEER }],
  ['203.0.113.7', { none: PEER, one: '203.0.113.7', two: '203.0.113.7' }],
  ['198.51.100.1, 203.0.113.7', { none: PEER, one: '203.0.113.7', two: '198.51.100.1' }],
  ['192.0.2.1,198.51.100.1,203.0.113.7', { none: PEER, one: '203.0.113.7', two: '198.51.100.1' }],
  ['  198.51.100.1 ,  203.0.113.7  ', { none: PEER, one: '203.0.113.7', two: '198.51.100.1' }],
  ['1.2.3.4:99, 203.0.113.7:99', { none: PEER, one: '203.0.113.7', two: '1.2.3.4' }],
  ['[2001:db8::1]:99, [2001:db8::2]:99', { none: PEER, one: '2001:db8::2', two: '2001:db8::1' }],
  ['[2001:db8::1], [2001:db8::2]', { none: PEER, one: '2001:db8::2', two: '2001:db8::1' }],
  ['2001:DB8:0:0::0001, 2001:0db8::00ff', { none: PEER, one: '2001:db8::ff', two: '2001:db8::1' }],
  ['::ffff:1.2.3.4, ::FFFF:203.0.113.7', { none: PEER, one: '203.0.113.7', two: '1.2.3.4' }],
  ['[::ffff:1.2.3.4]:99, ::ffff:cb00:7107', { none: PEER, one: '203.0.113.7', two: '1.2.3.4' }],
  ['fe80::1%eth0, fe80::2%25lo', { none: PEER, one: 'fe80::2', two: 'fe80::1' }],
  ['198.51.100.1, garbage', { none: PEER, one: PEER, two: '198.51.100.1' }],
  ['garbage, 203.0.113.7', { none: PEER, one: '203.0.113.7', two: PEER }],
  ['unknown, _hidden', { none: PEER, one: PEER, two: PEER }],
  ['256.1.1.1, 1.2.3', { none: PEER, one: PEER, two: PEER }],
  ['0x7f.0.0.1, 2130706433', { none: PEER, one: PEER, two: PEER }],
  ['203.0.113.007, 010.1.1.1', { none: PEER, one: PEER, two: PEER }],
  ['<script>, 203.0.113.7;x', { none: PEER, one: PEER, two: PEER }],
  ['1.2.3.4 5.6.7.8, ::1::2', { none: PEER, one: PEER, two: PEER }],
  ['1.2.3.4%eth0, 12345::', { none: PEER, one: PEER, two: PEER }],
  ['__proto__, constructor', { none: PEER, one: PEER, two: PEER }],
  [`203.0.113.7, ${LONG}`, { none: PEER, one: PEER, two: '203.0.113.7' }],
  [`${LONG}, 203.0.113.7`, { none: PEER, one: '203.0.113.7', two: PEER }],
  [`${MANY}, 198.51.100.1, 203.0.113.7`, { none: PEER, one: '203.0.113.7', two: '198.51.100.1' }],
];

void describe('throttle', { concurrency: 2 }, () => {
  void describe('of one service', { concurrency: 1 }, () => {
    void test('clock corrected after being ahead: no wait beyond the maximum', async () => {
      forgetEverything();
      const address = nextAddress();
      nowMs += 365 * DAY_MS;
      await failTimes(FREE, address, 'clock-ahead');
      assertWaits(await guess(address, 'clock-ahead'), 1);
      nowMs -= 365 * DAY_MS;
      assertWrong(await guess(address, 'clock-ahead'));
      assertWaits(await guess(address, 'clock-ahead'), 2);
      nowMs += 2 * SECOND_MS;
      assertWrong(await guess(address, 'clock-ahead'));
    });

    void test('wrong passwords: ten are free, then the wait doubles up to a quarter of an hour; attempts during a wait do not count', async () => {
      forgetEverything();
      const [attacker, owner] = [nextAddress(), nextAddress()];
      await failTimes(FREE, attacker, 'vera');
      for (const seconds of WAITS) {
        assertWaits(await guess(attacker, 'vera'), seconds);
        nowMs += seconds * SECOND_MS - 1;
        assertWaits(await guess(attacker, 'VERA'), 1);
        assertWaits(await rightGuess(attacker, 'vera'), 1);
        if (seconds === WAITS[2]) tokenOf(await rightGuess(owner, 'vera'));
        nowMs += 1;
        assertWrong(await guess(attacker, 'vera'));
      }
      assertWaits(await guess(attacker, 'vera'), 900);
      tokenOf(await rightGuess(nextAddress(), 'vera'));
      assertWrong(await guess(attacker, 'otto'));

      nowMs += 15 * MINUTE_MS;
      tokenOf(await rightGuess(attacker, 'vera'));
      await failTimes(2, attacker, 'vera');
    });

    void test('failures: forgotten after a day', async () => {
      forgetEverything();
      const address = nextAddress();
      await failTimes(FREE, address, 'otto');
      assertWaits(await guess(address, 'otto'), 1);
      nowMs += DAY_MS;
      await failTimes(2, address, 'otto');
    });

    void test('one attacker: does not delay the owner elsewhere', async () => {
      forgetEverything();
      const attacker = nextAddress();
      await failTimes(FREE, attacker, 'vera');
      for (let count = FREE; count < 60; count++) {
        nowMs += 15 * MINUTE_MS;
        assertWrong(await guess(attacker, 'vera'));
      }
      tokenOf(await rightGuess(nextAddress(), 'vera'));
    });

    void test('many attackers: delay unknown addresses by half a minute at most, and familiar ones not at all', async () => {
      forgetEverything();
      const familiar = nextAddress();
      tokenOf(await rightGuess(familiar, 'otto'));
      for (let count = 0; count < 50; count++) assertWrong(await guess(nextAddress(), 'otto'));
      for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
        assertWaits(await rightGuess(nextAddress(), 'otto'), seconds);
        nowMs += seconds * SECOND_MS;
        assertWrong(await guess(nextAddress(), 'otto'));
      }
      tokenOf(await rightGuess(familiar, 'otto'));
      assertWrong(await guess(familiar, 'otto'));
      tokenOf(await rightGuess(familiar, 'otto'));
      const unfamiliar = nextAddress();
      const refused = await rightGuess(unfamiliar, 'otto');
      assertWaits(refused, 30);
      // As for guesses from one address: the limit must not show that others guess at the account.
      assert.equal(refused.headers.get('ratelimit-policy'), '"attempts";q=10;w=86400');
      assertWrong(await guess(unfamiliar, 'vera'));
      nowMs += 30 * SECOND_MS;
      tokenOf(await rightGuess(unfamiliar, 'otto'));
      // By now it is familiar as well.
      assertWrong(await guess(nextAddress(), 'otto'));
      tokenOf(await rightGuess(unfamiliar, 'otto'));
    });

    void test('unknown name: same responses as a known one', async () => {
      forgetEverything();
      const [atKnown, atUnknown] = [nextAddress(), nextAddress()];
      for (let count = 0; count < FREE + 4; count++) {
        const [known, unknown] = [await guess(atKnown, 'edna'), await guess(atUnknown, 'nobody of this name')];
        assert.deepEqual(said(unknown), said(known));
        if (known.status === 429) nowMs += Number(known.headers.get('retry-after')) * SECOND_MS;
      }
      const [known, unknown] = [await rightGuess(atKnown, 'edna'), await guess(atUnknown, 'nobody of this name', '?')];
      assert.equal(known.status, 429);
      assert.deepEqual(said(unknown), said(known));
    });

    for (const [title, first, second, isOne] of networks) {
      void test(`${title}: count as ${isOne ? 'one address' : 'two addresses'}`, async () => {
        forgetEverything();
        for (let count = 0; count < FREE; count++)
          assertWrong(await guess(count % 2 === 0 || !isOne ? first : second, 'otto'));
        assertWaits(await guess(first, 'otto'), 1);
        const response = await guess(second, 'otto');
        if (isOne) assertWaits(response, 1);
        else assertWrong(response);
      });
    }

    void test('concurrent guesses: are limited like others', async () => {
      forgetEverything();
      const token = await logIn(service.call, 'root');
      const address = nextAddress();
      const responses = await Promise.all(Array.from({ length: 100 }, () => guess(address, 'vera')));
      const tried = responses.filter(({ status }) => status === 400);
      for (const response of responses) {
        if (response.status === 400) assertWrong(response);
        else assertWaits(response, Number(response.headers.get('retry-after')));
      }
      assert.ok(tried.length >= FREE && tried.length <= FREE + 5 * nodeCount(), `${tried.length} were tried`);
      const sinceNow = new Date(nowMs).toISOString();
      const query = `action=session.begun&outcome=failed&subject=vera&since=${sinceNow}`;
      assert.equal(await countAudited(service.call, token, query), tried.length);
      tokenOf(await rightGuess(nextAddress(), 'vera'));
    });

    void test('one address trying hundreds of names: is throttled, and no other', async (t) => {
      forgetEverything();
      const address = nextAddress();
      const { call, close } = openConnection(service.base, { connections: 300, patienceMs: LINE_PATIENCE_MS });
      t.after(async () => close());
      const headers = { 'x-forwarded-for': address };
      const names = Array.from({ length: 300 }, (_, index) => `name ${index}`);
      const responses = await Promise.all(
        names.map((username) => call('POST', 'user/login', { headers, json: { username, password: WRONG } })),
      );
      const tried = responses.filter(({ status }) => status === 400);
      for (const response of responses) {
        if (response.status === 400) assertWrong(response);
        else assertWaits(response, Number(response.headers.get('retry-after')));
      }
      // Attempts in progress when the hundredth was counted complete, at each node.
      assert.ok(tried.length >= 100 && tried.length <= 100 + 20 * nodeCount(), `${tried.length} were tried`);
      const response = await rightGuess(address, 'vera');
      assertWaits(response, Number(response.headers.get('retry-after')));
      tokenOf(await rightGuess(nextAddress(), 'vera'));
    });

    void test('sign-ups: throttled after a hundred from one address, successful or not; administrators are exempt', async () => {
      forgetEverything();
      const [address, other] = ['203.0.113.50', '203.0.113.51'];
      for (let count = 0; count < 40; count++) assert.equal((await signUp(address, `guest-${count}`)).status, 200);
      for (let count = 0; count < 30; count++) assert.equal((await signUp(address, `guest-${count}`)).status, 409);
      for (let count = 0; count < 30; count++)
        assert.equal((await signUp(address, `weak-${count}`, { password: 'password' })).status, 400);
      assertWaits(await signUp(address, 'guest-x'), 10);
      assert.equal((await signUp(other, 'guest-x')).status, 200);

      const admin = await logIn(fromAddress(service.call, address), 'root');
      const asRoot = { headers: { ...bearer(admin), 'x-forwarded-for': address } };
      for (let count = 0; count < 3; count++) {
        const response = await service.call('POST', 'user', { ...asRoot, json: { username: `made-by-root-${count}` } });
        assert.equal(response.status, 200, response.text);
      }
      const viewer = await logIn(service.call, 'vera');
      const asVera = { headers: { ...bearer(viewer), 'x-forwarded-for': address } };
      assertWaits(await service.call('POST', 'user', { ...asVera, json: { username: 'made-by-vera' } }), 10);

      nowMs += 10 * SECOND_MS;
      assert.equal((await signUp(address, 'guest-y')).status, 200);
      assertWaits(await signUp(address, 'guest-z'), 20);
    });

    void test('renames: count as tried names; a profile that keeps the name does not', async () => {
      forgetEverything();
      const address = '203.0.113.60';
      const password = 'a name is but a label on a jar';
      assert.equal((await signUp('203.0.113.61', 'renamer', { password })).status, 200);
      const token = await logIn(fromAddress(service.call, address), 'renamer', password);
      const put = (json: Record<string, string>) =>
        service.call('PUT', 'user/renamer', { headers: { ...bearer(token), 'x-forwarded-for': address }, json });
      for (let count = 0; count < 100; count++) assert.equal((await put({ username: 'vera' })).status, 409);
      assertWaits(await put({ username: 'nobody-has-this' }), 10);
      assert.equal((await put({ phone: '1' })).status, 200);
      assert.equal((await put({ username: 'Renamer' })).status, 200);
    });

    void test('sign-ups: counted together for one IPv6 network', async () => {
      forgetEverything();
      for (let count = 0; count < 100; count++)
        assert.equal((await signUp(`2001:db8:9:1::${count}`, `six-${count}`)).status, 200);
      assertWaits(await signUp('2001:db8:9:1:aaaa::1', 'six-x'), 10);
      assert.equal((await signUp('2001:db8:9:2::1', 'six-x')).status, 200);
    });

    void test('wrong old password: throttled like a wrong login', async () => {
      forgetEverything();
      const [here, elsewhere] = [nextAddress(), nextAddress()];
      const token = await logIn(fromAddress(service.call, here), 'otto');
      const change = (address: string, oldPassword: string) =>
        fromAddress(service.call, address)('POST', 'account/password', {
          headers: bearer(token),
          json: { oldPassword, newPassword: NEW_PASSWORD },
        });
      for (let count = 0; count < FREE; count++) {
        const { errors } = assertRefused(await change(here, WRONG), 400);
        assert.deepEqual(errors, [{ path: '/oldPassword', message: 'is wrong' }]);
      }
      assertWaits(await change(here, PASSWORDS['otto'] ?? ''), 1);
      assertWaits(await rightGuess(here, 'otto'), 1);
      assert.equal((await change(elsewhere, WRONG)).status, 400);
      nowMs += SECOND_MS;
      assert.equal((await change(here, PASSWORDS['otto'] ?? '')).status, 200);
      tokenOf(await guess(elsewhere, 'otto', NEW_PASSWORD));
      const back = { oldPassword: NEW_PASSWORD, newPassword: PASSWORDS['otto'] };
      assert.equal(
        (await service.call('POST', 'account/password', { headers: bearer(token), json: back })).status,
        200,
      );
    });

    void test('wrong reset links: throttled for one address only', async () => {
      forgetEverything();
      const admin = await logIn(service.call, 'root');
      const issued = await service.call('POST', 'admin/users/otto/reset-link', { headers: bearer(admin) });
      const { token } = JSON.parse(issued.text) as { token: string };
      const [attacker, owner] = [nextAddress(), nextAddress()];
      const reset = (address: string, sent: string, newPassword = PASSWORDS['otto']) =>
        fromAddress(service.call, address)('POST', 'password-reset', { json: { token: sent, newPassword } });
      for (let count = 0; count < 20; count++) assertRefused(await reset(attacker, `${count}`.padEnd(43, 'x')), 400);
      for (const seconds of [1, 2]) {
        assertWaits(await reset(attacker, token), seconds);
        nowMs += seconds * SECOND_MS;
        assertRefused(await reset(attacker, 'x'.repeat(43)), 400);
      }
      assertWaits(await reset(attacker, token), 4);
      assertRefused(await reset(owner, token, 'short'), 400);
      assert.equal((await reset(owner, token)).status, 200);
    });

    void test('forged X-Forwarded-For: does not help behind a proxy', async () => {
      forgetEverything();
      const address = nextAddress();
      for (let count = 0; count < FREE; count++) assertWrong(await guess(`203.0.113.${count}, ${address}`, 'vera'));
      assertWaits(await rightGuess(`203.0.113.77, ${address}`, 'vera'), 1);
      assertWaits(await rightGuess(`${address}:4711`, 'vera'), 1);
      // Two headers form one list.
      const body = JSON.stringify({ username: 'vera', password: WRONG });
      const { text } = await rawExchange(
        service.origin,
        `POST /v2/user/login HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.78\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
      assert.match(text, /^HTTP\/1\.1 429 /);
    });
  });

  void describe('of several services', { concurrency: 1 }, () => {
    void test('failures: kept across a restart', async (t) => {
      const dataDir = await newSecuredFolder();
      t.after(() => removeFolder(dataDir));
      const attacker = nextAddress();
      const before = await startSecuredService(t, { dataDir, flags, clock: othersClock });
      await failTimes(FREE, attacker, 'vera', before.call);
      for (const seconds of WAITS.slice(0, 3)) {
        othersNowMs += seconds * SECOND_MS;
        await failTimes(1, attacker, 'vera', before.call);
      }
      await before.stop();
      othersNowMs += 3 * SECOND_MS;
      const { call } = await startSecuredService(t, { dataDir, flags, clock: othersClock });
      assertWaits(await rightGuess(attacker, 'vera', call), 5);
      othersNowMs += 5 * SECOND_MS;
      await failTimes(1, attacker, 'vera', call);
      assertWaits(await guess(attacker, 'vera', WRONG, call), 16);
    });

    void test('logins from many addresses: reads still work, and so do logins from familiar addresses', async (t) => {
      const released = Promise.withResolvers<void>();
      const argon2Async = promisify(argon2);
      // The hashes of the flood take as long as the test.
      const passwords = new Argon2Hasher({
        concurrency: CONCURRENT,
        maxWaiting: WAITING,
        parameters: LIGHT_HASHING,
        derive: async (algorithm, parameters) => {
          if (parameters.message === WRONG) await released.promise;
          return argon2Async(algorithm, parameters);
        },
      });
      const flooded = await startComposed(t, {
        flags: [...flags, '--access', 'secured'],
        newFolder: newSecuredFolder,
        passwords,
      });
      const { call, close } = openConnection(flooded.base, { connections: 300, patienceMs: LINE_PATIENCE_MS });
      t.after(async () => {
        released.resolve();
        close();
      });
      const editor = await logIn(flooded.call, 'edna');
      const pet = { id: 7, name: 'Rex' };
      assert.equal((await flooded.call('POST', 'pet', { json: pet, headers: bearer(editor) })).status, 200);
      const familiar = [
        ['vera', nextAddress()],
        ['root', nextAddress()],
      ] as const;
      for (const [name, address] of familiar) tokenOf(await guess(address, name, PASSWORDS[name], flooded.call));
      let refusedCount = 0;
      const logins = Array.from({ length: 300 }, async (_, index) => {
        const headers = { 'x-forwarded-for': nextAddress() };
        const response = await call('POST', 'user/login', {
          headers,
          json: { username: `name ${index}`, password: WRONG },
        });
        if (response.status === 429) refusedCount++;
        return response;
      });
      const accepted = CONCURRENT + WAITING;
      await until('the queue is full', async () => refusedCount === 300 - accepted);
      assert.equal((await flooded.call('GET', 'pet/7')).status, 200);
      for (const [name, address] of familiar) tokenOf(await guess(address, name, PASSWORDS[name], flooded.call));
      assert.equal((await rightGuess(nextAddress(), 'vera', flooded.call)).status, 429);
      released.resolve();
      const responses = await Promise.all(logins);
      for (const response of responses.filter(({ status }) => status !== 400)) {
        assertRefused(response, 429);
        assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      }
      const tried = responses.filter(({ status }) => status === 400);
      tried.forEach(assertWrong);
      assert.equal(tried.length, accepted);
      tokenOf(await rightGuess(nextAddress(), 'vera', flooded.call));
    });

    for (const [access, logins] of [
      ['open', 150],
      ['sandbox', 110],
    ] as const) {
      void test(`${access} access: throttles guesses at one account, but not addresses`, async (t) => {
        const free = await startTestService(t, { flags: ['--empty', '--access', access], clock: othersClock });
        const { call, close } = openConnection(free.base, { connections: 50, patienceMs: LINE_PATIENCE_MS });
        t.after(async () => close());
        const all = await Promise.all([
          ...Array.from({ length: 200 }, (_, index) => call('POST', 'user', { json: { username: `guest-${index}` } })),
          ...Array.from({ length: logins }, (_, index) =>
            call('POST', 'user/login', { json: { username: `name ${index}`, password: WRONG } }),
          ),
        ]);
        assert.ok(all.slice(0, 200).every(({ status }) => status === 200));
        all.slice(200).forEach(assertWrong);
        const client = clientOf(free.base);
        const again = () => client('GET', 'user/login?username=guest-1&password=wrong');
        for (let count = 0; count < FREE; count++) assertWrong(await again());
        assertWaits(await again(), 1);
        othersNowMs += SECOND_MS;
        assertWrong(await again());
        assertWaits(await again(), 2);
      });
    }

    for (const [hops, count] of [
      ['none', '0'],
      ['one', '1'],
      ['two', '2'],
    ] as const) {
      void test(`${hops === 'none' ? 'no proxy' : `${hops} trusted`}: only trusted proxies set the address of a request`, async (t) => {
        const behind = await startSecuredService(t, { flags: ['--trusted-proxies', count] });
        const { call } = behind;
        const chain = '192.0.2.66, 203.0.113.7, 198.51.100.1';
        const own = { none: PEER, one: '198.51.100.1', two: '203.0.113.7' }[hops];
        const tokens = { editor: await logIn(fromAddress(call, chain), 'edna'), admin: await logIn(call, 'root') };
        const { text } = await call('GET', 'account/sessions', { headers: bearer(tokens.editor) });
        assert.deepEqual(
          (JSON.parse(text) as Entry[]).map(({ address }) => address),
          [own],
        );
        const begun = await call('GET', 'admin/audit?action=session.begun&actor=edna', {
          headers: bearer(tokens.admin),
        });
        assert.deepEqual(
          (JSON.parse(begun.text) as Entry[]).map(({ address }) => address),
          [own],
        );
        for (const [forwardedFor, byHops] of forwarded)
          assert.equal(await addressSeen(call, tokens, forwardedFor), byHops[hops], String(forwardedFor).slice(0, 100));
        const tooLong = await call('GET', 'livez', { headers: { 'x-forwarded-for': 'x'.repeat(20_000) } });
        assert.equal(tooLong.status, 431);
      });
    }

    void test('forged address in every request: does not evade the throttle', async (t) => {
      const direct = await startSecuredService(t, { clock: othersClock });
      for (let count = 0; count < FREE; count++) {
        const json = { username: 'vera', password: WRONG };
        assertWrong(
          await direct.call('POST', 'user/login', { json, headers: { 'x-forwarded-for': `203.0.113.${count}` } }),
        );
      }
      const json = { username: 'vera', password: PASSWORDS['vera'] };
      assertWaits(await direct.call('POST', 'user/login', { json, headers: { 'x-forwarded-for': '203.0.113.77' } }), 1);
      const elsewhere = openConnection(direct.base, { localAddress: '127.0.0.2' });
      t.after(async () => elsewhere.close());
      tokenOf(await elsewhere.call('POST', 'user/login', { json }));
    });
  });
});
