import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { createAddresses, fromAddress } from '../support/addresses.ts';
import { Authenticator, type RequestOptions } from '../support/authenticator.ts';
import { assertRefused, clientOf, type Call, type HttpResponse } from '../support/client.ts';
import {
  addPasskey,
  codeAt,
  passPassword,
  read,
  sendCode,
  sessionOf,
  setUpTotp,
  STEP_MS,
  type FactorsView,
} from '../support/factors.ts';
import { inTime } from '../support/deadline.ts';
import { followEvents } from '../support/event-client.ts';
import { bearer, createKey, logIn, newSecuredFolder, startSecuredService } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { openTables } from '../support/stored.ts';

/*
 * Second factors on three nodes: each code and each step works once on all of them, guesses are limited, roles can
 * require a second factor, and sensitive changes need a recent proof.
 */

const ORIGIN = 'https://pets.example.org';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PASSWORD = 'seven lanterns over the old bridge';

let nowMs = Date.UTC(2026, 10, 26, 9);
const dataDir = await newSecuredFolder({ onPostgres: true });
after(() => removeFolder(dataDir));
const flags = ['--trusted-proxies', '1', '--public-url', ORIGIN, '--require-second-factor', 'editor'];
const service = await startSecuredService({ after }, { dataDir, nodes: 3, flags, clock: () => nowMs });
const { call } = service;
const calls = service.nodes.map(({ origin }) => clientOf(`${origin}/v2`));
const nextAddress = createAddresses();

let count = 0;

async function newUser(role?: 'editor') {
  const username = `user-${++count}`;
  await read(call('POST', 'user', { json: { username, password: PASSWORD } }));
  if (role !== undefined) {
    const headers = bearer(await logIn(call, 'root'));
    await read(call('PUT', `admin/users/${username}/role`, { headers, json: { role } }));
  }
  return { username, token: await logIn(call, username, PASSWORD) };
}

async function newCodeUser() {
  const user = await newUser();
  const factors = await setUpTotp(call, user.token, nowMs);
  nowMs += 2 * STEP_MS;
  return { ...user, ...factors };
}

/** Sends the request to all nodes at once. Returns the sorted statuses. */
async function onAllNodes(send: (node: Call) => Promise<HttpResponse>): Promise<readonly number[]> {
  const responses = await Promise.all(calls.map(send));
  return responses.map(({ status }) => status).toSorted((one, other) => one - other);
}

void describe('second factors on several nodes', () => {
  void it('a one-time code completes one login, though three nodes get it at the same moment', async () => {
    const { username, secret } = await newCodeUser();
    const steps = await Promise.all(calls.map((node) => passPassword(node, username, PASSWORD)));
    const code = codeAt(secret, nowMs);
    const statuses = await onAllNodes((node) => sendCode(node, steps[calls.indexOf(node)]?.step ?? '', code));
    assert.deepEqual(statuses, [200, 400, 400]);
  });

  void it('so does a recovery code', async () => {
    const { username, recoveryCodes } = await newCodeUser();
    const steps = await Promise.all(calls.map((node) => passPassword(node, username, PASSWORD)));
    const statuses = await onAllNodes((node) =>
      sendCode(node, steps[calls.indexOf(node)]?.step ?? '', recoveryCodes[0] ?? '', 'recovery-code'),
    );
    assert.deepEqual(statuses, [200, 400, 400]);
  });

  void it('a step is completed once, at any node', async () => {
    const { username, recoveryCodes } = await newCodeUser();
    const { step } = await passPassword(call, username, PASSWORD);
    const statuses = await onAllNodes((node) =>
      sendCode(node, step, recoveryCodes[calls.indexOf(node)] ?? '', 'recovery-code'),
    );
    assert.deepEqual(statuses, [200, 400, 400]);
  });

  void it('an assertion of a passkey logs in once', async () => {
    const { token } = await newUser();
    const authenticator = new Authenticator(ORIGIN, 0);
    await addPasskey(call, token, authenticator);
    const { step, options } = await read<{ step: string; options: RequestOptions }>(
      call('POST', 'sign-in/passkey/options'),
    );
    const json = { step, credential: authenticator.get(options) };
    assert.deepEqual(await onAllNodes((node) => node('POST', 'sign-in/passkey', { json })), [200, 400, 400]);
  });

  void it('a login that passed the password before the factor was set up begins no session', async () => {
    const { username, token } = await newUser();
    const logins = Array.from({ length: 9 }, (_, index) =>
      (calls[index % 3] ?? call)('POST', 'user/login', { json: { username, password: PASSWORD } }),
    );
    await setUpTotp(call, token, nowMs);
    await Promise.all(logins);
    const sessions = await read<{ current: boolean }[]>(call('GET', 'account/sessions', { headers: bearer(token) }));
    assert.deepEqual(
      sessions.map(({ current }) => current),
      [true],
    );
  });
});

