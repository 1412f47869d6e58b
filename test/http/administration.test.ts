import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it, test } from 'node:test';
import { STATUS_CODES } from 'node:http';
import {
  assertResponse,
  assertRefused,
  clientOf,
  errorText,
  successText,
  type HttpResponse,
} from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { skipOnNodes } from '../support/nodes.ts';
import { makePhoto } from '../support/photos.ts';
import { rawExchange } from '../support/raw-http.ts';
import { bearer, createKey, logIn, PASSWORDS, STAFF, startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/* Administration of other accounts, and the audit log. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let nowMs = Date.UTC(2026, 5, 6, 7);
const service = await startSecuredService({ after }, { clock: () => nowMs, flags: ['--session-idle-hours', '8760'] });
const { call } = service;

const PASSWORD = 'plain plums please plump pigeons';
const NEW_PASSWORD = 'many mild moles meet at midnight';

const tokens = { root: await logIn(call, 'root'), edna: await logIn(call, 'edna'), vera: await logIn(call, 'vera') };
const root = bearer(tokens.root);

interface AccountView {
  id: number;
  accountId: number;
  username: string;
  role: string;
  userStatus?: number;
}

interface AuditView {
  id: number;
  at: string;
  action: string;
  outcome: string;
  actor: { id: number | null; name: string } | null;
  via: string;
  credential: string | null;
  address: string | null;
  subject: { kind: string; id: string; name: string | null } | null;
  details: Record<string, string> | null;
}

async function read<T = unknown>(response: Promise<HttpResponse>): Promise<T> {
  const { status, text } = await response;
  assert.equal(status, 200, text);
  return JSON.parse(text) as T;
}

function admin(method: string, path: string, json?: unknown): Promise<HttpResponse> {
  return call(method, `admin/${path}`, { headers: root, ...(json !== undefined && { json }) });
}

let userCount = 0;

async function newUser(role?: string): Promise<{ username: string; token: string; headers: Record<string, string> }> {
  const username = `person-${++userCount}`;
  await read(call('POST', 'user', { headers: root, json: { username, password: PASSWORD } }));
  if (role !== undefined) await read(admin('PUT', `users/${username}/role`, { role }));
  const token = await logIn(call, username, PASSWORD);
  return { username, token, headers: { ...bearer(token) } };
}

async function isAlive(token: string): Promise<boolean> {
  const { status } = await call('GET', 'account', { headers: bearer(token) });
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
}

function tryLogIn(username: string, password: string): Promise<HttpResponse> {
  return call('POST', 'user/login', { json: { username, password } });
}

/** All pages of a list, following the Link headers. */
async function allPages<T>(path: string): Promise<T[][]> {
  const pages: T[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    assert.ok(pages.length < 1000, 'expected a last page');
    const response: HttpResponse = await call('GET', next, { headers: root });
    pages.push(await read<T[]>(Promise.resolve(response)));
    const link = response.headers.get('link');
    next = link === null ? undefined : (/^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? assert.fail(link));
  }
  return pages;
}

void describe('list of users', () => {
  void it('has every account once, in pages, by ascending account id', async () => {
    const users = Array.from({ length: 25 }, (_, index) => ({ username: `listed-${index}`, id: 9000 - 7 * index }));
    await read(call('POST', 'user/createWithList', { headers: root, json: users }));
    const whole = await read<AccountView[]>(admin('GET', 'users?limit=1000'));
    assert.ok(whole.length >= 29);
    for (const limit of [1, 4, 7, whole.length - 1, whole.length, whole.length + 1]) {
      const pages = await allPages<AccountView>(`admin/users?limit=${limit}`);
      assert.deepEqual(pages.flat(), whole, `limit ${limit}`);
      assert.equal(pages.length, Math.ceil(whole.length / limit), `limit ${limit}: no empty page at the end`);
    }
    const ids = whole.map(({ accountId }) => accountId);
    assert.deepEqual(
      ids,
      ids.toSorted((one, other) => one - other),
    );
    assert.deepEqual(await read(admin('GET', 'users')), whole, 'the default limit is 100');
  });

  void it('shows the same as to the owner, and no password', async () => {
    const response = await call('GET', 'admin/users', { headers: root });
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.doesNotMatch(response.text, /password|argon2|hash/i);
    const vera = (JSON.parse(response.text) as AccountView[]).find(({ username }) => username === 'vera');
    assert.deepEqual(vera, await read(call('GET', 'account', { headers: bearer(tokens.vera) })));
    assert.deepEqual(vera, await read(admin('GET', 'users/VERA')));
  });

  void it('filters by text, role and status, alone and together, on every page', async () => {
    const json = [
      { username: 'Zacharias', firstName: 'Ünal', lastName: 'Straße', email: 'z@zoo.example', userStatus: 77 },
      { username: 'zoë', firstName: 'Zo%', lastName: 'A_B', email: 'ZOE@zoo.example', userStatus: 77 },
      { username: 'zz-phone', phone: 'zoo.example', userStatus: 78 },
    ];
    await read(call('POST', 'user/createWithList', { headers: root, json }));
    await read(admin('PUT', 'users/zacharias/role', { role: 'editor' }));
    const cases: [query: Record<string, string>, names: string[]][] = [
      [{ text: 'zach' }, ['Zacharias']],
      [{ text: 'ZOO.EXAMPLE' }, ['Zacharias', 'zoë']],
      [{ text: 'ünal' }, ['Zacharias']],
      [{ text: 'ÜNAL' }, ['Zacharias']],
      [{ text: 'U\u0308NAL' }, ['Zacharias']],
      [{ text: 'ZOË' }, ['zoë']],
      [{ text: '%' }, ['zoë']],
      [{ text: 'a_b' }, ['zoë']],
      [{ text: "'" }, []],
      [{ text: 'no such text' }, []],
      [{ userStatus: '77' }, ['Zacharias', 'zoë']],
      [{ userStatus: '-5' }, []],
      [{ role: 'editor', userStatus: '77' }, ['Zacharias']],
      [{ role: 'viewer', text: 'zoo.example' }, ['zoë']],
      [{ role: 'admin' }, ['root']],
      [{ role: 'editor' }, ['edna', 'Zacharias']],
      [{ role: 'admin', text: 'zoo.example' }, []],
    ];
    for (const [query, names] of cases) {
      const search = new URLSearchParams(query).toString();
      const found = await read<AccountView[]>(admin('GET', `users?${search}`));
      assert.deepEqual(
        found.map(({ username }) => username),
        names,
        search,
      );
      const pages = await allPages<AccountView>(`admin/users?${search}&limit=1`);
      assert.deepEqual(pages.flat(), found, search);
    }
  });

  const badQueries = [
    'role=owner',
    'role=',
    'role=Admin',
    'role=admin&role=viewer',
    'text=',
    'text=a&text=b',
    'userStatus=',
    'userStatus=x',
    'userStatus=1.5',
    'userStatus=1e3',
    'userStatus=99999999999',
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=1.5',
    'limit=',
    'limit=1&limit=2',
    'cursor=',
    'cursor=nonsense',
    'cursor=aWQ6LTE',
    'cursor=aWQ6OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5',
  ];
  for (const query of badQueries) {
    void it(`refuses ${query}`, async () => {
      assertRefused(await admin('GET', `users?${query}`), 400);
    });
  }

  void it('operations on an unknown user: 404', async () => {
    for (const [method, path, json] of [
      ['GET', 'users/nobody'],
      ['PUT', 'users/nobody/role', { role: 'viewer' }],
      ['POST', 'users/nobody/close'],
      ['POST', 'users/nobody/reopen'],
      ['POST', 'users/nobody/reset-link'],
      ['GET', 'users/nobody/sessions'],
      ['DELETE', 'users/nobody/sessions'],
      ['GET', 'users/nobody/keys'],
    ] as const)
      assertResponse(await admin(method, path, json), 404, errorText('User not found'));
    assertRefused(await admin('DELETE', 'keys/nothing'), 404);
  });
});

void describe('role', () => {
  void it('applies from the next request of an existing session', async () => {
    const { username, headers } = await newUser();
    const add = async () => (await call('POST', 'pet', { headers, json: { name: 'Rex' } })).status;
    const list = async () => (await call('GET', 'admin/users?limit=1', { headers })).status;
    for (const [role, mayAdd, mayList] of [
      ['viewer', 403, 403],
      ['editor', 200, 403],
      ['admin', 200, 200],
      ['viewer', 403, 403],
      ['admin', 200, 200],
      ['editor', 200, 403],
    ] as const) {
      assertResponse(await admin('PUT', `users/${username.toUpperCase()}/role`, { role }), 200, successText(role));
      assert.deepEqual([await add(), await list()], [mayAdd, mayList], role);
      assert.equal((await read<AccountView>(call('GET', 'account', { headers }))).role, role);
    }
  });

  void it('can be given up by an administrator, and is lost immediately', async () => {
    const { username, headers } = await newUser('admin');
    await read(call('PUT', `admin/users/${username}/role`, { headers, json: { role: 'viewer' } }));
    assertRefused(await call('PUT', `admin/users/${username}/role`, { headers, json: { role: 'admin' } }), 403);
  });
});

void describe('closed account', () => {
  void it('cannot log in; its sessions end, and its keys are disabled until it is reopened', async () => {
    const { username, token } = await newUser('editor');
    const second = await logIn(call, username, PASSWORD);
    const { key, id } = await createKey(call, token, ['write:pets']);
    const add = async () => (await call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } })).status;
    assert.equal(await add(), 200);
    assertResponse(await admin('POST', `users/${username}/close`), 200, successText(username));
    assert.deepEqual([await isAlive(token), await isAlive(second), await add()], [false, false, 401]);
    assert.equal((await read<AccountView>(admin('GET', `users/${username}`))).userStatus, 3);
    const [right, wrong, unknown] = [
      await tryLogIn(username, PASSWORD),
      await tryLogIn(username, 'wrong'),
      await tryLogIn('no-such-name', PASSWORD),
    ];
    for (const response of [right, wrong, unknown]) {
      assertResponse(response, 400, errorText('Invalid username/password supplied'));
      assert.deepEqual([...response.headers.keys()].toSorted(), [...wrong.headers.keys()].toSorted());
    }
    assert.deepEqual(await read(admin('GET', `users/${username}/sessions`)), []);
    assert.deepEqual(
      (await read<{ id: string }[]>(admin('GET', `users/${username}/keys`))).map((shown) => shown.id),
      [id],
    );

    assertResponse(await admin('POST', `users/${username}/reopen`), 200, successText(username));
    assert.deepEqual([await isAlive(token), await isAlive(second), await add()], [false, false, 200]);
    assert.ok(await isAlive(await logIn(call, username, PASSWORD)));
    const { userStatus, role } = await read<AccountView>(admin('GET', `users/${username}`));
    assert.deepEqual([userStatus, role], [2, 'editor']);
  });

  void it('can be closed and reopened by its profile as well', async () => {
    const { username, token } = await newUser();
    await read(call('PUT', `user/${username}`, { headers: root, json: { userStatus: 3 } }));
    assert.equal(await isAlive(token), false);
    assertRefused(await tryLogIn(username, PASSWORD), 400);
    await read(call('PUT', `user/${username}`, { headers: root, json: { userStatus: 1 } }));
    assert.equal(await isAlive(token), false, 'ended sessions must stay ended');
    await logIn(call, username, PASSWORD);
  });

  void it('can be closed by its owner, whose session ends', async () => {
    const { username, token, headers } = await newUser();
    await read(call('PUT', `user/${username}`, { headers, json: { userStatus: 3 } }));
    assert.equal(await isAlive(token), false);
    assertRefused(await call('PUT', `user/${username}`, { headers, json: { userStatus: 1 } }), 401);
  });

  void it('stays the same when closed or reopened twice', async () => {
    const { username, token } = await newUser();
    await read(call('PUT', `user/${username}`, { headers: root, json: { userStatus: 7 } }));
    await read(admin('POST', `users/${username}/reopen`));
    assert.equal((await read<AccountView>(admin('GET', `users/${username}`))).userStatus, 7);
    assert.ok(await isAlive(token));
    for (const action of ['close', 'close', 'reopen', 'reopen'])
      await read(admin('POST', `users/${username}/${action}`));
    assert.ok(await isAlive(await logIn(call, username, PASSWORD)));
  });
});

