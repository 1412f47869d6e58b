import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { assertRefused } from '../support/client.ts';
import {
  codeAt,
  passPassword,
  read,
  sendCode,
  sessionOf,
  setUpTotp,
  STEP_MS,
  type FactorsView,
} from '../support/factors.ts';
import { bearer, createKey, logIn, PASSWORDS, startSecuredService } from '../support/secured.ts';

/* One-time codes and recovery codes: set up, used for a login, removed. */

const MINUTE_MS = 60_000;

let nowMs = Date.UTC(2026, 10, 26, 9);
const { call, origin } = await startSecuredService({ after }, { clock: () => nowMs });
const root = await logIn(call, 'root');

const PASSWORD = 'eleven old maps of the coast';
let count = 0;

async function newUser(): Promise<{ username: string; token: string }> {
  const username = `coder-${++count}`;
  await read(call('POST', 'user', { json: { username, password: PASSWORD } }));
  return { username, token: await logIn(call, username, PASSWORD) };
}

/** A user with one-time codes, whose next code is new. */
async function newCodeUser() {
  const user = await newUser();
  const factors = await setUpTotp(call, user.token, nowMs);
  nowMs += 2 * STEP_MS;
  return { ...user, ...factors };
}

const factorsOf = (token: string) => read<FactorsView>(call('GET', 'account/factors', { headers: bearer(token) }));

void describe('one-time codes: set up', () => {
  void it('shows a secret and its URI, and is in use after the first code', async () => {
    const { username, token } = await newUser();
    const headers = bearer(token);
    const setup = await read<{ step: string; secret: string; uri: string; expiresAt: string }>(
      call('POST', 'account/factors/totp', { headers }),
    );
    assert.match(setup.secret, /^[A-Z2-7]{32}$/);
    const uri = new URL(setup.uri);
    assert.deepEqual([uri.protocol, uri.host, uri.searchParams.get('secret')], ['otpauth:', 'totp', setup.secret]);
    assert.ok(decodeURIComponent(uri.pathname).endsWith(`:${username}`), uri.pathname);
    assert.equal(Date.parse(setup.expiresAt), nowMs + 10 * MINUTE_MS);
    assert.equal((await factorsOf(token)).totp, undefined);
    await logIn(call, username, PASSWORD);

    const json = { step: setup.step, code: codeAt(setup.secret, nowMs) };
    const added = await read<{ recoveryCodes: string[] }>(
      call('POST', 'account/factors/totp/confirm', { headers, json }),
    );
    assert.equal(new Set(added.recoveryCodes).size, 10);
    for (const code of added.recoveryCodes) assert.match(code, /^(?:[0-9a-hjkmnp-tv-z]{6}-){3}[0-9a-hjkmnp-tv-z]{6}$/);
    assert.deepEqual(await factorsOf(token), {
      totp: { createdAt: new Date(nowMs).toISOString() },
      recoveryCodes: { total: 10, left: 10 },
      passkeys: [],
      required: false,
    });
    assertRefused(await call('POST', 'account/factors/totp/confirm', { headers, json }), 400);
  });

  void it('the URI has one colon, also with a port in the address and a colon in the user name', async () => {
    await read(call('POST', 'user', { json: { username: 'coder:x', password: PASSWORD } }));
    const headers = bearer(await logIn(call, 'coder:x', PASSWORD));
    const { uri } = await read<{ uri: string }>(call('POST', 'account/factors/totp', { headers }));
    const { pathname, searchParams } = new URL(uri);
    const { hostname, port } = new URL(origin);
    assert.notEqual(port, '');
    assert.equal(searchParams.get('issuer'), `${hostname}-${port}`);
    assert.equal(decodeURIComponent(pathname).replace(/^\/+(?:totp\/)?/, ''), `${hostname}-${port}:coder-x`);
  });

  void it('refuses a wrong code, and then takes the right one', async () => {
    const { token } = await newUser();
    const headers = bearer(token);
    const { step, secret } = await read<{ step: string; secret: string }>(
      call('POST', 'account/factors/totp', { headers }),
    );
    const confirm = (code: string) => call('POST', 'account/factors/totp/confirm', { headers, json: { step, code } });
    for (const wrong of ['000000', '', 'x', codeAt(secret, nowMs + 2 * STEP_MS), codeAt(secret, nowMs - 2 * STEP_MS)])
      assertRefused(await confirm(wrong), 400);
    const code = codeAt(secret, nowMs - STEP_MS);
    await read(confirm(`${code.slice(0, 3)} ${code.slice(3)}`));
  });

  void it('refuses the step of another account, an expired one, and a second secret', async () => {
    const [first, second] = [await newUser(), await newUser()];
    const headers = bearer(first.token);
    const { step, secret } = await read<{ step: string; secret: string }>(
      call('POST', 'account/factors/totp', { headers }),
    );
    const json = { step, code: codeAt(secret, nowMs) };
    const ofSecond = bearer(second.token);
    assertRefused(await call('POST', 'account/factors/totp/confirm', { headers: ofSecond, json }), 400);
    const { step: late } = await read<{ step: string }>(call('POST', 'account/factors/totp', { headers: ofSecond }));
    await read(call('POST', 'account/factors/totp/confirm', { headers, json }));
    const again = await read<{ step: string; secret: string }>(call('POST', 'account/factors/totp', { headers }));
    const other = { step: again.step, code: codeAt(again.secret, nowMs) };
    assertRefused(await call('POST', 'account/factors/totp/confirm', { headers, json: other }), 409);
    nowMs += 10 * MINUTE_MS;
    const expired = { step: late, code: codeAt(secret, nowMs) };
    assertRefused(await call('POST', 'account/factors/totp/confirm', { headers: ofSecond, json: expired }), 400);
  });

  void it('ends the other sessions of the account, which began without it', async () => {
    const { username, token } = await newUser();
    const other = await logIn(call, username, PASSWORD);
    await setUpTotp(call, token, nowMs);
    assertRefused(await call('GET', 'account', { headers: bearer(other) }), 401);
    await read(call('GET', 'account', { headers: bearer(token) }));
  });
});

