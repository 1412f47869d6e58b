import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Authenticator, type CreationOptions } from '../support/authenticator.ts';
import { codeAt, STEP_MS, type SignInView } from '../support/factors.ts';
import { startProvider, CLIENT_ID, CLIENT_SECRET, type TestProvider } from '../support/openid-provider.ts';
import { bearer, logIn, newSecuredFolder, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { openTables } from '../support/stored.ts';
import { TestBrowser, type BrowserResponse } from '../support/test-browser.ts';

const PUBLIC_URL = 'https://pets.example.org/zoo';
const HOST = 'pets.example.org';

const shelter = await startProvider({ after }, PUBLIC_URL, 'shelter');
const club = await startProvider({ after }, PUBLIC_URL, 'club', true);

const PROVIDERS = `
[shelter]
label = "Shelter account"
issuer = "${shelter.issuer}"
client-id = "${CLIENT_ID}"
client-secret = "${CLIENT_SECRET}"
sign-up = true
second-factor = ["mfa"]
role-claim = "realm_access.roles"
roles = { "menagerie-admins" = "admin", "menagerie-editors" = "editor" }

[club]
issuer = "${club.issuer}"
client-id = "${CLIENT_ID}"
client-secret = "${CLIENT_SECRET}"
`;

let nowMs = Date.now();
const dataDir = await newSecuredFolder();
after(() => removeFolder(dataDir));
const service = await startSecuredService(
  { after },
  {
    dataDir,
    flags: ['--public-url', PUBLIC_URL, '--providers', PROVIDERS, '--no-password-login', 'editor'],
    clock: () => nowMs,
  },
);
const { call } = service;
const tables = await openTables({ after }, dataDir);

function browser(): TestBrowser {
  return new TestBrowser(PUBLIC_URL, service.origin);
}

function isOwnPage(url: string): boolean {
  return url.startsWith(PUBLIC_URL) && !url.startsWith(`${PUBLIC_URL}/sign-in/`);
}

/** Logs in at a provider. @returns the last redirect, or the response that is none */
async function signIn(visitor: TestBrowser, name = 'shelter', query = ''): Promise<BrowserResponse> {
  return visitor.open(`${PUBLIC_URL}/sign-in/${name}${query}`, isOwnPage);
}

async function accountOf(visitor: TestBrowser): Promise<Record<string, unknown>> {
  const { status, text } = await visitor.call('GET', 'account');
  return status === 200 ? (JSON.parse(text) as Record<string, unknown>) : { status };
}

function personOf(provider: TestProvider, subject: string, claims: Readonly<Record<string, unknown>>): void {
  provider.people.set(subject, claims);
  provider.subject = subject;
  provider.amr = [];
}

async function lastSession(): Promise<readonly unknown[]> {
  const [last] = await tables.query('select factors, issuer from session order by started_at_ms desc');
  return Object.values(last ?? {});
}

async function linkedBrowser(username: string): Promise<TestBrowser> {
  const visitor = browser();
  const { status } = await visitor.call('POST', 'user/login', { username, password: PASSWORDS[username] });
  assert.equal(status, 200);
  return visitor;
}

async function begin(visitor: TestBrowser, provider: string): Promise<string> {
  const { status, text } = await visitor.call('POST', 'account/providers', { provider });
  assert.equal(status, 200, text);
  return JSON.parse(text).url as string;
}

async function listed(visitor: TestBrowser): Promise<readonly Record<string, unknown>[]> {
  return JSON.parse((await visitor.call('GET', 'account/providers')).text) as Record<string, unknown>[];
}

void describe('login at a provider', () => {
  void it('sign-up: a claim that is no e-mail address is ignored', async () => {
    for (const [index, email] of [
      'Ann Lee',
      'ann@',
      '<ann@example.org>',
      'ann@example.org,eve@evil.example',
    ].entries()) {
      personOf(shelter, `sub-odd-${index}`, { preferred_username: `odd${index}`, email, email_verified: true });
      const visitor = browser();
      await signIn(visitor);
      const { username, email: address, confirmedEmail } = await accountOf(visitor);
      assert.deepEqual([username, address, confirmedEmail], [`odd${index}`, undefined, undefined]);
    }
    assert.deepEqual(await tables.query('select email from confirmed_email'), []);
  });

  void it('sign-up: creates an account with the profile of the person, and finds it again by the subject', async () => {
    personOf(shelter, 'sub-ann', {
      preferred_username: 'ann',
      given_name: 'Ann',
      family_name: 'Lee',
      email: 'ann@example.org',
      email_verified: true,
    });
    const visitor = browser();
    const { url, status } = await signIn(visitor, 'shelter', '?to=/pets/7%3Fx%3D1');
    assert.deepEqual([status, url], [303, `${PUBLIC_URL}/pets/7?x=1`]);
    assert.deepEqual(visitor.cookieNames(HOST), ['__Secure-menagerie_session']);
    const { accountId, ...account } = await accountOf(visitor);
    const profile = { username: 'ann', firstName: 'Ann', lastName: 'Lee', email: 'ann@example.org', userStatus: 2 };
    const own = { confirmedEmail: 'ann@example.org', hasNoPassword: true };
    assert.deepEqual(account, { id: accountId, ...profile, ...own, role: 'viewer' });
    const confirmed = await tables.query('select email_key from confirmed_email');
    assert.deepEqual(
      confirmed.map((row) => Object.values(row as object)),
      [['ann@example.org']],
    );

    personOf(shelter, 'sub-ann', { preferred_username: 'anna', email: 'other@example.org' });
    const other = browser();
    await signIn(other);
    assert.equal((await accountOf(other))['username'], 'ann');
  });

  void it('sign-up: a name that is taken, reserved, malformed, or looks like staff gets another form', async () => {
    const names: Record<string, string> = {};
    const all = ['ann', 'LOGIN', 'a/b\u200B', 'r\u043E\u043Et', '..', 'x'.repeat(200)];
    for (const [index, wanted] of all.entries()) {
      personOf(shelter, `sub-of-name-${index}`, { preferred_username: wanted });
      const visitor = browser();
      await signIn(visitor);
      names[wanted] = String((await accountOf(visitor))['username']);
    }
    assert.deepEqual(names, {
      ann: 'ann-2',
      LOGIN: 'LOGIN-2',
      'a/b\u200B': 'a b',
      'r\u043E\u043Et': 'r\u043E\u043Et-2',
      '..': 'user',
      ['x'.repeat(200)]: 'x'.repeat(48),
    });
  });

  void it('sign-up off: a person without an account is refused, also with the verified address of an account', async () => {
    personOf(club, 'sub-ann', { preferred_username: 'ann', email: 'ann@example.org', email_verified: true });
    const visitor = browser();
    const { status, text } = await signIn(visitor, 'club');
    assert.deepEqual([status, /No account is linked/.test(text)], [403, true]);
    assert.deepEqual(await accountOf(visitor), { status: 401 });
  });

  void it('roles: follow the claim at each login, and the last administrator stays one', async () => {
    const roleWith = async (roles: unknown) => {
      personOf(shelter, 'sub-rob', { preferred_username: 'rob', realm_access: { roles } });
      const visitor = browser();
      await signIn(visitor);
      return (await accountOf(visitor))['role'];
    };
    assert.equal(await roleWith(['menagerie-editors', 'menagerie-admins', 'other']), 'admin');
    assert.equal(await roleWith('menagerie-editors'), 'editor');
    assert.equal(await roleWith(['__proto__', 'toString']), 'viewer');
    assert.equal(await roleWith(['menagerie-admins']), 'admin');
    const root = bearer(await logIn(call, 'root'));
    assert.equal((await call('PUT', 'admin/users/root/role', { headers: root, json: { role: 'viewer' } })).status, 200);
    assert.equal(await roleWith([]), 'admin', 'the last administrator');
    const rob = browser();
    await signIn(rob);
    assert.equal((await rob.call('PUT', 'admin/users/root/role', { role: 'admin' })).status, 200);
    assert.equal(await roleWith([]), 'viewer');
    const [last] = await tables.query(
      "select via, actor_name, details from audit where subject_name = 'rob' and details like '%from%' order by id desc",
    );
    assert.deepEqual(Object.values(last ?? {}), ['provider', 'shelter', '{"from":"admin","to":"viewer"}']);
  });

  void it('a closed account stays closed', async () => {
    personOf(shelter, 'sub-cleo', { preferred_username: 'cleo', realm_access: { roles: ['menagerie-admins'] } });
    await signIn(browser());
    const root = bearer(await logIn(call, 'root'));
    assert.equal((await call('POST', 'admin/users/cleo/close', { headers: root })).status, 200);
    const visitor = browser();
    assert.equal((await signIn(visitor)).status, 403);
    assert.deepEqual(await accountOf(visitor), { status: 401 });
  });

  void it('the session has its issuer, and whether the provider has checked a second factor', async () => {
    personOf(shelter, 'sub-mia', { preferred_username: 'mia' });
    nowMs += 1000;
    await signIn(browser());
    assert.deepEqual(await lastSession(), ['provider', shelter.issuer]);
    shelter.amr = ['pwd', 'mfa'];
    nowMs += 1000;
    await signIn(browser());
    assert.deepEqual(await lastSession(), ['provider provider-second-factor', shelter.issuer]);
  });

  void it('logout: the response has the page that ends the session at the provider', async () => {
    personOf(shelter, 'sub-lou', { preferred_username: 'lou' });
    const visitor = browser();
    await signIn(visitor);
    const { status, text, headers } = await visitor.call('GET', 'user/logout');
    assert.deepEqual([status, JSON.parse(text).message], [200, 'ok']);
    const page = new URL(headers.get('menagerie-provider-logout') ?? '');
    assert.equal(page.origin, shelter.issuer);
    assert.deepEqual(Object.fromEntries(page.searchParams), {
      client_id: CLIENT_ID,
      post_logout_redirect_uri: `${PUBLIC_URL}/`,
    });
    assert.equal((await visitor.request(page.href)).status, 200, 'the provider accepts the request');
    const byPassword = await call('GET', 'user/logout', { headers: bearer(await logIn(call, 'vera')) });
    assert.equal(byPassword.headers.get('menagerie-provider-logout'), null);
  });

  void it('providers are listed with the public URL', async () => {
    assert.deepEqual(JSON.parse((await call('GET', 'sign-in/providers')).text), [
      { name: 'shelter', label: 'Shelter account', url: `${PUBLIC_URL}/sign-in/shelter` },
      { name: 'club', label: 'club', url: `${PUBLIC_URL}/sign-in/club` },
    ]);
  });
});

void describe('an account with a second factor', () => {
  void it('must show it after a login at a provider, unless the provider has checked one', async () => {
    personOf(shelter, 'sub-tom', { preferred_username: 'tom' });
    const tom = browser();
    await signIn(tom);
    const { text } = await tom.call('POST', 'account/factors/totp', {});
    const { step, secret } = JSON.parse(text) as { step: string; secret: string };
    const confirmed = await tom.call('POST', 'account/factors/totp/confirm', { step, code: codeAt(secret, nowMs) });
    assert.equal(confirmed.status, 200, confirmed.text);

    const visitor = browser();
    const asked = await signIn(visitor);
    const { step: login, factors, token } = JSON.parse(asked.text) as SignInView;
    assert.deepEqual([asked.status, token, factors], [200, undefined, ['totp', 'recovery-code']]);
    assert.deepEqual(visitor.cookieNames(HOST), []);
    nowMs += STEP_MS;
    const wrong = await visitor.call('POST', 'sign-in/code', { step: login, factor: 'totp', code: '000000' });
    assert.equal(wrong.status, 400);
    const code = codeAt(secret, nowMs);
    assert.equal((await visitor.call('POST', 'sign-in/code', { step: login, factor: 'totp', code })).status, 200);
    assert.equal((await accountOf(visitor))['username'], 'tom');
    assert.deepEqual(await lastSession(), ['provider totp', shelter.issuer]);

    shelter.amr = ['mfa'];
    const other = browser();
    await signIn(other);
    assert.equal((await accountOf(other))['username'], 'tom');
  });
});

void describe('linking', () => {
  void it('a login is linked to the own account, logs in to it, and is unlinked', async () => {
    personOf(club, 'sub-vera', { preferred_username: 'vera.club' });
    const visitor = await linkedBrowser('vera');
    assert.equal((await visitor.open(await begin(visitor, 'club'), isOwnPage)).url, `${PUBLIC_URL}/account`);
    const [login] = await listed(visitor);
    const { id, linkedAt: _linkedAt, ...rest } = login ?? {};
    const provider = { name: 'club', label: 'club' };
    assert.deepEqual(rest, { issuer: club.issuer, provider, name: 'vera.club' });

    const other = browser();
    await signIn(other, 'club');
    assert.equal((await accountOf(other))['username'], 'vera');
    assert.equal((await listed(other)).length, 1);

    assert.equal((await visitor.call('DELETE', `account/providers/${String(id)}`)).status, 200);
    assert.deepEqual(await listed(visitor), []);
    assert.equal((await signIn(browser(), 'club')).status, 403);
    assert.equal((await visitor.call('DELETE', `account/providers/${String(id)}`)).status, 404);
  });

  void it('the last way in cannot be unlinked; a password of a role without password login is none', async () => {
    personOf(shelter, 'sub-pia', { preferred_username: 'pia' });
    const pia = browser();
    await signIn(pia);
    const [{ id } = {}] = await listed(pia);
    assert.equal((await pia.call('DELETE', `account/providers/${String(id)}`)).status, 409);
    const update = { username: 'pia', password: 'pia has a long password now' };
    assert.equal((await pia.call('PUT', 'user/pia', update)).status, 200);
    const root = bearer(await logIn(call, 'root'));
    await call('PUT', 'admin/users/pia/role', { headers: root, json: { role: 'editor' } });
    assert.equal((await pia.call('DELETE', `account/providers/${String(id)}`)).status, 409);
    await call('PUT', 'admin/users/pia/role', { headers: root, json: { role: 'viewer' } });
    assert.equal((await pia.call('DELETE', `account/providers/${String(id)}`)).status, 200);
  });

  void it('a passkey is a way in, and the last one cannot be deleted', async () => {
    personOf(shelter, 'sub-kim', { preferred_username: 'kim' });
    const kim = browser();
    await signIn(kim);
    const started = await kim.call('POST', 'account/passkeys/options', {});
    const { step, options } = JSON.parse(started.text) as { step: string; options: CreationOptions };
    const credential = new Authenticator(`https://${HOST}`).create(options);
    const added = await kim.call('POST', 'account/passkeys', { step, name: 'Phone', credential });
    const { passkey } = JSON.parse(added.text) as { passkey: { id: string } };
    const [{ id } = {}] = await listed(kim);
    assert.equal((await kim.call('DELETE', `account/providers/${String(id)}`)).status, 200);
    assert.equal((await kim.call('DELETE', `account/passkeys/${passkey.id}`)).status, 409);
    assert.equal((await accountOf(kim))['invitation'], undefined);
    await kim.open(await begin(kim, 'shelter'), isOwnPage);
    assert.equal((await kim.call('DELETE', `account/passkeys/${passkey.id}`)).status, 200);
  });

  void it('an account without a password gets one after a recent proof; with one, the old password is needed', async () => {
    personOf(shelter, 'sub-ria', { preferred_username: 'ria' });
    const ria = browser();
    await signIn(ria);
    const account = async () => JSON.parse((await ria.call('GET', 'account')).text) as { hasNoPassword?: boolean };
    const set = (body: object) => ria.call('POST', 'account/password', body);
    const newPassword = 'ria has a long password now';
    assert.equal((await account()).hasNoPassword, true);
    assert.equal((await set({ oldPassword: '', newPassword })).status, 400);
    assert.equal((await set({ oldPassword: newPassword, newPassword })).status, 400);
    assert.equal((await set({ newPassword: 'short' })).status, 400);
    nowMs += 16 * 60_000;
    const refused = await set({ newPassword });
    assert.equal(refused.status, 403);
    assert.equal(refused.headers.get('x-proof-required'), 'provider');
    await signIn(ria);
    assert.equal((await set({ newPassword })).status, 200);
    assert.equal((await account()).hasNoPassword, undefined);
    await logIn(call, 'ria', newPassword);
    const { status, text } = await set({ newPassword: 'another one of ria, also long' });
    assert.equal(status, 400, text);
    assert.match(text, /"path":"\/oldPassword","message":"is missing"/);
  });

  void it('administrators see and unlink the logins of users, also the last way in, after a recent proof', async () => {
    personOf(shelter, 'sub-una', { preferred_username: 'una' });
    const una = browser();
    await signIn(una);
    const headers = bearer(await logIn(call, 'root'));
    const { text } = await call('GET', 'admin/users/una/providers', { headers });
    const [{ id, name } = { id: '', name: '' }] = JSON.parse(text) as { id: string; name: string }[];
    assert.equal(name, 'una');
    nowMs += 16 * 60_000;
    assert.equal((await call('DELETE', `admin/users/una/providers/${id}`, { headers })).status, 403);
    const fresh = bearer(await logIn(call, 'root'));
    assert.equal((await call('DELETE', `admin/users/una/providers/${id}`, { headers: fresh })).status, 200);
    assert.equal((await una.call('GET', 'account')).status, 401, 'the session has ended');
    assert.equal((await call('GET', 'admin/users/una/providers', { headers })).text, '[]');
    assert.equal((await call('DELETE', `admin/users/una/providers/${id}`, { headers: fresh })).status, 404);
  });

  void it('a login of another account is not linked', async () => {
    personOf(shelter, 'sub-zoe', { preferred_username: 'zoe' });
    await signIn(browser());
    const otto = await linkedBrowser('otto');
    assert.equal((await otto.open(await begin(otto, 'shelter'), isOwnPage)).status, 409);
    assert.deepEqual(await listed(otto), []);
  });

  void it('requires a recent login, and the session that began it', async () => {
    personOf(club, 'sub-otto', {});
    const otto = await linkedBrowser('otto');
    const page = await begin(otto, 'club');
    await otto.call('GET', 'user/logout');
    assert.equal((await otto.open(page, isOwnPage)).status, 401);
    const vera = await linkedBrowser('vera');
    nowMs += 16 * 60_000;
    assert.equal((await vera.call('POST', 'account/providers', { provider: 'club' })).status, 403);
  });
});

void describe('--no-password-login', () => {
  void it('a right password of such a role is refused like a wrong one', async () => {
    const refused = await call('POST', 'user/login', { json: { username: 'edna', password: PASSWORDS['edna'] } });
    const wrong = await call('POST', 'user/login', { json: { username: 'edna', password: 'wrong' } });
    assert.deepEqual([refused.status, refused.text], [wrong.status, wrong.text]);
    assert.equal(refused.status, 400);
  });

  void it('the password of such a role proves nothing in a session, and is not confirmed', async () => {
    personOf(shelter, 'sub-ida', { preferred_username: 'ida', realm_access: { roles: ['menagerie-editors'] } });
    const ida = browser();
    await signIn(ida);
    const password = 'ida has a long password now';
    assert.equal((await ida.call('PUT', 'user/ida', { username: 'ida', password })).status, 200);
    nowMs += 16 * 60_000;
    const needed = await ida.call('POST', 'account/factors/totp', {});
    assert.equal(needed.status, 403);
    assert.doesNotMatch(needed.headers.get('x-proof-required') ?? '', /password/);
    const right = await ida.call('POST', 'account/proof', { password });
    const wrong = await ida.call('POST', 'account/proof', { password: 'wrong' });
    assert.deepEqual([right.status, right.text], [400, wrong.text]);
    const key = { name: 'x', scopes: ['read:pets'], password };
    assert.equal((await ida.call('POST', 'account/keys', key)).status, 403);
  });

  void it('no password can be set for such a role', async () => {
    personOf(shelter, 'sub-ina', { preferred_username: 'ina', realm_access: { roles: ['menagerie-editors'] } });
    const ina = browser();
    await signIn(ina);
    const account = JSON.parse((await ina.call('GET', 'account')).text) as object;
    assert.partialDeepStrictEqual(account, { hasNoPassword: true, hasNoPasswordLogin: true });
    const refused = await ina.call('POST', 'account/password', { newPassword: 'ina has a long password now' });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /does not log in with a password/);
    assert.equal(refused.headers.get('x-proof-required'), null);
  });
});