void describe('last administrator', () => {
  const ends: [title: string, method: string, path: string, json?: unknown][] = [
    ['closed', 'POST', 'admin/users/root/close'],
    ['made an editor', 'PUT', 'admin/users/root/role', { role: 'editor' }],
    ['made a viewer', 'PUT', 'admin/users/Root/role', { role: 'viewer' }],
    ['removed', 'DELETE', 'user/root'],
    ['closed by the profile', 'PUT', 'user/root', { userStatus: 3 }],
    ['closed by a profile with another name', 'PUT', 'user/root', { username: 'former', userStatus: 3 }],
    ['closed by a profile with a password', 'PUT', 'user/root', { password: NEW_PASSWORD, userStatus: 3 }],
  ];
  for (const [title, method, path, json] of ends) {
    void it(`cannot be ${title}`, async () => {
      // A closed administrator and one without a password do not count as another one.
      for (const [username, isClosed] of [
        ['passwordless-admin', false],
        ['closed-admin', true],
      ] as const) {
        const user = isClosed ? { username, password: PASSWORD } : { username };
        await call('POST', 'user', { headers: root, json: user });
        await read(admin('PUT', `users/${username}/role`, { role: 'admin' }));
        if (isClosed) await read(admin('POST', `users/${username}/close`));
      }
      // A password in a profile requires a recent login.
      const headers = bearer(await logIn(call, 'root'));
      const before = await read(call('GET', 'account', { headers }));
      const { message } = assertRefused(
        await call(method, path, { headers, ...(json !== undefined && { json }) }),
        409,
      );
      assert.match(message, /only administrator/);
      assert.deepEqual(await read(call('GET', 'account', { headers })), before);
      assert.ok(await isAlive(await logIn(call, 'root')));
    });
  }

  void it('may be renamed', async () => {
    await read(call('PUT', 'user/root', { headers: root, json: { username: 'boss', userStatus: 2 } }));
    assertRefused(await call('DELETE', 'user/boss', { headers: root }), 409);
    await read(call('PUT', 'user/boss', { headers: root, json: { username: 'root', userStatus: 2 } }));
  });

  void it('may be deleted if there is another one; of two concurrent deletions, one fails', async () => {
    for (const end of ['close', 'demote', 'remove'] as const) {
      const [one, other] = [await newUser('admin'), await newUser('admin')];
      await read(call('PUT', 'admin/users/root/role', { headers: one.headers, json: { role: 'viewer' } }));
      const go = ({ username, headers }: typeof one) => {
        if (end === 'close') return call('POST', `admin/users/${username}/close`, { headers });
        if (end === 'remove') return call('DELETE', `user/${username}`, { headers });
        return call('PUT', `admin/users/${username}/role`, { headers, json: { role: 'viewer' } });
      };
      const responses = await Promise.all([go(one), go(other)]);
      assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200, 409]), end);
      const left = responses[0].status === 409 ? one : other;
      await read(call('PUT', 'admin/users/root/role', { headers: left.headers, json: { role: 'admin' } }));
      await read(admin('PUT', `users/${left.username}/role`, { role: 'viewer' }));
    }
  });
});

