import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import { CLIENT_ID, CLIENT_SECRET, signed, startHostileProvider } from '../support/openid-provider.ts';
import { startSecuredService } from '../support/secured.ts';
import { TestBrowser, type BrowserResponse } from '../support/test-browser.ts';

/*
 * What providers do that differs from the specification, or that operators do not expect: in which form they send
 * groups, what they leave out, and how they say that something is wrong.
 */

const PUBLIC_URL = 'https://pets.example.org';

const provider = await startHostileProvider({ after });
const moved = await startHostileProvider({ after });

const table = (name: string, issuer: string) => `
[${name}]
issuer = "${issuer}"
client-id = "${CLIENT_ID}"
client-secret = "${CLIENT_SECRET}"
sign-up = true
`;
const PROVIDERS = `${table('zoo', provider.issuer)}
role-claim = "groups"
roles = { Board = "admin", "Küche, Keller" = "editor", "Night keepers" = "editor", "/Zoo/Vets" = "editor" }
${table('slash', `${moved.issuer}/`)}
${table('path', `${moved.issuer}/realms/zoo`)}
`;

interface LogLine {
  msg: string;
  provider?: string;
  username?: string;
  problem?: string;
  reason?: string;
}

const logged: LogLine[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line) as LogLine) });
const service = await startSecuredService(
  { after },
  { flags: ['--public-url', PUBLIC_URL, '--providers', PROVIDERS], log },
);

function browser(): TestBrowser {
  return new TestBrowser(PUBLIC_URL, service.origin);
}

interface Begun {
  visitor: TestBrowser;
  state: string;
}

async function begin(visitor = browser(), query = ''): Promise<Begun> {
  const { status, headers, text } = await visitor.request(`${PUBLIC_URL}/sign-in/zoo${query}`);
  assert.equal(status, 302, text);
  const page = new URL(headers.get('location') ?? '');
  provider.nonce = page.searchParams.get('nonce') ?? '';
  return { visitor, state: page.searchParams.get('state') ?? '' };
}

/** The callback as if the provider had redirected. */
function callback(state: string, parameters: Readonly<Record<string, string>> = { code: 'the-code-of-the-login' }) {
  const query = new URLSearchParams({ ...parameters, state, iss: provider.issuer });
  return `${PUBLIC_URL}/sign-in/zoo/callback?${query.toString()}`;
}

interface Login extends BrowserResponse {
  visitor: TestBrowser;
  role: unknown;
  account: Readonly<Record<string, unknown>>;
  /** Of this login. */
  lines: readonly LogLine[];
}

async function logInWith(sub: string, claims: Readonly<Record<string, unknown>>): Promise<Login> {
  provider.claims = { sub, preferred_username: sub, ...claims };
  const { visitor, state } = await begin();
  const before = logged.length;
  const response = await visitor.request(callback(state));
  const account = JSON.parse((await visitor.call('GET', 'account')).text) as Record<string, unknown>;
  return { ...response, visitor, account, role: account['role'], lines: logged.slice(before) };
}

/** Logs in as an administrator, and then with other claims. */
async function afterBoard(sub: string, claims: Readonly<Record<string, unknown>>): Promise<Login> {
  assert.equal((await logInWith(sub, { groups: ['Board'] })).role, 'admin');
  const login = await logInWith(sub, claims);
  assert.equal(login.status, 303, login.text);
  return login;
}

const json = (text: string, status = 200, headers: Readonly<Record<string, string>> = {}) => {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
};

/** Replaces the response at a path for the duration of the work. */
async function responding<T>(path: string, respond: (response: ServerResponse) => void, work: () => Promise<T>) {
  provider.respond.set(path, respond);
  try {
    return await work();
  } finally {
    provider.respond.delete(path);
  }
}