/** Sends wrong codes from ever new addresses, to one node after the other, until they have to wait. */
async function guessFromEverywhere(username: string, factor = 'totp'): Promise<number> {
  for (let tries = 0; tries < 20; tries++) {
    const node = fromAddress(calls[tries % 3] ?? assert.fail(), nextAddress());
    const { step } = await passPassword(node, username, PASSWORD);
    const { status } = await sendCode(node, step, '000000', factor);
    if (status === 429) return tries;
    assert.equal(status, 400);
  }
  return assert.fail('no limit');
}

void describe('guesses at codes', () => {
  void it('are limited for the account, from all addresses and at all nodes, whatever the password check clears', async () => {
    const { username, secret } = await newCodeUser();
    assert.equal(await guessFromEverywhere(username), 10);
    const elsewhere = fromAddress(call, nextAddress());
    const { step } = await passPassword(elsewhere, username, PASSWORD);
    const refused = await sendCode(elsewhere, step, codeAt(secret, nowMs));
    assertRefused(refused, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    nowMs += MINUTE_MS;
    await sessionOf(sendCode(elsewhere, step, codeAt(secret, nowMs)));
    nowMs += STEP_MS;
    // The success gave others no further guesses, and made this address familiar.
    assert.equal(await guessFromEverywhere(username), 1);
    await sessionOf(
      sendCode(elsewhere, (await passPassword(elsewhere, username, PASSWORD)).step, codeAt(secret, nowMs)),
    );
  });

  void it('from elsewhere cost the owner nothing where the app was set up or a code was right before', async () => {
    const { username, token, secret } = await newCodeUser();
    const places = [call, fromAddress(calls[1] ?? call, nextAddress())];
    for (const place of places) {
      await sessionOf(sendCode(place, (await passPassword(place, username, PASSWORD)).step, codeAt(secret, nowMs)));
      nowMs += STEP_MS;
    }
    for (let round = 0; round < 3; round++) {
      await guessFromEverywhere(username);
      for (const place of places) {
        const { step } = await passPassword(place, username, PASSWORD);
        await sessionOf(sendCode(place, step, codeAt(secret, nowMs)));
        nowMs += STEP_MS;
        const json = { factor: 'totp', code: codeAt(secret, nowMs) };
        await read(place('POST', 'account/proof', { headers: bearer(token), json }));
        nowMs += STEP_MS;
      }
      nowMs += MINUTE_MS;
    }
  });

  void it('are limited at an address of the owner as well, which is one for 90 days', async () => {
    const { username, secret } = await newCodeUser();
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries++)
      statuses.push((await sendCode(call, (await passPassword(call, username, PASSWORD)).step, '000000')).status);
    assert.deepEqual(statuses, [...Array<number>(10).fill(400), 429, 429]);
    nowMs += 91 * DAY_MS;
    await guessFromEverywhere(username);
    const { step } = await passPassword(call, username, PASSWORD);
    assertRefused(await sendCode(call, step, codeAt(secret, nowMs)), 429);
  });

  void it('with recovery codes are limited for each address alone, and never those of others', async () => {
    const { username, recoveryCodes } = await newCodeUser();
    await assert.rejects(guessFromEverywhere(username, 'recovery-code'), /no limit/);
    const attacker = fromAddress(call, nextAddress());
    const { step } = await passPassword(attacker, username, PASSWORD);
    for (let tries = 0; tries < 10; tries++)
      assertRefused(await sendCode(attacker, step, 'none', 'recovery-code'), 400);
    assertRefused(await sendCode(attacker, step, 'none', 'recovery-code'), 429);
    await guessFromEverywhere(username);
    const traveller = fromAddress(call, nextAddress());
    const { step: own } = await passPassword(traveller, username, PASSWORD);
    await sessionOf(sendCode(traveller, own, recoveryCodes[0] ?? '', 'recovery-code'));
  });

  void it('are at most 116 a day, from however many addresses and nodes at the same moment', async () => {
    const { username } = await newCodeUser();
    const endMs = nowMs + DAY_MS;
    let guesses = 0;
    const places = calls.map((node) => fromAddress(node, nextAddress()));
    const begin = () => Promise.all(places.map(async (place) => (await passPassword(place, username, PASSWORD)).step));
    let steps = await begin();
    let beganMs = nowMs;
    while (nowMs < endMs) {
      if (nowMs - beganMs > 9 * MINUTE_MS) {
        steps = await begin();
        beganMs = nowMs;
      }
      const responses = await Promise.all(
        places.flatMap((place, index) => [1, 2].map(() => sendCode(place, steps[index] ?? '', '000000'))),
      );
      guesses += responses.filter(({ status }) => status === 400).length;
      const waits = responses.map(({ headers }) => Number(headers.get('retry-after') ?? 0) * 1000);
      nowMs += Math.min(...waits.filter((waitMs) => waitMs > 0), 9 * MINUTE_MS);
    }
    assert.ok(guesses > 100 && guesses <= 116, String(guesses));
  });

  void it('are in the audit log with the account and the factor', async () => {
    const { username } = await newCodeUser();
    const { step } = await passPassword(call, username, PASSWORD);
    assertRefused(await sendCode(call, step, '000000'), 400);
    const [entry] = await read<{ outcome: string; subject: { name: string }; details: Record<string, string> }[]>(
      call('GET', 'admin/audit?action=session.begun&outcome=failed&limit=1', {
        headers: bearer(await logIn(call, 'root')),
      }),
    );
    assert.deepEqual([entry?.subject.name, entry?.details], [username, { factor: 'totp' }]);
  });
});