void describe('sessions and keys of other users', () => {
  void it('are listed and ended by an administrator', async () => {
    const { username, token } = await newUser('editor');
    const second = await logIn(call, username, PASSWORD);
    const { key, id } = await createKey(call, token, ['write:pets']);
    const response = await admin('GET', `users/${username}/sessions`);
    const sessions = JSON.parse(response.text) as { current: boolean; address: string }[];
    assert.deepEqual(
      sessions.map(({ current, address }) => [current, address]),
      [
        [false, '127.0.0.1'],
        [false, '127.0.0.1'],
      ],
    );
    for (const secret of [token, second, key]) assert.ok(!response.text.includes(secret));
    const keys = await admin('GET', `users/${username}/keys`);
    assert.doesNotMatch(keys.text, /mgk_/);
    assertResponse(await admin('DELETE', `users/${username}/sessions`), 200, successText(username));
    assert.deepEqual([await isAlive(token), await isAlive(second), await isAlive(tokens.vera)], [false, false, true]);
    const add = async () => (await call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } })).status;
    assert.equal(await add(), 200);
    assertResponse(await admin('DELETE', `keys/${id}`), 200, successText(id));
    assert.equal(await add(), 401);
    assertRefused(await admin('DELETE', `keys/${id}`), 404);
  });

  void it("include one's own session when administrators end their own", async () => {
    const { username, token, headers } = await newUser('admin');
    await read(call('DELETE', `admin/users/${username}/sessions`, { headers }));
    assert.equal(await isAlive(token), false);
    await read(admin('PUT', `users/${username}/role`, { role: 'viewer' }));
  });
});

