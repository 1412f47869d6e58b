import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { assertResponse, assertRefused, successText, type HttpResponse } from '../support/client.ts';
import { rawExchange } from '../support/raw-http.ts';
import { bearer, createKey, logIn, startSecuredService } from '../support/secured.ts';

/* Operations of users on their own account: password, sessions, keys. */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
const START_MS = Date.UTC(2026, 4, 4, 8);

let nowMs = START_MS;
const service = await startSecuredService({ after }, { clock: () => nowMs });
const { call } = service;

const PASSWORD = 'old oaks over oily oceans';
const NEW_PASSWORD = 'new newts nibble nine nuts';

interface SessionView {
  id: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
  address: string;
  userAgent?: string;
  current: boolean;
}

interface KeyView {
  id: string;
  key?: string;
  name: string;
  scopes: string[];
  createdAt: string;
  expiresAt: string;
  lastUsedAt?: string;
}

let rootToken = '';

let rootSinceMs = 0;

/** With a recent login, which sensitive changes need. */
async function asRoot(): Promise<Readonly<Record<string, string>>> {
  if (nowMs - rootSinceMs > 15 * MINUTE_MS || !(await isAlive(rootToken))) {
    rootToken = await logIn(call, 'root');
    rootSinceMs = nowMs;
  }
  return bearer(rootToken);
}

let userCount = 0;

/** Creates a user, and logs in. */
async function newUser(role?: 'editor'): Promise<{ username: string; token: string }> {
  const username = `person-${++userCount}`;
  await read(call('POST', 'user', { json: { username, password: PASSWORD } }));
  if (role !== undefined) {
    await read(call('PUT', `admin/users/${username}/role`, { headers: await asRoot(), json: { role } }));
  }
  return { username, token: await logIn(call, username, PASSWORD) };
}

async function read<T>(response: Promise<HttpResponse>): Promise<T> {
  const { status, text } = await response;
  assert.equal(status, 200, text);
  return JSON.parse(text) as T;
}

function sessionsOf(token: string): Promise<SessionView[]> {
  return read(call('GET', 'account/sessions', { headers: bearer(token) }));
}

function keysOf(token: string): Promise<KeyView[]> {
  return read(call('GET', 'account/keys', { headers: bearer(token) }));
}

async function isAlive(token: string): Promise<boolean> {
  const { status } = await call('GET', 'account', { headers: bearer(token) });
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
}

async function canLogIn(username: string, password: string): Promise<boolean> {
  const { status } = await call('POST', 'user/login', { json: { username, password } });
  assert.ok(status === 200 || status === 400, String(status));
  return status === 200;
}

function changePassword(token: string, oldPassword: unknown, newPassword: unknown, other = {}): Promise<HttpResponse> {
  return call('POST', 'account/password', { headers: bearer(token), json: { oldPassword, newPassword, ...other } });
}

/** Whether the key may still change pets. */
async function works(key: string): Promise<boolean> {
  const { status } = await call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } });
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
}

interface AuditView {
  action: string;
  outcome: string;
  via: string;
  actor: { name: string } | null;
  subject: { kind: string; id: string; name: string } | null;
  details: Record<string, string> | null;
}

/** The latest audit entries, newest first. */
async function latestEntries(count: number): Promise<AuditView[]> {
  const headers = await asRoot();
  return read(call('GET', `admin/audit?limit=${count}`, { headers }));
}

void describe('own account', () => {
  void it('has the role and the fields in order, without the password', async () => {
    const json = {
      id: 5005,
      username: 'Ada',
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.org',
      phone: '+44 1',
      userStatus: 1,
      password: PASSWORD,
    };
    await read(call('POST', 'user', { json }));
    const response = await call('GET', 'account', { headers: bearer(await logIn(call, 'ada', PASSWORD)) });
    const text =
      '{"id":5005,"username":"Ada","firstName":"Ada","lastName":"Lovelace","email":"ada@example.org","phone":"+44 ' +
      '1","userStatus":1,"role":"viewer","accountId":';
    assert.equal(response.status, 200);
    assert.ok(response.text.startsWith(text), response.text);
    assert.match(response.text.slice(text.length), /^\d{1,3}\}$/, 'expected a small id, not the one that was sent');
    assert.equal(response.headers.get('cache-control'), 'no-store');
  });

  void it('has an exact id, and no absent fields', async () => {
    await read(call('POST', 'user', { json: { id: '9223372036854775807', username: 'Max', password: PASSWORD } }));
    const headers = bearer(await logIn(call, 'max', PASSWORD));
    const { text } = await call('GET', 'account', { headers });
    assert.match(text, /^\{"id":9223372036854775807,"username":"Max","role":"viewer","accountId":\d+\}$/);
  });

  for (const username of [
    'me',
    'account',
    'admin',
    'users',
    'sessions',
    'keys',
    'password-reset',
    'audit',
    '__proto__',
  ]) {
    void it(`may be called ${username}, and is reached by that name`, async () => {
      await read(call('POST', 'user', { json: { username, password: PASSWORD } }));
      const headers = bearer(await logIn(call, username, PASSWORD));
      const account = await read<Record<string, unknown>>(call('GET', 'account', { headers }));
      const { role, accountId: _accountId, ...user } = account;
      assert.deepEqual([user['username'], role], [username, 'viewer']);
      assert.deepEqual(await read(call('GET', `user/${username}`, { headers })), user);
      const seen = await read(call('GET', `admin/users/${username}`, { headers: await asRoot() }));
      assert.deepEqual(seen, account);
      assertRefused(await call('GET', 'admin/users', { headers }), 403);
      assertRefused(await call('GET', 'user/vera', { headers }), 403);
      assertResponse(await call('DELETE', `user/${username}`, { headers }), 200, successText(username));
      assertRefused(await call('GET', 'account', { headers }), 401);
    });
  }
});