void describe('one-time codes: login', () => {
  void it('refuses the right password alone, names what is missing, and begins no session', async () => {
    const { username } = await newCodeUser();
    const json = { username, password: PASSWORD };
    for (const response of [
      await call('POST', 'user/login', { json }),
      await call('GET', `user/login?${new URLSearchParams(json).toString()}`),
    ]) {
      const refused = assertRefused(response, 401);
      assert.match(refused.message, /second factor/);
      assert.equal(response.headers.get('x-second-factor'), 'totp, recovery-code');
      assert.equal(response.headers.get('set-cookie'), null);
    }
    const wrong = await call('POST', 'user/login', { json: { username, password: 'not the password of this' } });
    assert.equal(assertRefused(wrong, 400).message, 'Invalid username/password supplied');
    assert.equal(wrong.headers.get('x-second-factor'), null);
  });

  void it('is complete after the code, with a session, its cookie and an audit entry', async () => {
    const { username, secret } = await newCodeUser();
    const { step, factors, passkeyOptions } = await passPassword(call, username, PASSWORD);
    assert.deepEqual(factors, ['totp', 'recovery-code']);
    assert.equal(passkeyOptions, undefined);
    const response = await sendCode(call, step, codeAt(secret, nowMs));
    assert.match(response.headers.get('set-cookie') ?? '', /^menagerie_session=[\w-]{43};.*HttpOnly/);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const token = await sessionOf(Promise.resolve(response));
    assert.equal(
      (await read<{ username: string }>(call('GET', 'account', { headers: bearer(token) }))).username,
      username,
    );
    const [entry] = await read<{ action: string; details: Record<string, string> }[]>(
      call('GET', 'admin/audit?action=session.begun&limit=1', { headers: bearer(root) }),
    );
    assert.equal(entry?.details['factors'], 'password totp');
  });

  void it('starts a session directly for an account without a second factor', async () => {
    const token = await sessionOf(
      call('POST', 'sign-in/password', { json: { username: 'vera', password: PASSWORDS['vera'] } }),
    );
    await read(call('GET', 'account', { headers: bearer(token) }));
  });

  void it('accepts the codes of the steps before and after, and no code twice or out of order', async () => {
    const { username, secret } = await newCodeUser();
    const attempt = async (code: string) => sendCode(call, (await passPassword(call, username, PASSWORD)).step, code);
    const [before, current, next] = [-STEP_MS, 0, STEP_MS].map((ms) => codeAt(secret, nowMs + ms));
    assert.ok(before !== undefined && current !== undefined && next !== undefined);
    assert.equal((await attempt(current)).status, 200);
    assertRefused(await attempt(current), 400);
    assertRefused(await attempt(before), 400);
    assert.equal((await attempt(next)).status, 200);
    assertRefused(await attempt(codeAt(secret, nowMs + 2 * STEP_MS)), 400);
  });

  void it('refuses the code of the set-up', async () => {
    const { username, token } = await newUser();
    const { secret } = await setUpTotp(call, token, nowMs);
    const { step } = await passPassword(call, username, PASSWORD);
    assertRefused(await sendCode(call, step, codeAt(secret, nowMs)), 400);
  });

  void it('completes a step once, for its account, within ten minutes, and with the password of its beginning', async () => {
    const [first, second] = [await newCodeUser(), await newCodeUser()];
    const { step } = await passPassword(call, first.username, PASSWORD);
    assertRefused(await sendCode(call, step, codeAt(second.secret, nowMs)), 400);
    await sessionOf(sendCode(call, step, codeAt(first.secret, nowMs)));
    nowMs += STEP_MS;
    assertRefused(await sendCode(call, step, codeAt(first.secret, nowMs)), 400);

    const late = await passPassword(call, first.username, PASSWORD);
    nowMs += 10 * MINUTE_MS;
    assertRefused(await sendCode(call, late.step, codeAt(first.secret, nowMs)), 400);

    const outdated = await passPassword(call, first.username, PASSWORD);
    const link = await read<{ token: string }>(
      call('POST', `admin/users/${first.username}/reset-link`, { headers: bearer(await logIn(call, 'root')) }),
    );
    const newPassword = 'a brand new passphrase for this';
    await read(call('POST', 'password-reset', { json: { token: link.token, newPassword } }));
    assertRefused(await sendCode(call, outdated.step, codeAt(first.secret, nowMs)), 400);
    const { step: fresh } = await passPassword(call, first.username, newPassword);
    await sessionOf(sendCode(call, fresh, codeAt(first.secret, nowMs)));
  });

  void it('leaves API keys working', async () => {
    const { username, token } = await newUser();
    await read(
      call('PUT', `admin/users/${username}/role`, {
        headers: bearer(await logIn(call, 'root')),
        json: { role: 'editor' },
      }),
    );
    const { key } = await createKey(call, token, ['write:pets']);
    await setUpTotp(call, token, nowMs);
    await read(call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } }));
  });
});