interface ResetLink {
  link: string;
  token: string;
  expiresAt: string;
}

async function issue(username: string): Promise<ResetLink> {
  await read(call('POST', 'account/proof', { headers: root, json: { password: PASSWORDS['root'] } }));
  return read<ResetLink>(admin('POST', `users/${username}/reset-link`));
}

function reset(token: unknown, newPassword: unknown): Promise<HttpResponse> {
  return call('POST', 'password-reset', { json: { token, newPassword } });
}

/** Each of these also tries a password. */
async function assertInvalid(response: HttpResponse): Promise<void> {
  const { message, errors } = assertRefused(response, 400);
  assert.match(message, /^The reset link is invalid or has expired/);
  assert.equal(errors, undefined);
}

void describe('reset link', () => {
  void it('sets a password once, without credentials, and ends all sessions', async () => {
    const { username, token } = await newUser();
    const response = await admin('POST', `users/${username}/reset-link`);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const link = JSON.parse(response.text) as ResetLink;
    assert.deepEqual(Object.keys(link), ['link', 'token', 'expiresAt']);
    assert.match(link.token, /^[\w-]{43}$/);
    assert.equal(link.link, `${service.origin}/reset-password#${link.token}`);
    assert.equal(link.expiresAt, new Date(nowMs + 24 * HOUR_MS).toISOString());
    assert.ok(await isAlive(token), 'issuing one must change nothing');
    await logIn(call, username, PASSWORD);

    const done = await reset(link.token, NEW_PASSWORD);
    assertResponse(done, 200, `{"code":200,"type":"unknown","message":"ok","username":"${username}"}`);
    assert.equal(done.headers.get('cache-control'), 'no-store');
    assert.equal(done.headers.get('set-cookie'), null, 'it must not log in');
    assert.equal(await isAlive(token), false);
    assertRefused(await tryLogIn(username, PASSWORD), 400);
    await logIn(call, username, NEW_PASSWORD);
    await assertInvalid(await reset(link.token, PASSWORD));
    await logIn(call, username, NEW_PASSWORD);
  });

  void it('works until it expires', async () => {
    const { username } = await newUser();
    const first = await issue(username);
    nowMs += 24 * HOUR_MS - 1;
    await read(reset(first.token, NEW_PASSWORD));
    const second = await issue(username);
    nowMs += 24 * HOUR_MS;
    await assertInvalid(await reset(second.token, PASSWORD));
    await logIn(call, username, NEW_PASSWORD);
  });

  void it('is not consumed by a password that the rules refuse', async () => {
    const { username, token } = await newUser();
    const link = await issue(username);
    for (const weak of [
      '',
      'short',
      'passwordpassword',
      'x'.repeat(30),
      `${username}${username}`,
      5,
      null,
      'x'.repeat(1025),
    ]) {
      const { errors } = assertRefused(await reset(link.token, weak), 400, String(weak));
      assert.equal(errors?.[0]?.path, '/newPassword', String(weak));
    }
    assert.ok(await isAlive(token));
    await read(reset(link.token, NEW_PASSWORD));
  });

  void it('is no session or key, and those are no reset links', async () => {
    const { username } = await newUser();
    const { token } = await issue(username);
    for (const headers of [bearer(token), { api_key: token }, { cookie: `menagerie_session=${token}` }])
      assertRefused(await call('GET', 'account', { headers }), 401);
    for (const secret of [tokens.root, tokens.vera]) await assertInvalid(await reset(secret, NEW_PASSWORD));
    for (const wrong of [5, null, {}, 'x'.repeat(256)]) assertRefused(await reset(wrong, NEW_PASSWORD), 400);
    await read(reset(token, NEW_PASSWORD));
  });

  void it('uses the public address if one is set', async (t) => {
    const flags = ['--public-url', 'https://pets.example.org/zoo'];
    const published = await startSecuredService(t, { flags });
    const headers = bearer(await logIn(published.call, 'root'));
    const response = await published.call('POST', 'admin/users/vera/reset-link', { headers });
    const { link, token } = JSON.parse(response.text) as ResetLink;
    assert.equal(link, `https://pets.example.org/zoo/reset-password#${token}`);
  });

  void it('without a public address is issued on loopback hosts only: others get 400, and the earlier link stays valid', async () => {
    const { username } = await newUser();
    const path = `/v2/admin/users/${username}/reset-link`;
    const { port } = new URL(service.origin);
    const ask = (host: string) => {
      const headers = `Host: ${host}\r\nAuthorization: Bearer ${tokens.root}\r\nContent-Length: 0\r\nConnection: close`;
      return rawExchange(service.origin, `POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n`, { patienceMs: 30_000 });
    };
    const earlier = await issue(username);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '192.0.2.7',
      'localhost.evil.example',
      '[2001:db8::1]',
    ]) {
      const { text } = await ask(host);
      assert.match(text, /^HTTP\/1\.1 400 /, host);
      assert.match(text, /"message":"A reset link requires the public URL of the service. Start it with --public-url/);
    }
    await read(reset(earlier.token, NEW_PASSWORD));
    for (const host of ['localhost', `127.0.0.1:${port}`, `[::1]:${port}`]) {
      const { text } = await ask(host);
      assert.match(text, /^HTTP\/1\.1 200 /, host);
      assert.ok(text.includes(`"link":"http://${host}/reset-password#`), text);
    }
  });
});