void describe('the claim of roles', () => {
  const accepted = {
    'a text': 'Board',
    'a text with a comma between groups': 'Keepers, Board',
    'a text without space after the comma': 'Keepers,Board',
    'the path of a group at the top': ['/Keepers', '/Board'],
    'objects with a name': [{ name: 'Keepers' }, { name: 'Board' }],
    'one object with a name': { name: 'Board' },
    'a list with other things': [7, null, ['x'], 'Board'],
  };
  for (const [title, groups] of Object.entries(accepted))
    void it(`${title}: gives the role`, async () => {
      const { role, lines } = await logInWith(`accepted-${title.replaceAll(' ', '-')}`, { groups });
      assert.deepEqual([role, lines], ['admin', []]);
    });

  void it('a name with a comma, in another normalization form, and the whole path of a group give the role', async () => {
    assert.equal((await logInWith('ko', { groups: 'Küche, Keller'.normalize('NFD') })).role, 'editor');
    assert.equal((await logInWith('vet', { groups: ['/Zoo/Vets'] })).role, 'editor');
  });

  const similar: Readonly<Record<string, unknown>> = {
    'another case': ['board'],
    'a group below another one': ['/other/Board'],
    'several groups with spaces': 'Keepers Board',
    'a distinguished name': ['CN=Board,OU=Groups'],
    'a list in a text': '[Board, Keepers]',
    'a longer name': ['Friends of the board'],
    'full width': ['Ｂｏａｒｄ'],
    'a space at the end': ['Board '],
    'two slashes': ['//Board'],
  };
  for (const [title, groups] of Object.entries(similar))
    void it(`${title}: gives no role, and the log names the value`, async () => {
      const sub = `similar-${title.replaceAll(' ', '-')}`;
      const { role, lines } = await afterBoard(sub, { groups });
      assert.equal(role, 'viewer');
      const [line, ...more] = lines;
      assert.deepEqual([line?.provider, line?.username, more], ['zoo', sub, []]);
      assert.match(line?.reason ?? '', /claim "groups" are similar to those with a role: ".*" is not "Board"/);
    });

  void it('names that look alike are not equal', async () => {
    // With Cyrillic letters; inherited properties of objects.
    const { role } = await logInWith('lookalike', { groups: ['Воаrd', 'B\u200Board', 'toString', '__proto__'] });
    assert.equal(role, 'viewer');
  });

  void it('groups without a similar name are not in the log', async () => {
    const { role, lines } = await afterBoard('private', { groups: ['Medical leave', 'Boarding'] });
    assert.deepEqual([role, lines], ['viewer', []]);
  });

  void it('the log has few values, without control characters', async () => {
    const groups = Array.from({ length: 500 }, (_, index) => `board\n\u2028\u202E${index}${'x'.repeat(500)}`);
    const { lines } = await logInWith('many', { groups: groups.map((group) => group.replace('board', 'board ')) });
    const { reason = '' } = lines[0] ?? {};
    assert.match(reason, /similar/);
    assert.ok(reason.length < 1500, String(reason.length));
    assert.doesNotMatch(reason, /[\p{C}\p{Zl}]/u);
  });

  void it('an empty list and other groups take the role away', async () => {
    assert.deepEqual(await roleAndLines(afterBoard('empty', { groups: [] })), ['viewer', []]);
    assert.deepEqual(await roleAndLines(afterBoard('empty-text', { groups: '' })), ['viewer', []]);
    assert.deepEqual(await roleAndLines(afterBoard('others', { groups: ['Keepers'] })), ['viewer', []]);
  });

  const undecided: Readonly<Record<string, [claims: Readonly<Record<string, unknown>>, reason: RegExp]>> = {
    'a missing claim': [{}, /^the claim "groups" is missing$/],
    'a claim that is null': [{ groups: null }, /^the claim "groups" is missing$/],
    'a claim that Entra ID leaves out': [
      {
        _claim_names: { groups: 'src1' },
        _claim_sources: { src1: { endpoint: 'https://graph.example/users/1/getMemberObjects' } },
      },
      /^the claim "groups" is missing: .*too many values.*_claim_names/,
    ],
    'a number': [{ groups: 7 }, /^the claim "groups" is neither a text nor a list/],
    'objects without a name': [{ groups: [{ id: 'Board' }] }, /^the claim "groups" is neither a text nor a list/],
  };
  for (const [title, [claims, reason]] of Object.entries(undecided))
    void it(`${title}: keeps the role, and the log says so`, async () => {
      const sub = `undecided-${title.replaceAll(' ', '-')}`;
      const { role, lines } = await afterBoard(sub, claims);
      assert.equal(role, 'admin');
      assert.match(lines[0]?.reason ?? '', reason);
      assert.deepEqual([lines.length, lines[0]?.provider, lines[0]?.username], [1, 'zoo', sub]);
    });

  void it('a missing claim gives a new account the lowest role', async () => {
    const { role, lines } = await logInWith('newcomer', { email: 'newcomer@example.org' });
    assert.deepEqual([role, lines.length], ['viewer', 1]);
    assert.doesNotMatch(JSON.stringify(lines), /@/);
  });
});