void describe('password change', () => {
  void it('ends the other sessions, and invalidates the old password', async () => {
    const { username, token } = await newUser();
    const [second, third] = [await logIn(call, username, PASSWORD), await logIn(call, username, PASSWORD)];
    const other = await newUser();
    assertResponse(await changePassword(token, PASSWORD, NEW_PASSWORD), 200, successText('ok'));
    assert.deepEqual(await Promise.all([token, second, third, other.token].map(isAlive)), [true, false, false, true]);
    assert.equal(await canLogIn(username, PASSWORD), false);
    assert.equal(await canLogIn(username, NEW_PASSWORD), true);
    assert.equal(await canLogIn(other.username, PASSWORD), true);
  });

  for (const other of [{}, { revokeKeys: true }, { revokeKeys: null }]) {
    void it(`revokes the keys of the account only: ${JSON.stringify(other)}`, async () => {
      const [one, otherUser] = [await newUser('editor'), await newUser('editor')];
      const keys = [await createKey(call, one.token, ['write:pets']), await createKey(call, one.token, ['write:pets'])];
      const kept = await createKey(call, otherUser.token, ['write:pets']);
      for (const { key } of keys) assert.ok(await works(key));
      await read(changePassword(one.token, PASSWORD, NEW_PASSWORD, other));
      for (const { key } of keys) assert.equal(await works(key), false);
      assert.ok(await works(kept.key));
      assert.deepEqual(await keysOf(one.token), []);
      assert.ok(await works((await createKey(call, one.token, ['write:pets'])).key), 'a new key works');
    });
  }

  void it('lists the revoked keys in the audit log', async () => {
    const { username, token } = await newUser();
    const { id } = await createKey(call, token, ['read:pets'], { name: 'Feeder' });
    await asRoot();
    await read(changePassword(token, PASSWORD, NEW_PASSWORD));
    const [revoked, changed] = await latestEntries(2);
    assert.deepEqual([changed?.action, changed?.subject?.name], ['account.password-changed', username]);
    assert.deepEqual(
      [revoked?.action, revoked?.outcome, revoked?.via, revoked?.actor?.name],
      ['key.revoked', 'done', 'session', username],
    );
    assert.deepEqual(revoked?.subject, { kind: 'key', id, name: 'Feeder' });
    assert.deepEqual(revoked?.details, { account: username });
  });

  void it('keeps the keys on request', async () => {
    const { token } = await newUser('editor');
    const { key } = await createKey(call, token, ['write:pets']);
    await read(changePassword(token, PASSWORD, NEW_PASSWORD, { revokeKeys: false }));
    assert.ok(await works(key));
    assert.equal((await keysOf(token)).length, 1);
  });

  void it('refused: revokes no key', async () => {
    const { token } = await newUser('editor');
    const { key } = await createKey(call, token, ['write:pets']);
    assertRefused(await changePassword(token, 'wrong', NEW_PASSWORD), 400);
    assertRefused(await changePassword(token, PASSWORD, 'short'), 400);
    for (const revokeKeys of ['true', 'false', 0, 1, '', [], {}]) {
      const { errors } = assertRefused(await changePassword(token, PASSWORD, NEW_PASSWORD, { revokeKeys }), 400);
      assert.deepEqual(errors, [{ path: '/revokeKeys', message: 'must be true or false' }]);
    }
    assert.ok(await works(key));
  });

  void it('works at any time after the login', async () => {
    const { token } = await newUser();
    nowMs += 20 * 3_600_000;
    await read(changePassword(token, PASSWORD, NEW_PASSWORD));
    assert.ok(await isAlive(token));
  });

  void it('requires the old password', async () => {
    const { username, token } = await newUser();
    const other = await logIn(call, username, PASSWORD);
    for (const wrong of ['', 'wrong', PASSWORD.toUpperCase(), `${PASSWORD} `, NEW_PASSWORD]) {
      const { errors } = assertRefused(await changePassword(token, wrong, NEW_PASSWORD), 400, wrong);
      assert.deepEqual(errors, [{ path: '/oldPassword', message: 'is wrong' }]);
    }
    assert.deepEqual(await Promise.all([token, other].map(isAlive)), [true, true]);
    assert.equal(await canLogIn(username, NEW_PASSWORD), false);
    assert.equal(await canLogIn(username, PASSWORD), true);
  });

  void it('is throttled after repeated wrong old passwords', async () => {
    const { username, token } = await newUser();
    for (let count = 0; count < 10; count++)
      assertRefused(await changePassword(token, `wrong ${count}`, NEW_PASSWORD), 400);
    const response = await changePassword(token, PASSWORD, NEW_PASSWORD);
    assertRefused(response, 429);
    assert.equal(response.headers.get('retry-after'), '1');
    nowMs += 1000;
    await read(changePassword(token, PASSWORD, NEW_PASSWORD));
    assert.equal(await canLogIn(username, NEW_PASSWORD), true);
  });

  void it('requires a new password that is long and not guessable', async () => {
    const { username, token } = await newUser();
    const weak = [
      '',
      'short',
      '14 characters!',
      'aaaaaaaaaaaaaaaaaaaa',
      'passwordpassword',
      'PasswordPassword',
      '123123123123123123',
    ];
    for (const password of [...weak, `${username}${username}`, '🔑'.repeat(14)]) {
      const response = await changePassword(token, PASSWORD, password);
      const { errors } = assertRefused(response, 400, password);
      assert.equal(errors?.[0]?.path, '/newPassword', password);
      assert.ok(password === '' || !response.text.includes(password), 'the password must not be repeated');
    }
    assert.equal(await canLogIn(username, PASSWORD), true);
    await read(changePassword(token, PASSWORD, 'fifteen letters'));
    await read(changePassword(token, 'fifteen letters', 'spaces and ünïcödë 🔑🔑'));
    assert.equal(await canLogIn(username, 'spaces and ünïcödë 🔑🔑'), true);
  });

  void it('refuses passwords that are not text, or too long to be hashed', async () => {
    const { username, token } = await newUser();
    const wrong: unknown[] = [
      null,
      undefined,
      5,
      true,
      ['x'],
      { length: 20 },
      'x'.repeat(1025),
      `lone surrogate \ud800 here`,
      'a\u0000 in the midst of it',
    ];
    for (const value of wrong) {
      assertRefused(await changePassword(token, PASSWORD, value), 400, JSON.stringify(value)?.slice(0, 40));
      assertRefused(await changePassword(token, value, NEW_PASSWORD), 400, JSON.stringify(value)?.slice(0, 40));
    }
    const longest = `${'abcdefghij'.repeat(102)}klmn`;
    await read(changePassword(token, PASSWORD, longest));
    assert.equal(await canLogIn(username, longest), true);
    assert.equal(await canLogIn(username, longest.slice(0, -1)), false, 'the password must not be truncated');
  });

  void it('concurrent requests with the same old password: one succeeds', async () => {
    const { username, token } = await newUser();
    const second = await logIn(call, username, PASSWORD);
    const passwords = ['first of two new passwords', 'second of two new passwords', 'third of two new passwords'];
    const responses = await Promise.all(
      passwords.map((password, index) => changePassword(index === 1 ? second : token, PASSWORD, password)),
    );
    const winners = passwords.filter((_password, index) => responses[index]?.status === 200);
    assert.equal(winners.length, 1, responses.map(({ status }) => status).join());
    for (const { status, text } of responses) assert.ok([200, 400, 401, 409].includes(status), text);
    for (const password of [PASSWORD, ...passwords])
      assert.equal(await canLogIn(username, password), winners.includes(password), password);
  });
});

