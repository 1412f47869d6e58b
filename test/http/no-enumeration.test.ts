import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DEFAULT_HASH_PARAMETERS } from '../../src/services/crypto/password-hasher.ts';
import { createAddresses, fromAddress } from '../support/addresses.ts';
import { assertAnswer, assertRefused, errorText, type Answer, type CallOptions } from '../support/client.ts';
import { compareMedians, shuffle } from '../support/permutation-test.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/* Neither a response nor its duration reveals whether an account exists. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 15, 12, 20, 0);

let nowMs = START_MS;
const { call } = await startSecuredService(
  { after },
  {
    flags: ['--trusted-proxies', '1', '--reset-link-hours', '1'],
    clock: () => nowMs,
    hashing: DEFAULT_HASH_PARAMETERS,
  },
);
const nextAddress = createAddresses();
const root = bearer(await logIn(call, 'root'));

const RIGHT = 'the right password of all of these';
const WRONG = 'no password of anybody is this one';

/** Several of each, so that none fails often. */
const COUNT = 3;
const numbers = Array.from({ length: COUNT }, (_, index) => index);
for (const number of numbers) {
  for (const [username, password] of [
    [`open-${number}`, RIGHT],
    [`shut-${number}`, RIGHT],
    [`bare-${number}`, undefined],
  ]) {
    const created = await call('POST', 'user', { headers: root, json: { username, password } });
    assert.equal(created.status, 200, created.text);
  }
  assert.equal((await call('POST', `admin/users/shut-${number}/close`, { headers: root })).status, 200);
}

type Kind = 'unknown' | 'wrong' | 'closed' | 'bare';

const KINDS: Readonly<Record<Kind, [title: string, usernameOf: (number: number) => string, password: string]>> = {
  unknown: ['an unknown name', (number) => `none-${number}`, WRONG],
  wrong: ['a wrong password', (number) => `open-${number}`, WRONG],
  closed: ['the right password of a closed account', (number) => `shut-${number}`, RIGHT],
  bare: ['an account without a password', (number) => `bare-${number}`, WRONG],
};
const kinds = Object.keys(KINDS) as readonly Kind[];

function credentials(kind: Kind, number: number) {
  const [, usernameOf, password] = KINDS[kind];
  return { username: usernameOf(number % COUNT), password };
}

/** Everything in a response except its request id and time. */
function said({ status, headers, text }: Answer): unknown {
  const rest = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, text, headers: rest };
}

/** Replaces names that occur in responses. */
function saidOf(answer: Answer, username: string): unknown {
  return said({ ...answer, text: answer.text.replaceAll(username, 'NAME') });
}

void test('test accounts: are as expected', async () => {
  const open = { username: 'open-0', password: RIGHT };
  assert.equal((await call('POST', 'user/login', { json: open })).status, 200);
  const { text } = await call('GET', 'admin/users/shut-0', { headers: root });
  assert.equal((JSON.parse(text) as { userStatus: number }).userStatus, 3);
});

const ways: [title: string, ask: (sent: { username: string; password: string }, address: string) => Promise<Answer>][] =
  [
    ['by POST', (json, address) => fromAddress(call, address)('POST', 'user/login', { json })],
    [
      'by GET',
      (sent, address) => fromAddress(call, address)('GET', `user/login?${new URLSearchParams(sent).toString()}`),
    ],
    [
      'with a problem document',
      (json, address) =>
        fromAddress(call, address)('POST', 'user/login', { json, headers: { accept: 'application/problem+json' } }),
    ],
  ];
for (const [title, ask] of ways) {
  void test(`failed login ${title}: same response for every reason`, async () => {
    const answers = new Map<Kind, Answer>();
    for (const kind of kinds) answers.set(kind, await ask(credentials(kind, 1), nextAddress()));
    const expected = answers.get('unknown') ?? assert.fail();
    assert.equal(expected.status, 400);
    assert.ok(expected.text.includes('Invalid username/password supplied'));
    for (const [kind, answer] of answers) assert.deepEqual(said(answer), said(expected), KINDS[kind][0]);
  });
}

void test('operations on other accounts: do not reveal whether they exist', async () => {
  const vera = bearer(await logIn(call, 'vera'));
  const edna = bearer(await logIn(call, 'edna'));
  const created = await call('POST', 'account/keys', {
    headers: edna,
    json: { name: 'test', scopes: ['read:pets', 'write:pets'] },
  });
  const { key } = JSON.parse(created.text) as { key: string };
  const requests: [method: string, pathOf: (username: string) => string, options: CallOptions][] = [
    ['GET', (name) => `user/${name}`, {}],
    ['HEAD', (name) => `user/${name}`, {}],
    ['PUT', (name) => `user/${name}`, { json: { phone: '1' } }],
    ['PUT', (name) => `user/${name}`, { json: { password: 'short' } }],
    ['PUT', (name) => `user/${name}`, { json: [] }],
    ['PUT', (name) => `user/${name}`, { json: { username: 'root' } }],
    ['DELETE', (name) => `user/${name}`, {}],
    ['GET', (name) => `admin/users/${name}`, {}],
    ['PUT', (name) => `admin/users/${name}/role`, { json: { role: 'admin' } }],
    ['POST', (name) => `admin/users/${name}/close`, {}],
    ['POST', (name) => `admin/users/${name}/reopen`, {}],
    ['POST', (name) => `admin/users/${name}/reset-link`, {}],
    ['GET', (name) => `admin/users/${name}/sessions`, {}],
    ['DELETE', (name) => `admin/users/${name}/sessions`, {}],
    ['GET', (name) => `admin/users/${name}/keys`, {}],
  ];
  for (const [method, pathOf, options] of requests) {
    for (const [who, headers, status] of [
      ['a viewer', vera, 403],
      ['an editor', edna, 403],
      ['a key', bearer(key), 401],
      ['nobody', {}, 401],
    ] as const) {
      const answers: unknown[] = [];
      for (const username of ['otto', 'root', 'shut-0', 'bare-0', 'none-0', 'x'.repeat(64)]) {
        const answer = await call(method, pathOf(username), { ...options, headers });
        assert.equal(answer.status, status, `${method} ${pathOf(username)} by ${who}`);
        answers.push(saidOf(answer, username));
      }
      for (const answer of answers) assert.deepEqual(answer, answers[0], `${method} ${pathOf('NAME')} by ${who}`);
    }
  }
});