async function roleAndLines(login: Promise<Login>) {
  const { role, lines } = await login;
  return [role, lines];
}

/** The address that a new account has confirmed. */
async function confirmedWith(sub: string, verified: unknown): Promise<unknown> {
  const claims = { email: `${sub}@example.org`, email_verified: verified };
  return (await logInWith(sub, claims)).account['confirmedEmail'];
}

void describe('claims of the person', () => {
  void it('email_verified as a text counts, and no other text', async () => {
    assert.equal(await confirmedWith('text', 'true'), 'text@example.org');
    assert.equal(await confirmedWith('boolean', true), 'boolean@example.org');
    for (const [index, verified] of ['false', '', 'yes', 1, {}, ['true'], null].entries())
      assert.equal(await confirmedWith(`unverified${index}`, verified), undefined);
  });
});

void describe('UserInfo', () => {
  // The provider of the service says in its discovery document whether it has UserInfo.
  const responses: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'status 403': json('{"error":"insufficient_scope"}', 403),
    'a challenge': json('', 401, { 'www-authenticate': 'Bearer error="invalid_token", error_description="no"' }),
    'status 500': json('', 500),
    'a page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    'a closed connection': (response) => response.destroy(),
    'no subject': json('{"groups":["Board"]}'),
    'a signature by nobody': (response) =>
      response.writeHead(200, { 'content-type': 'application/jwt' }).end(
        // {"alg":"none"} and a subject.
        `eyJhbGciOiJub25lIn0.${Buffer.from('{"sub":"u","groups":["Board"]}').toString('base64url')}.`,
      ),
  };
  for (const [title, respond] of Object.entries(responses))
    void it(`${title}: a login whose ID token has everything succeeds, with a line in the log`, async () => {
      const sub = `info-${title.replaceAll(' ', '-')}`;
      await withUserInfo(respond, async () => {
        const { status, role, lines } = await logInWith(sub, { groups: ['Night keepers'] });
        assert.deepEqual([status, role, lines.length], [303, 'editor', 1], JSON.stringify(lines));
        assert.match(lines[0]?.reason ?? '', /without UserInfo: ./);
        assert.deepEqual([lines[0]?.provider, lines[0]?.username], ['zoo', sub]);
      });
    });

  void it('signed: its claims count if the key is that of the provider', async () => {
    const { issuer } = provider;
    let token = '';
    const respond = (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'application/jwt' }).end(token);
    const forge = provider.forge;
    const withSigned = async (sub: string, isForged: boolean) => {
      provider.forge = async (parts) => {
        const claims = { iss: issuer, aud: CLIENT_ID, sub, groups: ['Board'] };
        const key = isForged ? { ...parts.otherKey, kid: parts.key.kid } : parts.key;
        token = await signed({ ...parts, claims, key });
        return signed(parts);
      };
      return logInWith(sub, {});
    };
    await withUserInfo(respond, async () => {
      assert.deepEqual(await roleAndLines(withSigned('signed', false)), ['admin', []]);
      const { status, role, lines } = await withSigned('forged', true);
      assert.deepEqual([status, role, lines.length], [303, 'viewer', 2]);
    });
    provider.forge = forge;
  });

  void it('of another person: is refused', async () => {
    await withUserInfo(json('{"sub":"another"}'), async () => {
      assert.equal((await logInWith('of-another', { groups: ['Board'] })).status, 400);
    });
  });

  void it('without a name for the new account: the login fails, and a known account logs in', async () => {
    const nameless = { preferred_username: undefined, groups: ['Board'] };
    await withUserInfo(json('', 403), async () => {
      const { status, text } = await logInWith('nameless', nameless);
      assert.deepEqual([status, /refuses this service/.test(text)], [503, true]);
    });
    assert.equal((await logInWith('nameless', { groups: ['Board'] })).role, 'admin');
    await withUserInfo(json('', 403), async () => {
      assert.equal((await logInWith('nameless', nameless)).role, 'admin');
    });
  });

  /** A login that fails makes the service read the discovery document again. */
  async function withUserInfo(respond: (response: ServerResponse) => void, work: () => Promise<void>): Promise<void> {
    await responding('/user', respond, async () => {
      await failOnce();
      await work();
    });
    await failOnce();
  }

  async function failOnce(): Promise<void> {
    const { visitor, state } = await begin();
    const { status } = await responding('/token', json('{}'), () => visitor.request(callback(state)));
    assert.equal(status, 400);
  }
});