void describe('password in a profile', () => {
  void it('is accepted for fifteen minutes after the login', async () => {
    for (const ageMs of [0, 15 * MINUTE_MS]) {
      const { username, token } = await newUser();
      const other = await logIn(call, username, PASSWORD);
      nowMs += ageMs;
      await read(
        call('PUT', `user/${username}`, { headers: bearer(token), json: { username, password: NEW_PASSWORD } }),
      );
      assert.deepEqual(await Promise.all([token, other].map(isAlive)), [true, false]);
      assert.deepEqual([await canLogIn(username, PASSWORD), await canLogIn(username, NEW_PASSWORD)], [false, true]);
    }
  });

  void it('is refused later, with the whole profile', async () => {
    const { username, token } = await newUser();
    const headers = bearer(token);
    nowMs += 15 * MINUTE_MS + 1;
    const json = { username: `${username}-renamed`, firstName: 'Thief', password: NEW_PASSWORD };
    const { message } = assertRefused(await call('PUT', `user/${username}`, { headers, json }), 403);
    assert.match(message, /log in again/i);
    const account = await read<Record<string, unknown>>(call('GET', 'account', { headers }));
    assert.deepEqual([account['username'], account['firstName']], [username, undefined]);
    assert.equal(await canLogIn(username, NEW_PASSWORD), false);
    // Use of the session does not extend that time.
    assertRefused(await call('PUT', `user/${username}`, { headers, json: { password: PASSWORD } }), 403);
    await read(call('PUT', `user/${username}`, { headers, json: { firstName: 'Owner' } }));
    await read(call('PUT', `user/${username}`, { headers, json: { firstName: 'Owner', password: '' } }));
    const again = bearer(await logIn(call, username, PASSWORD));
    await read(call('PUT', `user/${username}`, { headers: again, json: { password: NEW_PASSWORD } }));
    assert.equal(await canLogIn(username, NEW_PASSWORD), true);
  });

  void it('may be set by an administrator for another user, whose sessions all end', async () => {
    const { username, token } = await newUser();
    await asRoot();
    nowMs += 60 * MINUTE_MS;
    await read(call('PUT', `user/${username}`, { headers: await asRoot(), json: { password: NEW_PASSWORD } }));
    assert.equal(await isAlive(token), false);
    assert.equal(await canLogIn(username, NEW_PASSWORD), true);
  });

  void it('revokes the keys of the account, set by anyone; a profile without a password does not', async () => {
    const { username, token } = await newUser('editor');
    for (const set of ['by its owner', 'by an administrator']) {
      const { key } = await createKey(call, await logIn(call, username, PASSWORD), ['write:pets']);
      const headers = set === 'by its owner' ? bearer(await logIn(call, username, PASSWORD)) : await asRoot();
      for (const json of [{ firstName: 'A' }, { firstName: 'B', password: '' }, { firstName: 'C', password: null }])
        await read(call('PUT', `user/${username}`, { headers, json }));
      assert.ok(await works(key), set);
      await read(call('PUT', `user/${username}`, { headers, json: { password: PASSWORD } }));
      assert.equal(await works(key), false, set);
      const [revoked] = await latestEntries(1);
      assert.deepEqual([revoked?.action, revoked?.details], ['key.revoked', { account: username }], set);
    }
    assert.equal(await isAlive(token), false);
  });

  void it('is refused if it is guessable', async () => {
    const { username, token } = await newUser();
    for (const password of ['short', 'passwordpassword', 'a'.repeat(20)]) {
      const response = await call('PUT', `user/${username}`, {
        headers: bearer(token),
        json: { firstName: 'X', password },
      });
      assert.equal(assertRefused(response, 400).errors?.[0]?.path, '/password');
      assertRefused(await call('POST', 'user', { json: { username: 'weak', password } }), 400);
    }
    assert.equal(
      (await read<Record<string, unknown>>(call('GET', 'account', { headers: bearer(token) })))['firstName'],
      undefined,
    );
  });
});