void test('unusable reset link (unknown, used, replaced, expired, or of a closed account): same response', async () => {
  const issue = async (username: string) => {
    const { text } = await call('POST', `admin/users/${username}/reset-link`, { headers: root });
    return (JSON.parse(text) as { token: string }).token;
  };
  const reset = (token: string, newPassword = RIGHT) =>
    fromAddress(call, nextAddress())('POST', 'password-reset', { json: { token, newPassword } });
  for (const number of [0, 1, 2, 3]) {
    const json = { username: `link-${number}` };
    assert.equal((await call('POST', 'user', { headers: root, json })).status, 200);
  }
  const expired = await issue('link-2');
  nowMs += HOUR_MS;
  const used = await issue('link-0');
  assert.equal((await reset(used)).status, 200);
  const replaced = await issue('link-1');
  const last = await issue('link-1');
  const ofClosed = await issue('link-3');
  assert.equal((await call('POST', 'admin/users/link-3/close', { headers: root })).status, 200);
  const expected = await reset('x'.repeat(43));
  assertRefused(expected, 400);
  const odd = { short: 'x', long: 'x'.repeat(255), strange: '\u{1F511}', digest: '0'.repeat(64) };
  for (const [title, token] of Object.entries({ used, replaced, expired, ofClosed, ...odd })) {
    assert.deepEqual(said(await reset(token)), said(expected), title);
    // An invalid password does not reveal the state of a link either.
    assert.deepEqual(said(await reset(token, 'short')), said(expected), `${title}, with a short password`);
  }
  assert.equal((await reset(last)).status, 200);
});

/** Measurements of each kind. The first few show a large difference; more are taken only if they seem to differ. */
const FEW_SAMPLES = 24;
const SAMPLES = 120;
/** Smaller relative differences cannot be measured remotely, and occur by chance on a busy machine. */
const TOLERANCE = 0.1;
const SUSPICIOUS = 0.05;
const SIGNIFICANT = 0.001;

/** Times responses in random order. */
async function measure(samples: number): Promise<ReadonlyMap<Kind, number[]>> {
  const times = new Map(kinds.map((kind) => [kind, [] as number[]]));
  const plan = shuffle(kinds.flatMap((kind) => Array.from({ length: samples }, (_, number) => ({ kind, number }))));
  for (const { kind, number } of plan) {
    // Failures of a day ago no longer count.
    nowMs += DAY_MS;
    const client = fromAddress(call, nextAddress());
    const startedMs = performance.now();
    const answer = await client('POST', 'user/login', { json: credentials(kind, number) });
    times.get(kind)?.push(performance.now() - startedMs);
    assertAnswer(answer, 400, errorText('Invalid username/password supplied'));
  }
  return times;
}

function isDistinguishable(first: readonly number[], second: readonly number[], significance: number): boolean {
  const { difference, median, p } = compareMedians(first, second);
  return p < significance && Math.abs(difference) > TOLERANCE * median;
}

/** The pairs of reasons with distinguishable durations. */
function distinguishablePairs(times: ReadonlyMap<Kind, number[]>, significance: number): readonly string[] {
  const of = (kind: Kind) => times.get(kind) ?? assert.fail();
  const pairs = kinds.flatMap((first, index) => kinds.slice(index + 1).map((second) => [first, second] as const));
  return pairs
    .filter(([first, second]) => isDistinguishable(of(first), of(second), significance))
    .map(([first, second]) => `${first}/${second} ${JSON.stringify(compareMedians(of(first), of(second)))}`);
}

/**
 * Whether this test would detect a difference of two fifths in these measurements, despite the noise of the machine.
 */
function leaks(times: ReadonlyMap<Kind, number[]>, significance: number): boolean {
  const all = shuffle([...times.values()].flat());
  const [plain, slower] = [all.slice(0, all.length / 2), all.slice(all.length / 2).map((ms) => ms * 1.4)];
  return isDistinguishable(plain, slower, significance) && isDistinguishable(slower, plain, significance);
}

void test('failed login: same duration for every reason', async () => {
  const few = await measure(FEW_SAMPLES);
  if (leaks(few, SUSPICIOUS) && distinguishablePairs(few, SUSPICIOUS).length === 0) return;
  const many = await measure(SAMPLES);
  assert.ok(leaks(many, SIGNIFICANT), 'the machine is too noisy for this test');
  // A significant difference occurs by chance once in some hundred runs; a real one reappears.
  if (distinguishablePairs(many, SIGNIFICANT).length === 0) return;
  assert.deepEqual(distinguishablePairs(await measure(SAMPLES), SIGNIFICANT), []);
});