void describe('steps of a login', () => {
  void it('are refused in the same words, whether they never were, are complete, or have expired', async () => {
    const { username, secret } = await newCodeUser();
    const { step: complete } = await passPassword(call, username, PASSWORD);
    await sessionOf(sendCode(call, complete, codeAt(secret, nowMs)));
    const { step: expired } = await passPassword(call, username, PASSWORD);
    nowMs += 10 * MINUTE_MS;
    const { text } = await sendCode(call, 'A'.repeat(43), '000000');
    for (const step of [complete, expired, '', 'x'.repeat(255)])
      assert.equal((await sendCode(call, step, codeAt(secret, nowMs))).text, text);
  });

  void it('begin only with the right password: a wrong one has the answer of an account without factors', async () => {
    const [{ username }, other] = [await newCodeUser(), await newUser()];
    const wrong = { password: 'not the password of this account' };
    const texts = new Set<string>();
    for (const name of [username, other.username, 'nobody-at-all']) {
      for (const path of ['sign-in/password', 'user/login']) {
        const response = await call('POST', path, { json: { username: name, ...wrong } });
        assert.equal(response.status, 400);
        assert.equal(response.headers.get('x-second-factor'), null);
        texts.add(response.text);
      }
    }
    assert.equal(texts.size, 1);
  });

  void it('do not use up the logins an hour of the account', async (t) => {
    const { username, token, secret } = await newCodeUser();
    const { accountId } = await read<{ accountId: number }>(call('GET', 'account', { headers: bearer(token) }));
    const { query } = await openTables(t, dataDir);
    const logins = () =>
      query(
        'select spent from request_lease where key = $1 and hour = $2',
        `logins of account ${accountId}`,
        String(Math.floor(nowMs / HOUR_MS)),
      );
    nowMs += HOUR_MS;
    for (const node of calls) {
      await passPassword(node, username, PASSWORD);
      assertRefused(await node('POST', 'user/login', { json: { username, password: PASSWORD } }), 401);
    }
    assert.deepEqual(await logins(), []);
    await sessionOf(sendCode(call, (await passPassword(call, username, PASSWORD)).step, codeAt(secret, nowMs)));
    assert.equal((await logins()).length, 1);
  });

  void it('are no sessions', async () => {
    const { username } = await newCodeUser();
    const { step } = await passPassword(call, username, PASSWORD);
    assertRefused(await call('GET', 'account', { headers: bearer(step) }), 401);
  });
});