async function issueLink(username: string): Promise<string> {
  const headers = await asRoot();
  return (await read<{ token: string }>(call('POST', `admin/users/${username}/reset-link`, { headers }))).token;
}

void describe('reset link', () => {
  void it('revokes the keys of the account when it is used, not when it is issued', async () => {
    const { username, token } = await newUser('editor');
    const { key, id } = await createKey(call, token, ['write:pets']);
    const link = await issueLink(username);
    assertRefused(await call('POST', 'password-reset', { json: { token: link, newPassword: 'short' } }), 400);
    assert.ok(await works(key));
    await read(call('POST', 'password-reset', { json: { token: link, newPassword: NEW_PASSWORD } }));
    assert.equal(await works(key), false);
    const [revoked, reset] = await latestEntries(2);
    assert.deepEqual([reset?.action, revoked?.action], ['account.password-reset', 'key.revoked']);
    assert.deepEqual([revoked?.via, revoked?.subject?.id, revoked?.details], ['reset-link', id, { account: username }]);
    assert.deepEqual(await keysOf(await logIn(call, username, NEW_PASSWORD)), []);
  });
});

function askForKey(token: string, password?: unknown): Promise<HttpResponse> {
  return call('POST', 'account/keys', { headers: bearer(token), json: { name: 'x', scopes: ['read:pets'], password } });
}