/** The code in the digits of a script, from its zero. */
function inDigitsFrom(zero: string, code: string): string {
  return code.replaceAll(/\d/g, (digit) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)));
}

const digits: readonly [what: string, typed: (code: string) => string][] = [
  ['full width, as a Japanese keyboard types them', (code) => inDigitsFrom('０', code)],
  ['Arabic-Indic', (code) => inDigitsFrom('٠', code)],
  ['Persian, with marks of direction', (code) => `\u200F${inDigitsFrom('۰', code)}\u200E`],
  ['Devanagari, in two groups', (code) => inDigitsFrom('०', `${code.slice(0, 3)}\u00A0${code.slice(3)}`)],
  ['bold mathematical', (code) => inDigitsFrom('𝟎', code)],
];

const noCodes = ['12345ü', '１２３４５', 'éééééé', '1234567', '½½½½½½', '𝟎𝟎𝟎', '-12345', '1e5000', '٠x'];

void describe('one-time codes: in digits of any script', () => {
  for (const [what, typed] of digits) {
    void it(`${what}: set up the app, complete a login, and prove the owner`, async () => {
      const { username, token } = await newUser();
      const headers = bearer(token);
      const { step, secret } = await read<{ step: string; secret: string }>(
        call('POST', 'account/factors/totp', { headers }),
      );
      const typedCode = () => typed(codeAt(secret, nowMs));
      await read(call('POST', 'account/factors/totp/confirm', { headers, json: { step, code: typedCode() } }));
      nowMs += 2 * STEP_MS;
      await sessionOf(sendCode(call, (await passPassword(call, username, PASSWORD)).step, typedCode()));
      nowMs += 2 * STEP_MS;
      await read(call('POST', 'account/proof', { headers, json: { factor: 'totp', code: typedCode() } }));
    });
  }

  void it('a code that has not six of them is wrong, at every step', async () => {
    for (const code of noCodes) {
      const { username, token } = await newUser();
      const headers = bearer(token);
      const { step } = await read<{ step: string }>(call('POST', 'account/factors/totp', { headers }));
      const confirm = await call('POST', 'account/factors/totp/confirm', { headers, json: { step, code } });
      assert.equal(assertRefused(confirm, 400, code).message, 'The code is wrong, or was used before.');
      await setUpTotp(call, token, nowMs);
      const login = await passPassword(call, username, PASSWORD);
      assertRefused(await sendCode(call, login.step, code), 400, code);
      assertRefused(await call('POST', 'account/proof', { headers, json: { factor: 'totp', code } }), 400, code);
    }
  });
});