async function isRefused(responding: Promise<HttpResponse>): Promise<void> {
  const response = await responding;
  assert.match(assertRefused(response, 403).message, /requires a second factor/);
  assert.equal(response.headers.get('x-second-factor'), 'totp, passkey');
}

void describe('second factor that a role requires', () => {
  void it('lets a session without it only read the account and set it up', async () => {
    const { username, token } = await newUser('editor');
    const headers = bearer(token);
    const account = await read<{ needsSecondFactor?: boolean }>(call('GET', 'account', { headers }));
    assert.equal(account.needsSecondFactor, true);
    await isRefused(call('POST', 'pet', { headers, json: { name: 'Rex' } }));
    await isRefused(call('GET', 'deleted-pets', { headers }));
    await isRefused(call('GET', `user/${username}`, { headers }));
    await isRefused(call('PUT', `user/${username}`, { headers, json: { phone: '1' } }));
    await isRefused(call('DELETE', `user/${username}`, { headers }));
    await isRefused(call('POST', 'account/keys', { headers, json: { name: 'x', scopes: ['write:pets'] } }));
    await isRefused(call('GET', 'account/sessions', { headers }));
    const change = { oldPassword: PASSWORD, newPassword: 'an entirely different password' };
    await isRefused(call('POST', 'account/password', { headers, json: change }));
    await isRefused(call('POST', 'account/factors/recovery-codes', { headers }));
    await isRefused(call('DELETE', 'account/factors/totp', { headers }));
    await read(call('GET', 'pet/findByStatus?status=sold', { headers }));
    assert.equal((await read<FactorsView>(call('GET', 'account/factors', { headers }))).required, true);

    await setUpTotp(call, token, nowMs);
    assert.equal((await call('GET', 'account', { headers })).text.includes('needsSecondFactor'), false);
    await read(call('POST', 'pet', { headers, json: { name: 'Rex' } }));
    await read(call('GET', 'user/logout', { headers }));
  });

  void it('of administrators: without it, a session chooses names as everyone does', async (t) => {
    const strict = await startSecuredService(t, { flags: ['--require-second-factor', 'admin'] });
    const token = await logIn(strict.call, 'root');
    const signUp = (username: string) =>
      strict.call('POST', 'user', { headers: bearer(token), json: { username, password: PASSWORD } });
    assertRefused(await signUp('r00t'), 409);
    await setUpTotp(strict.call, token, Date.now());
    await read(signUp('r00t'));
  });

  void it('applies to sessions from before the role, which a passkey completes', async () => {
    const { username, token } = await newUser();
    const headers = bearer(token);
    const root = bearer(await logIn(call, 'root'));
    await read(call('PUT', `admin/users/${username}/role`, { headers: root, json: { role: 'editor' } }));
    await isRefused(call('POST', 'pet', { headers, json: { name: 'Rex' } }));
    await addPasskey(call, token, new Authenticator(ORIGIN));
    await read(call('POST', 'pet', { headers, json: { name: 'Rex' } }));
  });

  void it('applies again when the last one is deleted, to all sessions and streams of the account', async () => {
    const { username, token } = await newUser('editor');
    const { secret } = await setUpTotp(call, token, nowMs);
    nowMs += STEP_MS;
    const { step } = await passPassword(call, username, PASSWORD);
    const other = await sessionOf(sendCode(call, step, codeAt(secret, nowMs)));
    const follower = followEvents(() => `${service.origin}/v2/events`, { headers: bearer(other) });
    await inTime('the stream', follower.opened);
    await read(call('DELETE', 'account/factors/totp', { headers: bearer(token) }));
    for (const each of [token, other])
      await isRefused(call('POST', 'pet', { headers: bearer(each), json: { name: 'Rex' } }));
    await inTime('the end of the stream', follower.ended);
    await setUpTotp(call, token, nowMs);
    await read(call('POST', 'pet', { headers: bearer(token), json: { name: 'Rex' } }));
  });

  void it('is satisfied by each kind of login with one', async () => {
    const { username, token } = await newUser('editor');
    const { secret, recoveryCodes } = await setUpTotp(call, token, nowMs);
    const authenticator = new Authenticator(ORIGIN);
    await addPasskey(call, token, authenticator);
    nowMs += STEP_MS;
    const step = async () => passPassword(call, username, PASSWORD);
    const options = await read<{ step: string; options: RequestOptions }>(call('POST', 'sign-in/passkey/options'));
    const alone = { step: options.step, credential: authenticator.get(options.options) };
    const tokens = [
      await sessionOf(sendCode(call, (await step()).step, codeAt(secret, nowMs))),
      await sessionOf(sendCode(call, (await step()).step, recoveryCodes[0] ?? '', 'recovery-code')),
      await sessionOf(call('POST', 'sign-in/passkey', { json: alone })),
    ];
    for (const each of tokens) await read(call('POST', 'pet', { headers: bearer(each), json: { name: 'Rex' } }));
  });

  void it('does not apply to API keys, nor to other roles', async () => {
    const { username, token } = await newUser();
    const { key } = await createKey(call, token, ['write:pets']);
    const root = bearer(await logIn(call, 'root'));
    await read(call('PUT', `admin/users/${username}/role`, { headers: root, json: { role: 'editor' } }));
    await read(call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } }));
    await read(call('POST', 'pet', { headers: root, json: { name: 'Rex' } }));
  });
});