void describe('creation of a key', () => {
  const OLD_MS = 15 * MINUTE_MS + 1;

  void it('requires no password for fifteen minutes after the login', async () => {
    const { token } = await newUser();
    await read(askForKey(token));
    nowMs += 15 * MINUTE_MS;
    await read(askForKey(token));
    await read(askForKey(token, null));
    await read(askForKey(token, 'not looked at'));
    assert.equal((await keysOf(token)).length, 4);
  });

  void it('requires the password later', async () => {
    const { username, token } = await newUser();
    nowMs += OLD_MS;
    for (const missing of [undefined, null]) {
      const { message, errors } = assertRefused(await askForKey(token, missing), 403);
      assert.match(message, /send your password.*or log in again/);
      assert.deepEqual(errors, [{ path: '/password', message: 'is missing' }]);
    }
    for (const wrong of ['', 'not mine', PASSWORD.toUpperCase(), NEW_PASSWORD]) {
      const response = await askForKey(token, wrong);
      const { errors } = assertRefused(response, 403, wrong);
      assert.deepEqual(errors, [{ path: '/password', message: 'is wrong' }]);
      assert.ok(wrong === '' || !response.text.includes(wrong), 'the password must not be repeated');
    }
    assert.deepEqual(await keysOf(token), []);
    await read(askForKey(token, PASSWORD));
    assertRefused(await askForKey(token), 403, 'the password must be sent for each key');
    await read(askForKey(await logIn(call, username, PASSWORD)));
    assert.equal((await keysOf(token)).length, 2);
  });

  void it('refuses passwords that are not text, or too long to be hashed', async () => {
    const { token } = await newUser();
    nowMs += OLD_MS;
    for (const password of [5, true, ['x'], {}, 'x'.repeat(1025), 'a\u0000'])
      assert.equal(assertRefused(await askForKey(token, password), 400).errors?.[0]?.path, '/password');
  });

  void it('throttles wrong passwords like failed logins, and records them in the audit log', async () => {
    const { username, token } = await newUser();
    nowMs += OLD_MS;
    await asRoot();
    for (let count = 0; count < 10; count++) assertRefused(await askForKey(token, `wrong ${count}`), 403);
    const [failed] = await latestEntries(1);
    assert.deepEqual(
      [failed?.action, failed?.outcome, failed?.subject?.kind, failed?.subject?.name, failed?.details],
      ['key.created', 'failed', 'account', username, null],
    );
    const response = await askForKey(token, PASSWORD);
    assertRefused(response, 429);
    assert.equal(response.headers.get('retry-after'), '1');
    assertRefused(await call('POST', 'user/login', { json: { username, password: PASSWORD } }), 429);
    assertRefused(await askForKey(token), 403, 'a missing password must not count as a failure');
    nowMs += 1000;
    await read(askForKey(token, PASSWORD));
  });

  void it('in open access: requires no password, because any session may set one there', async (t) => {
    const open = await startSecuredService(t, { clock: () => nowMs, flags: ['--access', 'open'] });
    const token = await logIn(open.call, 'vera');
    nowMs += OLD_MS;
    await createKey(open.call, token, ['read:pets']);
  });
});