void describe('recovery codes', () => {
  void it('are accepted in letters and digits of full width', async () => {
    const { username, recoveryCodes } = await newCodeUser();
    const typed = (recoveryCodes[0] ?? '').replaceAll(/[0-9a-z-]/g, (char) =>
      String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0),
    );
    const { step } = await passPassword(call, username, PASSWORD);
    await sessionOf(sendCode(call, step, typed, 'recovery-code'));
  });

  void it('each completes one login, in any case and with or without hyphens', async () => {
    const { username, recoveryCodes } = await newCodeUser();
    const [first = '', second = ''] = recoveryCodes;
    const attempt = async (code: string) =>
      sendCode(call, (await passPassword(call, username, PASSWORD)).step, code, 'recovery-code');
    const token = await sessionOf(attempt(first));
    assertRefused(await attempt(first), 400);
    await sessionOf(attempt(` ${second.toUpperCase().replaceAll('-', ' ')}`));
    assert.deepEqual((await factorsOf(token)).recoveryCodes, { total: 10, left: 8 });
    for (const wrong of ['', '0', first.slice(0, -1), 'x'.repeat(255)]) assertRefused(await attempt(wrong), 400);
  });

  void it('are replaced on demand', async () => {
    const { username, token, recoveryCodes } = await newCodeUser();
    const replaced = await read<{ recoveryCodes: string[] }>(
      call('POST', 'account/factors/recovery-codes', { headers: bearer(token) }),
    );
    assert.equal(new Set([...recoveryCodes, ...replaced.recoveryCodes]).size, 20);
    const attempt = async (code = '') =>
      sendCode(call, (await passPassword(call, username, PASSWORD)).step, code, 'recovery-code');
    assertRefused(await attempt(recoveryCodes[0]), 400);
    await sessionOf(attempt(replaced.recoveryCodes[0]));
  });

  void it('need a second factor, and are deleted with the last one', async () => {
    const { username, token } = await newUser();
    const headers = bearer(token);
    assertRefused(await call('POST', 'account/factors/recovery-codes', { headers }), 409);
    assertRefused(await call('DELETE', 'account/factors/totp', { headers }), 404);
    await setUpTotp(call, token, nowMs);
    await read(call('DELETE', 'account/factors/totp', { headers }));
    assert.deepEqual((await factorsOf(token)).recoveryCodes, { total: 0, left: 0 });
    await logIn(call, username, PASSWORD);
  });
});

void test('factors of a user: an administrator reads and resets them, which ends the sessions', async () => {
  const { username, token } = await newCodeUser();
  const headers = bearer(await logIn(call, 'root'));
  const path = `admin/users/${username}/factors`;
  const { totp, recoveryCodes } = await read<FactorsView>(call('GET', path, { headers }));
  assert.ok(totp !== undefined);
  assert.equal(recoveryCodes.left, 10);
  await read(call('DELETE', path, { headers }));
  assertRefused(await call('GET', 'account', { headers: bearer(token) }), 401);
  await logIn(call, username, PASSWORD);
  const [entry] = await read<{ action: string; subject: { name: string }; details: Record<string, string> }[]>(
    call('GET', 'admin/audit?action=account.factors-reset&limit=1', { headers }),
  );
  assert.equal(entry?.subject.name, username);
  assert.deepEqual(entry.details, { totp: '1', passkeys: '0' });
});
