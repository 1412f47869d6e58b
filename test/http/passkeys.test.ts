import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { passkeySites } from '../../src/http/sign-in/passkey-site.ts';
import { Authenticator, type CreationOptions, type Forged, type RequestOptions } from '../support/authenticator.ts';
import { assertRefused, type HttpResponse } from '../support/client.ts';
import { addPasskey, passPassword, read, sessionOf, setUpTotp, type FactorsView } from '../support/factors.ts';
import { bearer, logIn, newSecuredFolder, startSecuredService } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { openTables } from '../support/stored.ts';

/* Passkeys: set up, as the second factor and alone, and attacks on them. */

const ORIGIN = 'https://pets.example.org';
const MINUTE_MS = 60_000;
const PASSWORD = 'fifteen wooden boats in a row';

let nowMs = Date.UTC(2026, 10, 26, 9);
const dataDir = await newSecuredFolder();
after(() => removeFolder(dataDir));
const flags = ['--public-url', `${ORIGIN}/zoo`];
const { call } = await startSecuredService({ after }, { dataDir, flags, clock: () => nowMs });
const tables = await openTables({ after }, dataDir);

async function countSteps(): Promise<number> {
  const [row] = await tables.query('select count(*) as steps from sign_in_step');
  return Number(row?.['steps']);
}

let count = 0;

async function newUser() {
  const username = `holder-${++count}`;
  await read(call('POST', 'user', { json: { username, password: PASSWORD } }));
  return { username, token: await logIn(call, username, PASSWORD) };
}

async function newHolder(counter = 1) {
  const user = await newUser();
  const authenticator = new Authenticator(ORIGIN, counter);
  return { ...user, authenticator, ...(await addPasskey(call, user.token, authenticator)) };
}

interface Step<O> {
  step: string;
  options: O;
}

const startAlone = () => read<Step<RequestOptions>>(call('POST', 'sign-in/passkey/options'));

function send(step: string, credential: unknown): Promise<HttpResponse> {
  return call('POST', 'sign-in/passkey', { json: { step, credential } });
}

async function logInAlone(authenticator: Authenticator, forged: Forged = {}): Promise<HttpResponse> {
  const { step, options } = await startAlone();
  return send(step, authenticator.get(options, forged));
}

void describe('passkeys: set up', () => {
  void it('asks for a discoverable passkey with user verification, without attestation', async () => {
    const { token, username } = await newUser();
    const { options } = await read<Step<CreationOptions>>(
      call('POST', 'account/passkeys/options', { headers: bearer(token) }),
    );
    assert.deepEqual(options.rp, { name: 'Menagerie', id: 'pets.example.org' });
    assert.equal(options.user.name, username);
    assert.equal(options.attestation, 'none');
    const { residentKey, userVerification } = options.authenticatorSelection;
    assert.deepEqual([residentKey, userVerification], ['required', 'required']);
  });

  void it('adds several with names, and shows their last use', async () => {
    const { token, authenticator, id, recoveryCodes } = await newHolder();
    assert.equal(recoveryCodes.length, 10);
    nowMs += MINUTE_MS;
    const headers = bearer(token);
    const { options } = await read<Step<CreationOptions>>(call('POST', 'account/passkeys/options', { headers }));
    assert.equal(options.excludeCredentials?.length, 1);
    const second = await addPasskey(call, token, new Authenticator(ORIGIN), 'Security key');
    assert.deepEqual(second.recoveryCodes, []);
    await sessionOf(logInAlone(authenticator));
    await read(call('PATCH', `account/passkeys/${id}`, { headers, json: { name: 'Old phone' } }));
    const { passkeys, recoveryCodes: left } = await read<FactorsView>(call('GET', 'account/factors', { headers }));
    const createdAt = new Date(nowMs - MINUTE_MS).toISOString();
    const time = new Date(nowMs).toISOString();
    assert.deepEqual(passkeys, [
      { id, name: 'Old phone', synced: false, createdAt, lastUsedAt: time },
      { id: second.id, name: 'Security key', synced: false, createdAt: time },
    ]);
    assert.deepEqual(left, { total: 10, left: 10 });
    assert.deepEqual(await read(call('GET', 'account/passkeys', { headers })), passkeys);
    await read(call('DELETE', `account/passkeys/${id}`, { headers }));
    assertRefused(await logInAlone(authenticator), 400);
  });

  const forgeries: Readonly<Record<string, Forged>> = {
    'from another site': { origin: 'https://pets.example.org.evil.example' },
    'from another port': { origin: `${ORIGIN}:8443` },
    'for another host name': { rpId: 'example.org' },
    'with another challenge': { challenge: 'A'.repeat(43) },
    'of another type': { type: 'webauthn.get' },
    'without user verification': { isVerified: false },
  };
  for (const [what, forged] of Object.entries(forgeries)) {
    void it(`refuses a response ${what}`, async () => {
      const { token } = await newUser();
      const headers = bearer(token);
      const { step, options } = await read<Step<CreationOptions>>(
        call('POST', 'account/passkeys/options', { headers }),
      );
      const credential = new Authenticator(ORIGIN).create(options, forged);
      const json = { step, name: 'Key', credential };
      assertRefused(await call('POST', 'account/passkeys', { headers, json }), 400);
      assert.deepEqual(await read(call('GET', 'account/passkeys', { headers })), []);
    });
  }

  void it('takes a challenge once, of the own account, for ten minutes', async () => {
    const [first, second] = [await newUser(), await newUser()];
    const headers = bearer(first.token);
    const start = () => read<Step<CreationOptions>>(call('POST', 'account/passkeys/options', { headers }));
    const { step, options } = await start();
    const authenticator = new Authenticator(ORIGIN);
    const json = { step, name: 'Key', credential: authenticator.create(options) };
    assertRefused(await call('POST', 'account/passkeys', { headers: bearer(second.token), json }), 400);
    await read(call('POST', 'account/passkeys', { headers, json }));
    assertRefused(await call('POST', 'account/passkeys', { headers, json }), 400);
    const late = await start();
    nowMs += 10 * MINUTE_MS;
    const expired = { step: late.step, name: 'Key', credential: authenticator.create(late.options) };
    assertRefused(await call('POST', 'account/passkeys', { headers, json: expired }), 400);
  });

  void it('refuses what is no credential', async () => {
    const { token } = await newUser();
    const headers = bearer(token);
    const { step } = await read<Step<CreationOptions>>(call('POST', 'account/passkeys/options', { headers }));
    for (const credential of [{}, { id: 1 }, { id: 'x', rawId: 'y', type: 'public-key', response: null }]) {
      const json = { step, name: 'Key', credential };
      assertRefused(await call('POST', 'account/passkeys', { headers, json }), 400);
    }
  });
});