void describe('page of a reset link', () => {
  void it(
    'is a page of the web application, neither cached nor sent as referrer',
    { skip: skipOnNodes() },
    async (t) => {
      const withPages = await startTestService(t, { web: true, flags: ['--empty'] });
      const response = await clientOf(withPages.origin)('GET', 'reset-password', { headers: { accept: 'text/html' } });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
      const policy = response.headers.get('content-security-policy') ?? '';
      for (const directive of ["default-src 'none'", "connect-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"])
        assert.ok(policy.split('; ').includes(directive), `${directive} in ${policy}`);
      assert.doesNotMatch(policy, /unsafe|\*|http/);
    },
  );

  void it('is read-only, and opening it consumes nothing', async () => {
    const { username } = await newUser();
    const { link, token } = await issue(username);
    for (const method of ['GET', 'HEAD']) assert.equal((await call(method, link)).status, 200);
    assert.equal((await call('GET', `${service.origin}/reset-password?token=${token}`)).status, 200);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status } = await call(method, `${service.origin}/reset-password`, {
        json: { token, newPassword: NEW_PASSWORD },
      });
      assert.ok(status === 404 || status === 405, `${method}: ${status} ${STATUS_CODES[status]}`);
    }
    await read(reset(token, NEW_PASSWORD));
  });
});

// Services of their own, so that every entry is known.

let auditMs = Date.UTC(2026, 6, 7, 8);
const watched = await startSecuredService({ after }, { clock: () => auditMs });
const ask = watched.call;

interface Secrets {
  texts: string[];
}
const secrets: Secrets = { texts: [...Object.values(PASSWORDS), PASSWORD, NEW_PASSWORD] };

async function logInToOther(username: string, password?: string): Promise<string> {
  const token = await logIn(ask, username, password);
  secrets.texts.push(token);
  return token;
}

const boss = bearer(await logInToOther('root'));
const { accountId: bossId } = await read<AccountView>(ask('GET', 'account', { headers: boss }));

function entries(query = ''): Promise<AuditView[]> {
  return read<AuditView[]>(ask('GET', `admin/audit?limit=1000&${query}`, { headers: boss }));
}

/** The entries after this id, oldest first. */
async function entriesSince(id: number): Promise<AuditView[]> {
  return (await entries()).filter((entry) => entry.id > id).toReversed();
}

async function lastId(): Promise<number> {
  return (await entries())[0]?.id ?? 0;
}

async function currentSession(headers: Readonly<Record<string, string>>): Promise<string> {
  const sessions = await read<{ id: string; current: boolean }[]>(ask('GET', 'account/sessions', { headers }));
  return sessions.find(({ current }) => current)?.id ?? assert.fail();
}

/** An entry in short: action, outcome, actor and credential, and subject. */
function short({ action, outcome, actor, via, subject }: AuditView): string {
  const target = subject === null ? '-' : `${subject.kind} ${subject.name ?? subject.id}`;
  return `${action} ${outcome}, ${actor?.name ?? '-'} by ${via}: ${target}`;
}