void describe('keys', () => {
  const rotated: Readonly<Record<string, () => Promise<void>>> = {
    'another key': () => provider.rotate(),
    'another algorithm': () => provider.rotate('ES256'),
    'another key with the same ID': () =>
      provider.rotate('RS256', 'the-key').then(() => provider.rotate('RS256', 'the-key')),
  };
  for (const [title, rotate] of Object.entries(rotated))
    void it(`${title}: the first login after a rotation succeeds`, async () => {
      const sub = `key-${title.replaceAll(' ', '-')}`;
      assert.equal((await logInWith(sub, { groups: [] })).status, 303);
      await rotate();
      assert.equal((await logInWith(sub, { groups: [] })).status, 303);
    });

  void it('a key that is no longer published is refused', async () => {
    await provider.rotate('RS256', 'a-stolen-key');
    const forge = provider.forge;
    let stolen: Parameters<typeof forge>[0]['key'] | undefined;
    provider.forge = (parts) => signed({ ...parts, key: (stolen ??= parts.key) });
    assert.equal((await logInWith('stolen', { groups: [] })).status, 303);
    await provider.rotate('RS256', 'the-next-key');
    assert.equal((await logInWith('stolen', { groups: [] })).status, 400);
    provider.forge = forge;
  });
});

async function failing(parameters?: Readonly<Record<string, string>>) {
  const { visitor, state } = await begin();
  const before = logged.length;
  const { status, text } = await visitor.request(callback(state, parameters));
  const [line, ...more] = logged.slice(before);
  assert.deepEqual(more, []);
  return { status, text, reason: line?.reason ?? '', problem: line?.problem, state };
}