void describe('sessions of an account', () => {
  void it('are listed with time, address and client, newest first', async () => {
    const { username, token } = await newUser();
    const beganMs = nowMs;
    nowMs += MINUTE_MS;
    const login = await call('POST', 'user/login', {
      json: { username, password: PASSWORD },
      headers: { 'user-agent': 'Test/1.0 (a browser)', 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' },
    });
    const second = /session:([\w-]{43})/.exec(login.text)?.[1] ?? assert.fail(login.text);
    const response = await call('GET', 'account/sessions', { headers: bearer(second) });
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const [newest, oldest, ...others] = JSON.parse(response.text) as SessionView[];
    assert.deepEqual(others, []);
    assert.deepEqual(Object.keys(newest ?? {}), [
      'id',
      'createdAt',
      'lastUsedAt',
      'expiresAt',
      'address',
      'userAgent',
      'current',
    ]);
    const { id, ...rest } = newest ?? assert.fail();
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.deepEqual(rest, {
      createdAt: new Date(beganMs + MINUTE_MS).toISOString(),
      lastUsedAt: new Date(beganMs + MINUTE_MS).toISOString(),
      expiresAt: new Date(beganMs + MINUTE_MS + DAY_MS).toISOString(),
      address: '127.0.0.1',
      userAgent: 'Test/1.0 (a browser)',
      current: true,
    });
    assert.deepEqual([oldest?.createdAt, oldest?.current], [new Date(beganMs).toISOString(), false]);
    assert.deepEqual(
      (await sessionsOf(token)).map(({ current }) => current),
      [false, true],
    );
    for (const secret of [token, second]) assert.ok(!response.text.includes(secret), 'tokens must not be shown');
  });

  void it('show the time of their last use', async () => {
    const { token } = await newUser();
    nowMs += 10 * 3_600_000;
    const [session] = await sessionsOf(token);
    assert.equal(session?.lastUsedAt, new Date(nowMs).toISOString());
    assert.equal(session?.expiresAt, new Date(nowMs + DAY_MS).toISOString());
  });

  void it('are no longer listed after they expire', async () => {
    const { username } = await newUser();
    nowMs += DAY_MS;
    assert.equal((await sessionsOf(await logIn(call, username, PASSWORD))).length, 1);
  });

  void it('show client names without characters that a terminal or a page could interpret', async () => {
    const { username } = await newUser();
    const body = JSON.stringify({ username, password: PASSWORD });
    const sent = `Caf\xe9\t\x9b31mred\xff <b>${'x'.repeat(300)}`;
    const { text } = await rawExchange(
      service.origin,
      `POST /v2/user/login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nUser-Agent: ${sent}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const token = /session:([\w-]{43})/.exec(text)?.[1] ?? assert.fail(text);
    const userAgent = (await sessionsOf(token)).find(({ current }) => current)?.userAgent ?? '';
    assert.equal(userAgent, `Caf31mred <b>${'x'.repeat(300)}`.slice(0, 200));
  });

  void it('may come from a client without a name', async () => {
    const { username } = await newUser();
    const body = JSON.stringify({ username, password: PASSWORD });
    const { text } = await rawExchange(
      service.origin,
      `POST /v2/user/login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const token = /session:([\w-]{43})/.exec(text)?.[1] ?? assert.fail(text);
    const session = (await sessionsOf(token)).find(({ current }) => current) ?? assert.fail();
    assert.equal('userAgent' in session, false);
  });

  void it('are ended individually, immediately', async () => {
    const { username, token } = await newUser();
    const second = await logIn(call, username, PASSWORD);
    const id = (await sessionsOf(second)).find(({ current }) => current)?.id ?? '';
    assertResponse(await call('DELETE', `account/sessions/${id}`, { headers: bearer(token) }), 200, successText(id));
    assert.deepEqual(await Promise.all([token, second].map(isAlive)), [true, false]);
    assertRefused(await call('DELETE', `account/sessions/${id}`, { headers: bearer(token) }), 404);
    const [own] = await sessionsOf(token);
    await read(call('DELETE', `account/sessions/${own?.id}`, { headers: bearer(token) }));
    assert.equal(await isAlive(token), false, 'one’s own as well');
  });

  void it('of other users cannot be ended', async () => {
    const [one, other] = [await newUser(), await newUser()];
    const [session] = await sessionsOf(one.token);
    await asRoot();
    for (const token of [other.token, rootToken])
      assertRefused(await call('DELETE', `account/sessions/${session?.id}`, { headers: bearer(token) }), 404);
    for (const id of [one.token, 'A'.repeat(16), '%', '0', `${session?.id} `.replace(' ', '%20')])
      assert.notEqual((await call('DELETE', `account/sessions/${id}`, { headers: bearer(other.token) })).status, 200);
    assert.ok(await isAlive(one.token));
  });

  void it('are all ended except the requesting one', async () => {
    const { username, token } = await newUser();
    const others = [await logIn(call, username, PASSWORD), await logIn(call, username, PASSWORD)];
    const otherUser = await newUser();
    assertResponse(await call('DELETE', 'account/sessions', { headers: bearer(token) }), 200, successText('ok'));
    assert.deepEqual(await Promise.all([token, ...others, otherUser.token].map(isAlive)), [true, false, false, true]);
    assert.equal((await sessionsOf(token)).length, 1);
    assertResponse(await call('DELETE', 'account/sessions', { headers: bearer(token) }), 200, successText('ok'));
  });

  void it('are replaced by the next login of the same browser', async () => {
    const { username, token } = await newUser();
    const json = { username, password: PASSWORD };
    await read(call('POST', 'user/login', { json, headers: { cookie: `menagerie_session=${token}` } }));
    assert.equal(await isAlive(token), false);
    const kept = await logIn(call, username, PASSWORD);
    const wrong = { json: { ...json, password: 'wrong' }, headers: { cookie: `menagerie_session=${kept}` } };
    assertRefused(await call('POST', 'user/login', wrong), 400);
    assert.ok(await isAlive(kept), 'a failed login must not end it');
  });
});

void describe('keys of an account', () => {
  void it('are shown once', async () => {
    const { token } = await newUser();
    const json = { name: 'Nightly import 🌙', scopes: ['write:pets', 'read:pets'], expiresInDays: 30 };
    const response = await call('POST', 'account/keys', { headers: bearer(token), json });
    const created = JSON.parse(response.text) as KeyView;
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.deepEqual(Object.keys(created), ['key', 'id', 'name', 'scopes', 'createdAt', 'expiresAt']);
    const { key = '', ...rest } = created;
    assert.match(key, /^mgk_[\w-]{43}$/);
    assert.match(rest.id, /^[0-9a-f]{24}$/);
    assert.deepEqual(rest, {
      id: rest.id,
      name: json.name,
      scopes: json.scopes,
      createdAt: new Date(nowMs).toISOString(),
      expiresAt: new Date(nowMs + 30 * DAY_MS).toISOString(),
    });
    const list = await call('GET', 'account/keys', { headers: bearer(token) });
    assert.deepEqual(JSON.parse(list.text), [rest]);
    assert.ok(!list.text.includes(key.slice(4)) && !list.text.includes('mgk_'));
  });

  void it('are listed for their owner only, newest first', async () => {
    const [one, other] = [await newUser(), await newUser()];
    for (const name of ['first', 'second', 'third']) {
      await createKey(call, one.token, ['read:pets'], { name });
      nowMs += 1000;
    }
    assert.deepEqual(
      (await keysOf(one.token)).map(({ name }) => name),
      ['third', 'second', 'first'],
    );
    assert.deepEqual(await keysOf(other.token), []);
  });

  const wrongKeys: [path: string, json: unknown][] = [
    ['', null],
    ['', []],
    ['', 'key'],
    ['/name', { scopes: ['read:pets'] }],
    ...[null, '', ' ', '\t', 5, true, ['x'], {}, 'x'.repeat(101), '🔑'.repeat(101), 'a\u0000', '\ud800'].map(
      (name): [string, unknown] => ['/name', { name, scopes: ['read:pets'] }],
    ),
    ...['a\nb', 'red \u001b[31malert', 'a\u007f', 'a\u009b31m', 'line\u2028break', 'x\r'].map(
      (name): [string, unknown] => ['/name', { name, scopes: ['read:pets'] }],
    ),
    ['/scopes', { name: 'x' }],
    ...[null, [], 'read:pets', {}, ['read:pets', 'read:pets'], 5, true].map((scopes): [string, unknown] => [
      '/scopes',
      { name: 'x', scopes },
    ]),
    ...['admin', '*', 'READ:PETS', 'read:pets ', 'read:pets write:pets', '', null, 1, ['read:pets'], 'write:users'].map(
      (scope): [string, unknown] => ['/scopes', { name: 'x', scopes: ['read:pets', scope] }],
    ),
    ...[0, -1, 1.5, 3651, 1e9, 2 ** 53, '5', '', true, [], {}].map((expiresInDays): [string, unknown] => [
      '/expiresInDays',
      { name: 'x', scopes: ['read:pets'], expiresInDays },
    ]),
  ];
  void it('are refused with invalid fields', async (t) => {
    const { token } = await newUser();
    for (const [path, json] of wrongKeys) {
      await t.test(JSON.stringify(json).slice(0, 80), async () => {
        const before = await keysOf(token);
        const { errors } = assertRefused(await call('POST', 'account/keys', { headers: bearer(token), json }), 400);
        assert.ok(
          errors?.some((error) => error.path === path || error.path.startsWith(`${path}/`)),
          JSON.stringify(errors),
        );
        assert.deepEqual(await keysOf(token), before);
      });
    }
  });

  void it('have limits for name and lifetime, and a default lifetime', async () => {
    const { token } = await newUser();
    const cases: [fields: object, days: number][] = [
      [{ name: '🔑'.repeat(100), expiresInDays: 3650 }, 3650],
      [{ name: ' x ', expiresInDays: 1 }, 1],
      [{ name: 'usual' }, 90],
      [{ name: 'null', expiresInDays: null }, 90],
    ];
    for (const [fields, days] of cases) {
      const json = { scopes: ['read:pets'], ...fields };
      const created = await read<KeyView>(call('POST', 'account/keys', { headers: bearer(token), json }));
      assert.equal(created.expiresAt, new Date(nowMs + days * DAY_MS).toISOString());
    }
  });

  void it('are limited to their scopes, and may not use accounts', async () => {
    const { username, token } = await newUser('editor');
    const write = { api_key: (await createKey(call, token, ['write:pets'])).key };
    const readOnly = { api_key: (await createKey(call, token, ['read:pets'])).key };
    const pet = await read<{ id: number }>(call('POST', 'pet', { headers: write, json: { name: 'Rex' } }));
    assertRefused(await call('DELETE', `pet/${pet.id}`, { headers: readOnly }), 401);
    await read(call('DELETE', `pet/${pet.id}`, { headers: write }));
    for (const [method, path] of [
      ['GET', 'account'],
      ['GET', 'account/keys'],
      ['DELETE', 'account/sessions'],
      ['GET', `user/${username}`],
      ['DELETE', `user/${username}`],
    ] as const) {
      const { message } = assertRefused(await call(method, path, { headers: write }), 401, path);
      assert.match(message, /API keys are not allowed|This API key is not allowed/);
    }
  });

  void it('show the time of their last use, to the minute', async () => {
    const { token } = await newUser();
    const { key } = await createKey(call, token, ['read:pets']);
    const lastUse = async () => (await keysOf(token))[0]?.lastUsedAt;
    const use = () => call('GET', 'pet/findByStatus?status=sold', { headers: { api_key: key } });
    assert.equal(await lastUse(), undefined);
    nowMs += 5000;
    const usedMs = nowMs;
    await use();
    assert.equal(await lastUse(), new Date(usedMs).toISOString());
    nowMs += 30_000;
    await use();
    assert.equal(await lastUse(), new Date(usedMs).toISOString());
    nowMs += 31_000;
    await use();
    assert.equal(await lastUse(), new Date(usedMs + 61_000).toISOString());
  });

  void it('stop working when they expire, and are still listed', async () => {
    const { username, token } = await newUser('editor');
    const { key, id } = await createKey(call, token, ['write:pets'], { expiresInDays: 1 });
    const post = () => call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } });
    nowMs += DAY_MS - 1;
    assert.equal((await post()).status, 200);
    nowMs += 1;
    assertRefused(await post(), 401);
    const again = await logIn(call, username, PASSWORD);
    assert.deepEqual(
      (await keysOf(again)).map((shown) => shown.id),
      [id],
    );
  });

  void it('stop working immediately when they are revoked', async () => {
    const { token } = await newUser('editor');
    const [gone, kept] = [await createKey(call, token, ['write:pets']), await createKey(call, token, ['write:pets'])];
    const post = (key: string) => call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } });
    assert.deepEqual([(await post(gone.key)).status, (await post(kept.key)).status], [200, 200]);
    assertResponse(
      await call('DELETE', `account/keys/${gone.id}`, { headers: bearer(token) }),
      200,
      successText(gone.id),
    );
    assertRefused(await post(gone.key), 401);
    assert.equal((await post(kept.key)).status, 200);
    assertRefused(await call('DELETE', `account/keys/${gone.id}`, { headers: bearer(token) }), 404);
    assert.deepEqual(
      (await keysOf(token)).map(({ id }) => id),
      [kept.id],
    );
  });

  void it('of other users cannot be revoked', async () => {
    const [one, other] = [await newUser(), await newUser()];
    const { id, key } = await createKey(call, one.token, ['read:pets']);
    await asRoot();
    for (const token of [other.token, rootToken])
      assertRefused(await call('DELETE', `account/keys/${id}`, { headers: bearer(token) }), 404);
    // Neither the key itself nor its stored form serves as its id.
    assertRefused(await call('DELETE', `account/keys/${key}`, { headers: bearer(one.token) }), 404);
    assert.equal((await keysOf(one.token)).length, 1);
  });

  void it('are limited to a hundred, also for concurrent requests', async () => {
    const { token } = await newUser();
    const create = () =>
      call('POST', 'account/keys', { headers: bearer(token), json: { name: 'one of many', scopes: ['read:pets'] } });
    const responses = await Promise.all(Array.from({ length: 105 }, create));
    assert.equal(responses.filter(({ status }) => status === 200).length, 100);
    for (const response of responses.filter(({ status }) => status !== 200)) assertRefused(response, 409);
    const keys = await keysOf(token);
    assert.equal(keys.length, 100);
    assert.equal(new Set(keys.map(({ id }) => id)).size, 100);
    await read(call('DELETE', `account/keys/${keys[50]?.id}`, { headers: bearer(token) }));
    assert.equal((await create()).status, 200);
    assertRefused(await create(), 409);
    await createKey(call, (await newUser()).token, ['read:pets']);
  });

  void it('are deleted with the account, as are its sessions', async () => {
    const { username, token } = await newUser('editor');
    const { key } = await createKey(call, token, ['write:pets']);
    await read(call('DELETE', `user/${username}`, { headers: bearer(token) }));
    assert.equal(await isAlive(token), false);
    assertRefused(await call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } }), 401);
    await read(call('POST', 'user', { json: { username, password: PASSWORD } }));
    const next = await logIn(call, username, PASSWORD);
    assert.deepEqual(await keysOf(next), [], 'the next account of that name must not inherit them');
    assert.equal((await sessionsOf(next)).length, 1);
    assert.equal(await isAlive(token), false);
    assertRefused(await call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } }), 401);
  });
});

void test('rename: keeps the sessions and the keys', async () => {
  const { username, token } = await newUser('editor');
  const { key } = await createKey(call, token, ['write:pets']);
  const headers = bearer(token);
  await read(call('PUT', `user/${username}`, { headers, json: { username: 'Renamed' } }));
  assert.equal((await read<{ username: string }>(call('GET', 'account', { headers }))).username, 'Renamed');
  await read(call('GET', 'user/renamed', { headers }));
  assertRefused(await call('GET', `user/${username}`, { headers }), 403, 'the old name must be unknown');
  await read(call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } }));
  assert.equal(await canLogIn('renamed', PASSWORD), true);
  assert.equal(await canLogIn(username, PASSWORD), false);
});