void describe('audit log', () => {
  void it('starts with the accounts created on the command line', async () => {
    const made = (await entries('action=account.created')).toReversed();
    assert.deepEqual(
      made.map(({ subject, via, address, credential, outcome, details }) => [
        subject?.name,
        via,
        address,
        credential,
        outcome,
        details,
      ]),
      Object.entries(STAFF).map(([username, role]) => [username, 'command-line', null, null, 'done', { role }]),
    );
    for (const { actor } of made) assert.equal(actor?.id, null);
  });

  void it('has every field in order, and is not cached', async () => {
    const response = await ask('GET', 'admin/audit?action=session.begun&limit=1', { headers: boss });
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const [entry] = JSON.parse(response.text) as AuditView[];
    assert.deepEqual(Object.keys(entry ?? {}), [
      'id',
      'at',
      'action',
      'outcome',
      'actor',
      'via',
      'credential',
      'address',
      'subject',
      'details',
    ]);
    const session = await currentSession(boss);
    assert.deepEqual(
      { ...entry, id: 0 },
      {
        id: 0,
        at: new Date(auditMs).toISOString(),
        action: 'session.begun',
        outcome: 'done',
        actor: { id: bossId, name: 'root' },
        via: 'session',
        credential: session,
        address: '127.0.0.1',
        subject: { kind: 'account', id: String(bossId), name: 'root' },
        details: { session },
      },
    );
  });

  void it('records changes of pets, by session and by key', async () => {
    const since = await lastId();
    const edna = bearer(await logInToOther('edna'));
    const session = await currentSession(edna);
    const ednaToken = edna['authorization']?.slice(7) ?? '';
    const { key, id: keyId } = await createKey(ask, ednaToken, ['write:pets'], { name: 'importer' });
    secrets.texts.push(key);
    const byKey = { headers: { api_key: key } };
    await read(ask('POST', 'pet', { headers: edna, json: { id: 70, name: 'Rex' } }));
    await read(ask('POST', 'pet', { ...byKey, json: { id: 70, name: 'Rex II' } }));
    await read(ask('PUT', 'pet', { headers: edna, json: { id: 70, name: 'Rex III' } }));
    await read(ask('POST', 'pet/70', { ...byKey, form: { status: 'sold' } }));
    const upload = fileUpload(await makePhoto({ width: 8, height: 8 }));
    await read(ask('POST', 'pet/70/uploadImage', { ...upload, headers: { ...upload.headers, ...byKey.headers } }));
    await read(ask('DELETE', 'pet/70', byKey));
    const found = await entriesSince(since);
    assert.deepEqual(found.map(short), [
      'session.begun done, edna by session: account edna',
      'key.created done, edna by session: key importer',
      'pet.added done, edna by session: pet Rex',
      'pet.replaced done, edna by key: pet Rex II',
      'pet.replaced done, edna by session: pet Rex III',
      'pet.edited done, edna by key: pet Rex III',
      'pet.edited done, edna by key: pet Rex III',
      'pet.deleted done, edna by key: pet Rex III',
    ]);
    for (const { via, credential, address, at } of found) {
      assert.equal(credential, via === 'key' ? keyId : session);
      assert.deepEqual([address, at], ['127.0.0.1', new Date(auditMs).toISOString()]);
    }
    assert.deepEqual(
      found.slice(2).map(({ details }) => details?.['fields']),
      [undefined, 'name', 'name', 'status', 'photoUrls', undefined],
    );
    assert.equal(found[1]?.subject?.id, keyId);
    assert.equal(found[1]?.details?.['account'], 'edna');
    assert.equal(found[1]?.details?.['scopes'], 'write:pets');
  });

  void it('omits reads and changes without effect', async () => {
    const since = await lastId();
    await read(ask('GET', 'pet/findByStatus?status=sold'));
    await read(ask('GET', 'admin/users', { headers: boss }));
    assertRefused(await ask('POST', 'pet', { headers: boss, json: { name: 5 } }), 400);
    assertRefused(await ask('DELETE', 'pet/987654321', { headers: boss }), 404);
    assertRefused(await ask('POST', 'user', { json: { username: 'root' } }), 409);
    assertRefused(await ask('POST', 'pet', { json: { name: 'Rex' } }), 401);
    assert.deepEqual(await entriesSince(since), []);
  });

  void it('records every event of an account, with the actor', async () => {
    const since = await lastId();
    const json = { username: 'newt', password: PASSWORD, firstName: 'N' };
    const { message: newtId } = await read<{ message: string }>(ask('POST', 'user', { json }));
    await read(ask('POST', 'user/createWithList', { headers: boss, json: [{ username: 'l-1' }, { username: 'l-2' }] }));
    const newt = bearer(await logInToOther('newt', PASSWORD));
    await read(ask('PUT', 'user/newt', { headers: newt, json: { username: 'Newton', password: NEW_PASSWORD } }));
    const change = (oldPassword: string) =>
      ask('POST', 'account/password', { headers: newt, json: { oldPassword, newPassword: PASSWORD } });
    assertRefused(await change('not the old password'), 400);
    await read(change(NEW_PASSWORD));
    await read(ask('PUT', 'admin/users/newton/role', { headers: boss, json: { role: 'editor' } }));
    await read(ask('PUT', 'admin/users/newton/role', { headers: boss, json: { role: 'editor' } }));
    const { id: keyId } = await createKey(ask, newt['authorization']?.slice(7) ?? '', ['read:pets'], { name: 'k' });
    await read(ask('DELETE', `admin/keys/${keyId}`, { headers: boss }));
    const link = await read<ResetLink>(ask('POST', 'admin/users/newton/reset-link', { headers: boss }));
    secrets.texts.push(link.token);
    const use = (token: string) => ask('POST', 'password-reset', { json: { token, newPassword: NEW_PASSWORD } });
    await read(use(link.token));
    assertRefused(await use(link.token), 400);
    const again = bearer(await logInToOther('newton', NEW_PASSWORD));
    await read(ask('GET', 'user/logout', { headers: again }));
    await logInToOther('newton', NEW_PASSWORD);
    await read(ask('DELETE', 'admin/users/newton/sessions', { headers: boss }));
    await read(ask('POST', 'admin/users/newton/close', { headers: boss }));
    await read(ask('POST', 'admin/users/newton/reopen', { headers: boss }));
    await read(ask('PUT', 'user/newton', { headers: boss, json: { userStatus: 3 } }));
    await read(ask('DELETE', 'user/newton', { headers: boss }));

    const found = await entriesSince(since);
    assert.deepEqual(found.map(short), [
      'account.created done, - by anonymous: account newt',
      'account.created done, root by session: account l-1',
      'account.created done, root by session: account l-2',
      'session.begun done, newt by session: account newt',
      'account.updated done, newt by session: account Newton',
      'account.password-changed done, newt by session: account Newton',
      'account.password-changed failed, Newton by session: account Newton',
      'account.password-changed done, Newton by session: account Newton',
      'account.role-set done, root by session: account Newton',
      'key.created done, Newton by session: key k',
      'key.revoked done, root by session: key k',
      'account.reset-link-issued done, root by session: account Newton',
      'account.password-reset done, - by reset-link: account Newton',
      'account.password-reset failed, - by reset-link: -',
      'session.begun done, Newton by session: account Newton',
      'session.ended done, Newton by session: account Newton',
      'session.begun done, Newton by session: account Newton',
      'session.ended done, root by session: account Newton',
      'account.closed done, root by session: account Newton',
      'account.reopened done, root by session: account Newton',
      'account.updated done, root by session: account Newton',
      'account.closed done, root by session: account Newton',
      'account.deleted done, root by session: account Newton',
    ]);
    const detailsOf = (action: string) => found.find((entry) => entry.action === action)?.details;
    assert.deepEqual(detailsOf('account.updated'), { renamedFrom: 'newt' });
    assert.deepEqual(detailsOf('account.role-set'), { from: 'viewer', to: 'editor' });
    assert.deepEqual(detailsOf('key.revoked'), { account: 'Newton' });
    for (const { subject, address } of found) {
      if (subject?.kind === 'account' && !subject.name?.startsWith('l-')) assert.equal(subject.id, newtId);
      assert.equal(address, '127.0.0.1');
    }
  });

  void it('records failed logins, without what was typed as an unknown name', async () => {
    const since = await lastId();
    const typed = 'My-Secret-Passphrase-1';
    assertRefused(await ask('POST', 'user/login', { json: { username: 'vera', password: 'Wr0ngOne' } }), 400);
    assertRefused(await ask('POST', 'user/login', { json: { username: typed, password: 'x' } }), 400);
    assertRefused(await ask('GET', `user/login?username=${typed}&password=Wr0ngOne`), 400);
    secrets.texts.push(typed, typed.toLowerCase(), 'Wr0ngOne');
    const found = await entriesSince(since);
    assert.deepEqual(found.map(short), [
      'session.begun failed, - by anonymous: account vera',
      'session.begun failed, - by anonymous: -',
      'session.begun failed, - by anonymous: -',
    ]);
    for (const { address, details, credential } of found)
      assert.deepEqual([address, details, credential], ['127.0.0.1', null, null]);
  });

  void it('records refused actions, at most twenty a minute for each account', async () => {
    const since = await lastId();
    const [veraToken, otto] = [await logInToOther('vera'), bearer(await logInToOther('otto'))];
    const vera = bearer(veraToken);
    const { key } = await createKey(ask, veraToken, ['write:pets'], { name: 'refused' });
    secrets.texts.push(key);
    const refusals = async () => (await entriesSince(since)).filter(({ action }) => action === 'access');
    // Entries are written after the response, in order.
    const atLeast = async (count: number) => {
      await until(`${count} refusals`, async () => (await refusals()).length >= count);
      return refusals();
    };
    assertRefused(await ask('POST', 'pet', { headers: vera, json: { name: 'Rex' } }), 403);
    await atLeast(1);
    assertRefused(await ask('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } }), 401);
    await atLeast(2);
    for (let count = 0; count < 30; count++)
      assertRefused(
        await ask('GET', 'admin/audit', { headers: count % 2 === 0 ? vera : { api_key: key } }),
        count % 2 === 0 ? 403 : 401,
      );
    assertRefused(await ask('GET', 'user/root', { headers: otto }), 403);
    const recorded = await atLeast(21);
    assert.equal(recorded.filter(({ actor }) => actor?.name === 'vera').length, 20);
    assert.equal(recorded.filter(({ actor }) => actor?.name === 'otto').length, 1);
    assert.deepEqual(
      recorded.slice(0, 2).map(({ outcome, via, details, subject }) => [outcome, via, details, subject]),
      [
        ['refused', 'session', { wanted: 'write pets' }, null],
        ['refused', 'key', { wanted: 'write pets' }, null],
      ],
    );
    auditMs += MINUTE_MS;
    assertRefused(await ask('GET', 'admin/audit', { headers: vera }), 403);
    assert.equal((await atLeast(22)).length, 22);
  });

  void it('filters by action, outcome, actor, credential, subject and time', async () => {
    const all = await entries();
    const at = all[0]?.at ?? '';
    const cases: [query: Record<string, string>, fits: (entry: AuditView) => boolean][] = [
      [{ action: 'pet' }, ({ action }) => action.startsWith('pet.')],
      [{ action: 'pet.edited' }, ({ action }) => action === 'pet.edited'],
      [{ action: 'account' }, ({ action }) => action.startsWith('account.')],
      [{ action: 'access' }, ({ action }) => action === 'access'],
      [{ outcome: 'failed' }, ({ outcome }) => outcome === 'failed'],
      [{ outcome: 'refused' }, ({ outcome }) => outcome === 'refused'],
      [{ actor: 'EDNA' }, ({ actor }) => actor?.name === 'edna'],
      [{ actor: 'newt' }, ({ actor }) => actor?.name === 'newt'],
      [{ kind: 'key' }, ({ subject }) => subject?.kind === 'key'],
      [{ kind: 'pet', subject: '70' }, ({ subject }) => subject?.kind === 'pet' && subject.id === '70'],
      [{ subject: 'vera' }, ({ subject }) => subject?.name === 'vera'],
      [
        { action: 'session.begun', outcome: 'failed' },
        ({ action, outcome }) => action === 'session.begun' && outcome === 'failed',
      ],
      [{ since: at }, (entry) => entry.at >= at],
      [{ until: at }, (entry) => entry.at < at],
      [{ since: '2026-07-07', until: '2026-07-08' }, (entry) => entry.at.startsWith('2026-07-07')],
      [
        { since: '2026-07-07T08:00:00+00:00', actor: 'root' },
        (entry) => entry.at >= '2026-07-07T08' && entry.actor?.name === 'root',
      ],
      [{ since: '2999-01-01' }, () => false],
      [{ actor: 'no such person' }, () => false],
    ];
    for (const [query, fits] of cases) {
      const search = new URLSearchParams(query).toString();
      const found = await entries(search);
      assert.deepEqual(found, all.filter(fits), search);
      assert.ok(found.length > 0 || /no.such|2999/.test(search), search);
    }
  });

  void it('finds what a user did under a former name', async () => {
    const since = await lastId();
    await read(ask('POST', 'user', { json: { username: 'caterpillar', password: PASSWORD } }));
    const headers = bearer(await logInToOther('caterpillar', PASSWORD));
    await read(ask('PUT', 'user/caterpillar', { headers, json: { username: 'butterfly' } }));
    await read(ask('PUT', 'user/butterfly', { headers, json: { firstName: 'B' } }));
    const expected = (await entriesSince(since)).filter(({ actor }) => actor !== null).toReversed();
    assert.equal(expected.length, 3);
    assert.deepEqual(await entries('actor=butterfly'), expected);
    assert.equal((await entries('subject=butterfly')).length, 4, 'with the sign-up');
    assert.equal((await entries('actor=caterpillar')).length, 2, 'entries under the former name');
  });

  const badQueries = [
    'action=nonsense',
    'action=pet.',
    'action=pet.eaten',
    'action=',
    'outcome=maybe',
    'kind=user',
    'kind=',
    'actor=',
    'actor=a&actor=b',
    'subject=',
    'since=yesterday',
    'since=2026-13-01',
    'since=2026-01-01T25:00:00Z',
    'since=2026-01-01T12:00:00',
    'until=1767225600000',
    'until=',
    'limit=0',
    'limit=1001',
    'cursor=x',
  ];
  for (const query of badQueries) {
    void it(`refuses ${query}`, async () => {
      assertRefused(await ask('GET', `admin/audit?${query}`, { headers: boss }), 400);
      const headers = { ...boss, accept: 'application/x-ndjson' };
      assert.equal((await ask('GET', `admin/audit?${query}`, { headers })).status, 400);
    });
  }

  void it('comes in pages, newest first, and completely as NDJSON', { skip: skipOnNodes() }, async () => {
    const edna = bearer(await logInToOther('edna'));
    // More than one batch of the stream. Not all concurrently, so that each gets a response before its client times
    // out.
    for (let part = 0; part < 10; part++)
      await Promise.all(
        Array.from({ length: 101 }, (_, index) =>
          read(ask('POST', 'pet', { headers: edna, json: { name: `Pet ${part}/${index}` } })),
        ),
      );
    const pages: AuditView[][] = [];
    for (let next: string | undefined = 'admin/audit?limit=333'; next !== undefined;) {
      const response: HttpResponse = await ask('GET', next, { headers: boss });
      pages.push(await read<AuditView[]>(Promise.resolve(response)));
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    }
    const all = pages.flat();
    assert.ok(all.length > 1010 && pages.slice(0, -1).every((page) => page.length === 333));
    assert.deepEqual(
      all.map(({ id }) => id),
      [...new Set(all.map(({ id }) => id))].toSorted((one, other) => other - one),
    );
    const headers = { ...boss, accept: 'application/x-ndjson' };
    const whole = await ask('GET', 'admin/audit', { headers });
    assert.equal(whole.status, 200);
    assert.equal(whole.headers.get('content-type'), 'application/x-ndjson');
    assert.ok(whole.text.endsWith('\n'));
    const lines = whole.text.trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as AuditView),
      all,
    );
    const pets = await ask('GET', 'admin/audit?action=pet&actor=edna', { headers });
    assert.equal(
      pets.text.split('\n').length - 1,
      all.filter(({ action, actor }) => action.startsWith('pet.') && actor?.name === 'edna').length,
    );
    const page = await ask('GET', 'admin/audit?limit=2', { headers });
    assert.equal(page.headers.get('content-type'), 'application/x-ndjson');
    assert.deepEqual(page.text.trimEnd().split('\n'), lines.slice(0, 2));
    assert.ok(page.headers.has('link'));
    const none = await ask('GET', 'admin/audit?since=2999-01-01', { headers });
    assert.deepEqual([none.status, none.text], [200, '']);
    assert.deepEqual((await ask('HEAD', 'admin/audit', { headers })).text, '');
  });

  void it('contains no secrets', async () => {
    const headers = { ...boss, accept: 'application/x-ndjson' };
    const { text } = await ask('GET', 'admin/audit', { headers });
    assert.ok(secrets.texts.length > 15);
    for (const secret of secrets.texts) {
      assert.ok(!text.includes(secret), secret);
      const digest = createHash('sha256').update(secret);
      for (const encoding of ['hex', 'base64url'] as const)
        assert.ok(!text.includes(digest.copy().digest(encoding)), secret);
    }
    assert.doesNotMatch(text, /argon2|mgk_|logged in user session/);
  });

  void it('cannot be changed or deleted over the API', async () => {
    const before = await entries();
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      assertRefused(await ask(method, 'admin/audit', { headers: boss }), 405);
      assertRefused(await ask(method, `admin/audit/${before[0]?.id}`, { headers: boss }), 404);
    }
    assert.deepEqual(await entries(), before);
  });
});