void describe('why a login fails', () => {
  const EXPIRED =
    "AADSTS7000222: The provided client secret keys for app '6731de76-14a6-49ae-97bc-6eba6914391e' are expired. Trace ID: " +
    '0d6f2a3c-9e6f-4a5b-8f0d-3f6f9f0e1b00 Timestamp: 2026-11-28 05:00:00Z';

  const refusals: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'status 401': json(JSON.stringify({ error: 'invalid_client', error_description: EXPIRED }), 401),
    'status 401 with a challenge': json(JSON.stringify({ error: 'invalid_client', error_description: EXPIRED }), 401, {
      'www-authenticate': 'Basic realm="zoo"',
    }),
    'a challenge only': json('', 401, {
      'www-authenticate': `Basic realm="zoo", error="invalid_client", error_description="${EXPIRED}"`,
    }),
    'status 200': json(JSON.stringify({ error: 'invalid_client', error_description: EXPIRED })),
  };
  for (const [title, respond] of Object.entries(refusals))
    void it(`the provider refuses the client with ${title}: its description is in the log, and a text says so`, async () => {
      const { status, text, problem, reason } = await responding('/token', respond, () => failing());
      assert.equal(reason, `the provider responded with invalid_client: "${EXPIRED}"`);
      assert.deepEqual([status, problem], [503, 'misconfigured']);
      assert.match(text, /refuses this service, or the settings for it are wrong/);
      assert.doesNotMatch(text, /AADSTS|does not respond/);
    });

  void it('the description of a redirect is in the log', async () => {
    const denied = await failing({ error: 'access_denied', error_description: 'AADSTS65004: User declined' });
    assert.deepEqual([denied.status, denied.problem], [403, 'refused']);
    assert.equal(denied.reason, 'the provider responded with access_denied: "AADSTS65004: User declined"');
    const wrong = await failing({ error: 'invalid_scope', error_description: 'Invalid scopes: openid groups' });
    assert.deepEqual([wrong.status, wrong.problem], [503, 'misconfigured']);
    const later = await failing({ error: 'temporarily_unavailable' });
    assert.deepEqual([later.status, later.problem], [503, 'unavailable']);
  });

  void it('a code that the provider does not accept, and a provider in trouble, have their own texts', async () => {
    const used = json('{"error":"invalid_grant","error_description":"Code not valid"}', 400);
    const { status, problem, reason } = await responding('/token', used, () => failing());
    assert.deepEqual(
      [status, problem, reason],
      [400, 'invalid', 'the provider responded with invalid_grant: "Code not valid"'],
    );
    const broken = await responding('/token', json('{"error":"server_error"}', 500), () => failing());
    assert.deepEqual([broken.status, broken.problem], [503, 'unavailable']);
    const silent = await responding(
      '/token',
      (response) => response.destroy(),
      () => failing(),
    );
    assert.deepEqual([silent.status, silent.problem], [503, 'unavailable']);
    assert.match(silent.text, /does not respond/);
    const missing = await responding('/token', json('', 404), () => failing());
    assert.deepEqual([missing.problem, missing.reason], ['misconfigured', 'the provider responded with status 404']);
  });

  void it('descriptions are short, in one line, and without secrets', async () => {
    const { codes } = provider;
    const respond = (response: ServerResponse) => {
      const sent = codes.at(-1)?.get('code_verifier') ?? assert.fail();
      const echo = `${CLIENT_SECRET} ${encodeURIComponent(CLIENT_SECRET)} the-code-of-the-login ${sent} `;
      const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtYWxsb3J5In0.c2lnbmF0dXJl';
      const attack = 'line one\r\n{"level":30,"msg":"forged"}\u001B[2J\u2028\u202Eend\uD800';
      const description = `${attack} ${echo}${token} ${'a'.repeat(64)}${' long'.repeat(10_000)}`;
      json(JSON.stringify({ error: 'invalid_client\nx', error_description: description }), 400)(response);
    };
    provider.onToken = () => {};
    const { reason } = await responding('/token', respond, () => failing());
    assert.ok(reason.length < 400, reason);
    assert.doesNotMatch(reason, /[\p{C}\p{Zl}\p{Zp}]|secret of the client|secret%20of|the-code-of|eyJ|aaaa/u);
    assert.match(reason, /^the provider responded with invalid_client x: "line one \{/);
  });

  void it('another issuer: both are in the log', async () => {
    const { state, visitor } = await begin();
    const before = logged.length;
    const other = new URLSearchParams({ code: 'c', state, iss: `${provider.issuer}/` });
    assert.equal((await visitor.request(`${PUBLIC_URL}/sign-in/zoo/callback?${other.toString()}`)).status, 400);
    assert.equal(
      logged.slice(before)[0]?.reason,
      `the issuer of the response is "${provider.issuer}/", not "${provider.issuer}"`,
    );
    const { status, lines } = await logInWith('of-another-issuer', { iss: 'https://other.example/zoo' });
    assert.equal(status, 400);
    assert.equal(
      lines[0]?.reason,
      `the issuer of the ID token is "https://other.example/zoo", not "${provider.issuer}"`,
    );
  });

  void it('another issuer in the discovery document: both are in the log, and a text says so', async () => {
    assert.equal((await browser().request(`${PUBLIC_URL}/sign-in/slash`)).status, 302, 'a host without a path');
    const issuer = `${moved.issuer}/realms/zoo`;
    moved.respond.set('/realms/zoo/.well-known/openid-configuration', json(JSON.stringify({ issuer: `${issuer}/` })));
    const before = logged.length;
    const { status, text } = await browser().request(`${PUBLIC_URL}/sign-in/path`);
    assert.deepEqual([status, /settings for it are wrong/.test(text)], [503, true], text);
    assert.doesNotMatch(text, /does not respond/);
    const [line] = logged.slice(before);
    assert.equal(line?.reason, `the issuer of the provider is "${issuer}/", not "${issuer}"`);
    assert.deepEqual([line?.provider, line?.problem], ['path', 'misconfigured']);
  });
});