void describe('passkeys: login', () => {
  void it('works without a user name and a password', async () => {
    const { username, authenticator } = await newHolder();
    const { step, options } = await startAlone();
    assert.equal(options.allowCredentials?.length ?? 0, 0);
    const response = await send(step, authenticator.get(options));
    assert.match(response.headers.get('set-cookie') ?? '', /^__Secure-menagerie_session=/);
    const token = await sessionOf(Promise.resolve(response));
    const account = await read<{ username: string }>(call('GET', 'account', { headers: bearer(token) }));
    assert.equal(account.username, username);
  });

  void it('works after the password, with the passkeys of the account', async () => {
    const { username, authenticator } = await newHolder();
    const refused = await call('POST', 'user/login', { json: { username, password: PASSWORD } });
    assertRefused(refused, 401);
    assert.equal(refused.headers.get('x-second-factor'), 'recovery-code, passkey');
    const { step, factors, passkeyOptions } = await passPassword(call, username, PASSWORD);
    assert.deepEqual(factors, ['recovery-code', 'passkey']);
    assert.ok(passkeyOptions?.allowCredentials?.length === 1);
    await sessionOf(send(step, authenticator.get(passkeyOptions, { userHandle: undefined })));
  });

  const attacks: Readonly<Record<string, Forged>> = {
    'from a page of another site': { origin: 'https://pets.example.org.evil.example' },
    'from http': { origin: 'http://pets.example.org' },
    'for another host name': { rpId: 'evil.example' },
    'with another challenge': { challenge: 'A'.repeat(43) },
    'made for a registration': { type: 'webauthn.create' },
    'without user verification': { isVerified: false },
    'of another account': { userHandle: Buffer.alloc(32).toString('base64url') },
    'without an account': { userHandle: undefined },
    'of an unknown passkey': { credentialId: 'AAAA' },
    'with a lower counter': { counter: 0 },
    'with the same counter': { counter: 1 },
  };
  for (const [what, forged] of Object.entries(attacks)) {
    void it(`refuses an assertion ${what}, in the same words`, async () => {
      const { authenticator } = await newHolder();
      const response = await logInAlone(authenticator, forged);
      assert.equal(assertRefused(response, 400).message, 'This passkey was not accepted.');
      assert.equal(response.headers.get('set-cookie'), null);
    });
  }

  void it('refuses a forged signature', async () => {
    const { authenticator } = await newHolder();
    const other = await newHolder();
    const { step, options } = await startAlone();
    const right = authenticator.get(options) as { response: Record<string, string> };
    const wrong = other.authenticator.get(options) as { response: Record<string, string> };
    const forged = { ...right, response: { ...right.response, signature: wrong.response['signature'] } };
    assertRefused(await send(step, forged), 400);
    await sessionOf(send(step, right));
  });

  void it('refuses a replayed assertion, and one for another step', async () => {
    const { authenticator } = await newHolder(0);
    const [first, second] = [await startAlone(), await startAlone()];
    const credential = authenticator.get(first.options);
    assertRefused(await send(second.step, credential), 400);
    await sessionOf(send(first.step, credential));
    assertRefused(await send(first.step, credential), 400);
    assertRefused(await send((await startAlone()).step, credential), 400);
  });

  void it('is not stored before it is complete, however often it is begun', async () => {
    const { authenticator } = await newHolder(0);
    await startAlone();
    const before = await countSteps();
    const begun = await Promise.all(Array.from({ length: 20 }, startAlone));
    assert.equal(new Set(begun.flatMap(({ step, options }) => [step, options.challenge])).size, 40);
    assert.equal(await countSteps(), before);
    const [first] = begun;
    assert.ok(first !== undefined);
    await sessionOf(send(first.step, authenticator.get(first.options)));
    assert.equal(await countSteps(), before + 1);
    nowMs += 10 * MINUTE_MS;
    await Promise.all([startAlone(), startAlone(), startAlone()]);
    assert.equal(await countSteps(), before + 2, 'one new secret for all');
  });

  void it('refuses a challenge that the client has chosen or prolonged', async () => {
    const { authenticator } = await newHolder(0);
    const { step, options } = await startAlone();
    const [secret = '', end = '', random = ''] = step.split('.');
    const credential = authenticator.get(options);
    const later = String(Number(end) + MINUTE_MS);
    for (const forged of [
      `${secret}.${later}.${random}`,
      `${secret}.${end}.${'0'.repeat(24)}`,
      `${'0'.repeat(24)}.${end}.${random}`,
      `${secret}.${end}.${random}.`,
      `${secret}.-1.${random}`,
      `${secret}.1e99.${random}`,
    ])
      assertRefused(await send(forged, credential), 400, forged);
    nowMs += 10 * MINUTE_MS;
    assertRefused(await send(`${secret}.${later}.${random}`, credential), 400);
  });

  void it('refuses an expired step', async () => {
    const { authenticator } = await newHolder();
    const { step, options } = await startAlone();
    nowMs += 10 * MINUTE_MS;
    assertRefused(await send(step, authenticator.get(options)), 400);
  });

  void it('refuses the passkey of another account after the password', async () => {
    const [victim, attacker] = [await newHolder(), await newHolder()];
    const { step, passkeyOptions } = await passPassword(call, victim.username, PASSWORD);
    assert.ok(passkeyOptions !== undefined);
    const { challenge, rpId, userVerification } = passkeyOptions;
    assertRefused(await send(step, attacker.authenticator.get({ challenge, rpId, userVerification })), 400);
    await sessionOf(send(step, victim.authenticator.get(passkeyOptions)));
  });

  void it('refuses closed accounts', async () => {
    const { username, authenticator } = await newHolder();
    const root = bearer(await logIn(call, 'root'));
    await read(call('POST', `admin/users/${username}/close`, { headers: root }));
    assertRefused(await logInAlone(authenticator), 400);
  });

  void it('makes a client wait that fails often', async () => {
    const { authenticator } = await newHolder();
    let response = await logInAlone(authenticator, { challenge: 'A' });
    for (let tries = 0; tries < 100 && response.status === 400; tries++)
      response = await logInAlone(authenticator, { challenge: 'A' });
    assertRefused(response, 429);
    nowMs += 24 * 60 * MINUTE_MS;
    await sessionOf(logInAlone(authenticator));
  });
});