void test('audit log in open access: omits anonymous changes of pets, which the pet history has', async (t) => {
  const open = await startSecuredService(t, { flags: ['--access', 'open'] });
  await read(open.call('POST', 'pet', { json: { name: 'Rex' } }));
  await read(open.call('POST', 'user', { json: { username: 'wanda' } }));
  const headers = bearer(await logIn(open.call, 'root'));
  await read(open.call('POST', 'pet', { headers, json: { name: 'Max' } }));
  const ofPets = await read<AuditView[]>(open.call('GET', 'admin/audit?action=pet.added', { headers }));
  assert.deepEqual(
    ofPets.map(({ via, actor }) => [via, actor?.name]),
    [['session', 'root']],
  );
  const [wanda] = await read<AuditView[]>(open.call('GET', 'admin/audit?action=account.created', { headers }));
  assert.deepEqual([wanda?.via, wanda?.actor, wanda?.address], ['anonymous', null, '127.0.0.1']);
});

void test('audit log in sandbox access: includes anonymous changes of pets', async (t) => {
  const flags = ['--access', 'sandbox', '--trusted-proxies', '1'];
  const sandbox = await startSecuredService(t, { flags });
  const from = { 'x-forwarded-for': '203.0.113.9' };
  await read(sandbox.call('POST', 'pet', { headers: from, json: { name: 'Rex' } }));
  const headers = bearer(await logIn(sandbox.call, 'root'));
  const [entry] = await read<AuditView[]>(sandbox.call('GET', 'admin/audit?action=pet.added', { headers }));
  assert.deepEqual([entry?.via, entry?.actor, entry?.address], ['anonymous', null, '203.0.113.9']);
});