function sensitive(username: string): readonly [method: string, path: string, json?: object][] {
  return [
    ['POST', 'account/keys', { name: 'x', scopes: ['read:pets'] }],
    ['POST', 'account/factors/totp'],
    ['DELETE', 'account/factors/totp'],
    ['POST', 'account/factors/recovery-codes'],
    ['POST', 'account/passkeys/options'],
    ['DELETE', 'account/passkeys/none'],
    ['PUT', `user/${username}`, { password: 'an entirely different password' }],
    ['PUT', `user/${username}`, { email: 'thief@example.org' }],
    ['DELETE', `user/${username}`],
  ];
}

void describe('sensitive changes more than 15 minutes after the last proof', () => {
  void it('are refused, with the factors that prove it is the owner', async () => {
    const { username, token } = await newCodeUser();
    nowMs += 15 * MINUTE_MS;
    for (const [method, path, json] of sensitive(username)) {
      const response = await call(method, path, { headers: bearer(token), ...(json !== undefined && { json }) });
      assertRefused(response, 403, `${method} ${path}`);
      assert.equal(response.headers.get('x-proof-required'), 'password, totp, recovery-code', `${method} ${path}`);
    }
    await read(call('PUT', `user/${username}`, { headers: bearer(token), json: { phone: '1' } }));
  });

  void it('are refused to administrators: roles, factors, passwords, addresses and accounts of others', async () => {
    const { username } = await newUser();
    const headers = bearer(await logIn(call, 'root'));
    nowMs += 15 * MINUTE_MS + 1;
    for (const response of [
      await call('PUT', `admin/users/${username}/role`, { headers, json: { role: 'editor' } }),
      await call('DELETE', `admin/users/${username}/factors`, { headers }),
      await call('POST', `admin/users/${username}/reset-link`, { headers }),
      await call('POST', 'admin/users', { headers, json: { username: 'accomplice', role: 'admin' } }),
      await call('PUT', `user/${username}`, { headers, json: { password: 'an entirely different password' } }),
      await call('PUT', `user/${username}`, { headers, json: { email: 'thief@example.org' } }),
      await call('PUT', `user/${username}`, { headers, json: { userStatus: 3 } }),
      await call('POST', `admin/users/${username}/close`, { headers }),
      await call('POST', `admin/users/${username}/reopen`, { headers }),
      await call('DELETE', `user/${username}`, { headers }),
    ]) {
      assertRefused(response, 403);
      assert.equal(response.headers.get('x-proof-required'), 'password');
    }
    await read(call('PUT', `user/${username}`, { headers, json: { phone: '1', userStatus: 1 } }));
    await read(call('POST', 'admin/users', { headers, json: { username: `guest-of-${username}`, role: 'viewer' } }));
  });

  const proofs: readonly [what: string, proof: (user: Awaited<ReturnType<typeof newFullUser>>) => Promise<object>][] = [
    ['the password', async () => ({ password: PASSWORD })],
    ['a one-time code', async ({ secret }) => ({ factor: 'totp', code: codeAt(secret, nowMs) })],
    ['a recovery code', async ({ recoveryCodes }) => ({ factor: 'recovery-code', code: recoveryCodes[0] })],
    [
      'a passkey',
      async ({ token, authenticator }) => {
        const { step, options } = await read<{ step: string; options: RequestOptions }>(
          call('POST', 'account/proof/passkey', { headers: bearer(token) }),
        );
        return { step, credential: authenticator.get(options) };
      },
    ],
  ];
  for (const [what, proof] of proofs) {
    void it(`are possible after a proof with ${what}, for 15 minutes, and a code or a passkey works once`, async () => {
      const user = await newFullUser();
      const headers = bearer(user.token);
      nowMs += 16 * MINUTE_MS;
      const make = () => call('POST', 'account/factors/recovery-codes', { headers });
      assertRefused(await make(), 403);
      const json = await proof(user);
      await read(call('POST', 'account/proof', { headers, json }));
      await read(make());
      nowMs += 15 * MINUTE_MS;
      await read(make());
      nowMs += 1;
      assertRefused(await make(), 403);
      const again = await call('POST', 'account/proof', { headers, json });
      assert.equal(again.status, 'password' in json ? 200 : 400, again.text);
    });
  }

  void it('are not possible after a wrong proof, which counts and is in the audit log', async () => {
    const { token } = await newFullUser();
    const other = await newFullUser();
    const headers = bearer(token);
    nowMs += 16 * MINUTE_MS;
    const { step, options } = await read<{ step: string; options: RequestOptions }>(
      call('POST', 'account/proof/passkey', { headers: bearer(other.token) }),
    );
    const stolen = other.authenticator.get(options);
    for (const json of [
      {},
      { password: 'not the password of this account' },
      { factor: 'totp', code: codeAt(other.secret, nowMs) },
      { factor: 'recovery-code', code: other.recoveryCodes[0] },
      { factor: 'totp' },
      { step, credential: stolen },
      { step: 'none', credential: {} },
    ])
      assertRefused(await call('POST', 'account/proof', { headers, json }), 400, JSON.stringify(json));
    assertRefused(await call('POST', 'account/factors/recovery-codes', { headers }), 403);
    let status = 400;
    for (let tries = 0; status === 400 && tries < 12; tries++)
      ({ status } = await call('POST', 'account/proof', { headers, json: { factor: 'totp', code: '000000' } }));
    assert.equal(status, 429);
  });

  void it('do not need one for an API key with the password', async () => {
    const { token } = await newUser();
    nowMs += 16 * MINUTE_MS;
    const json = { name: 'x', scopes: ['read:pets'], password: PASSWORD };
    await read(call('POST', 'account/keys', { headers: bearer(token), json }));
  });
});

async function newFullUser() {
  const user = await newCodeUser();
  const authenticator = new Authenticator(ORIGIN);
  await addPasskey(call, user.token, authenticator);
  return { ...user, authenticator };
}

void test('deletion of an account: its factors are deleted, and its name begins without any', async () => {
  const { username, token } = await newFullUser();
  await read(call('DELETE', `user/${username}`, { headers: bearer(token) }));
  await read(call('POST', 'user', { json: { username, password: PASSWORD } }));
  await logIn(call, username, PASSWORD);
});