void test('passkeys and one-time codes: one can replace the other, and the recovery codes stay', async () => {
  const { token } = await newHolder();
  const { recoveryCodes } = await setUpTotp(call, token, nowMs);
  assert.deepEqual(recoveryCodes, []);
  const { passkeys } = await read<FactorsView>(call('GET', 'account/factors', { headers: bearer(token) }));
  await read(call('DELETE', `account/passkeys/${passkeys[0]?.id}`, { headers: bearer(token) }));
  const left = await read<FactorsView>(call('GET', 'account/factors', { headers: bearer(token) }));
  assert.deepEqual([left.passkeys, left.recoveryCodes], [[], { total: 10, left: 10 }]);
});

function at(publicUrl: string | undefined, host = 'evil.example') {
  return passkeySites(publicUrl)({ headers: { host } } as Parameters<ReturnType<typeof passkeySites>>[0]);
}

void test('site of passkeys: that of the public URL, or localhost, never the Host header of a client', () => {
  assert.deepEqual(at('https://pets.example.org:8443/zoo'), {
    rpId: 'pets.example.org',
    origin: 'https://pets.example.org:8443',
  });
  assert.deepEqual(at('http://localhost:8080'), { rpId: 'localhost', origin: 'http://localhost:8080' });
  for (const publicUrl of ['http://pets.example.org', 'https://192.0.2.1', 'https://[2001:db8::1]'])
    assert.equal(at(publicUrl), undefined, publicUrl);
  assert.deepEqual(at(undefined, 'localhost:8080'), { rpId: 'localhost', origin: 'http://localhost:8080' });
  for (const host of ['evil.example', '127.0.0.1:8080', 'localhost.evil.example', '', 'localhost@evil.example'])
    assert.equal(at(undefined, host), undefined, host);
});