function stepCookies(visitor: TestBrowser): readonly string[] {
  return visitor.cookieNames('pets.example.org').filter((name) => name.includes('sign_in'));
}

void describe('two tabs', () => {
  void it('logins that one browser begins are completed in any order, each with its page', async () => {
    provider.claims = { sub: 'tabs', preferred_username: 'tabs', groups: [] };
    const visitor = browser();
    const first = await begin(visitor, '?to=/pets/1');
    const firstNonce = provider.nonce;
    const second = await begin(visitor, '?to=/pets/2');
    assert.equal(stepCookies(visitor).length, 2);
    const done = await visitor.request(callback(second.state));
    assert.deepEqual([done.status, done.headers.get('location')], [303, '/pets/2']);
    provider.nonce = firstNonce;
    const other = await visitor.request(callback(first.state));
    assert.deepEqual([other.status, other.headers.get('location')], [303, '/pets/1'], other.text);
    assert.deepEqual(visitor.cookieNames('pets.example.org'), ['__Host-menagerie_session']);
  });

  void it('the cookie of one login does not complete another one', async () => {
    const visitor = browser();
    const first = await begin(visitor);
    await begin(visitor);
    const stranger = await begin();
    const [name, other] = stepCookies(visitor);
    const swapped = `${name}=${visitor.cookiesOf('pets.example.org').get(other ?? '')}`;
    const response = await browser().request(callback(first.state), { headers: { cookie: swapped } });
    assert.equal(response.status, 400);
    assert.equal((await visitor.request(callback(stranger.state))).status, 400, 'the login of an attacker');
  });

  void it('a browser has a limited number of cookies, the newest ones', async () => {
    const visitor = browser();
    const begun: Begun[] = [];
    for (let tabs = 0; tabs < 12; tabs += 1) begun.push(await begin(visitor));
    assert.deepEqual(
      stepCookies(visitor),
      begun.slice(-8).map(({ state }) => `__Host-menagerie_sign_in_${state.slice(0, 12)}`),
    );
    // Cookies of an attacker, whose order and names are any.
    const planted = Array.from({ length: 100 }, (_, index) => `__Host-menagerie_sign_in_${index}=x`).join('; ');
    const { headers } = await browser().request(`${PUBLIC_URL}/sign-in/zoo`, { headers: { cookie: planted } });
    assert.equal(headers.getSetCookie().filter((line) => line.includes('Max-Age=0')).length, 93);
  });

  void it('a login that fails takes its cookie with it', async () => {
    const { visitor, state } = await begin();
    await visitor.request(callback(state, { error: 'access_denied' }));
    assert.deepEqual(stepCookies(visitor), []);
  });

  void it('loading the callback again goes on to the page, with the session of the login only', async () => {
    provider.claims = { sub: 'reload', preferred_username: 'reload', groups: [] };
    const { visitor, state } = await begin(browser(), '?to=/pets/7');
    assert.equal((await visitor.request(callback(state))).status, 303);
    const { length } = provider.codes;
    for (let times = 0; times < 2; times += 1) {
      const again = await visitor.request(callback(state));
      assert.deepEqual([again.status, again.headers.get('location')], [303, '/pets/7']);
      assert.deepEqual(again.headers.getSetCookie(), []);
    }
    assert.equal(provider.codes.length, length, 'no code is sent');
    const { visitor: other } = await logInWith('another', { groups: [] });
    assert.equal((await other.request(callback(state))).status, 400, 'another account');
    assert.equal((await browser().request(callback(state))).status, 400, 'no session');
    await visitor.call('GET', 'user/logout');
    assert.equal((await visitor.request(callback(state))).status, 400, 'after the logout');
  });
});
