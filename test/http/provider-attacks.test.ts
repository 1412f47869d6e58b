import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { SignJWT } from 'jose';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  signed,
  startHostileProvider,
  startProvider,
  unsigned,
  type HostileProvider,
} from '../support/openid-provider.ts';
import { logIn, newSecuredFolder, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { openTables } from '../support/stored.ts';
import { TestBrowser, type BrowserResponse } from '../support/test-browser.ts';

/* Everyone at the hostile provider may sign up, so any response that is believed lets somebody in. */

const PUBLIC_URL = 'https://pets.example.org';

const hostile = await startHostileProvider({ after });
const honest = await startProvider({ after }, PUBLIC_URL, 'honest');

const tableOf = (name: string, issuer: string) =>
  `${name} = { issuer = "${issuer}", client-id = "${CLIENT_ID}", client-secret = "${CLIENT_SECRET}", sign-up = true }\n`;
const providers = tableOf('hostile', hostile.issuer) + tableOf('honest', honest.issuer);

let nowMs = Date.now();
const dataDir = await newSecuredFolder();
after(() => removeFolder(dataDir));
const service = await startSecuredService(
  { after },
  { dataDir, flags: ['--public-url', PUBLIC_URL, '--providers', providers], clock: () => nowMs },
);
const tables = await openTables({ after }, dataDir);

function browser(): TestBrowser {
  return new TestBrowser(PUBLIC_URL, service.origin);
}

async function steps(): Promise<number> {
  return (await tables.query('select digest from sign_in_step')).length;
}

async function sessions(): Promise<number> {
  return (await tables.query('select digest from session')).length;
}

interface Begun {
  visitor: TestBrowser;
  /** The page of the provider. */
  page: URL;
  state: string;
}

async function begin(provider = 'hostile', query = ''): Promise<Begun> {
  const visitor = browser();
  const { headers } = await visitor.request(`${PUBLIC_URL}/sign-in/${provider}${query}`);
  const page = new URL(headers.get('location') ?? assert.fail('no redirect'));
  hostile.nonce = page.searchParams.get('nonce') ?? '';
  return { visitor, page, state: page.searchParams.get('state') ?? '' };
}

/** Calls the redirect URI as if the provider had redirected. */
function complete(
  { visitor, state }: Pick<Begun, 'visitor' | 'state'>,
  { at = 'hostile', iss = hostile.issuer }: { at?: string; iss?: string | null } = {},
): Promise<BrowserResponse> {
  const query = new URLSearchParams({ code: 'a-code', state, ...(iss !== null && { iss }) });
  return visitor.request(`${PUBLIC_URL}/sign-in/${at}/callback?${query.toString()}`);
}

async function assertKeptOut(attack: () => Promise<BrowserResponse>, status = 400): Promise<void> {
  const before = await sessions();
  const response = await attack();
  assert.equal(response.status, status, response.text);
  assert.ok(!response.headers.getSetCookie().some((line) => line.includes('menagerie_session')));
  assert.equal(await sessions(), before);
}

/** A login with this ID token. */
async function withToken(forge: HostileProvider['forge']): Promise<BrowserResponse> {
  hostile.forge = forge;
  try {
    return await complete(await begin());
  } finally {
    hostile.forge = (parts) => signed(parts);
  }
}

const SECOND_MS = 1000;

/** A token with other claims. */
function claims(changes: Readonly<Record<string, unknown>>): HostileProvider['forge'] {
  return (parts) => signed({ ...parts, claims: { ...parts.claims, ...changes } });
}

function hmac(secretOf: (modulus: string) => string): HostileProvider['forge'] {
  return ({ claims: own, key }) =>
    new SignJWT(own)
      .setProtectedHeader({ alg: 'HS256', kid: key.kid })
      .sign(new TextEncoder().encode(secretOf(key.openJwk.n ?? '')));
}

void describe('forged ID tokens', () => {
  void it('a valid one logs in', async () => {
    const before = await sessions();
    assert.equal((await withToken((parts) => signed(parts))).status, 303);
    assert.equal(await sessions(), before + 1);
  });

  void it('one of a clock that is 20 seconds ahead logs in, and so does one with a subject of 255 characters', async () => {
    const soon = Math.floor(Date.now() / SECOND_MS) + 20;
    assert.equal((await withToken(claims({ iat: soon, nbf: soon, auth_time: soon }))).status, 303);
    assert.equal((await withToken(claims({ sub: 'x'.repeat(255) }))).status, 303);
  });

  const past = Math.floor(Date.now() / SECOND_MS) - 3600;
  const future = past + 3600 + 86_400;
  const forged: Readonly<Record<string, HostileProvider['forge']>> = {
    'wrong issuer': claims({ iss: honest.issuer }),
    'no issuer': claims({ iss: undefined }),
    'wrong audience': claims({ aud: 'another-client' }),
    'several audiences for another party': claims({ aud: [CLIENT_ID, 'another-client'], azp: 'another-client' }),
    'no audience': claims({ aud: undefined }),
    'wrong nonce': claims({ nonce: 'another' }),
    'no nonce': claims({ nonce: undefined }),
    expired: claims({ iat: past, exp: past + 60 }),
    'without expiry': claims({ exp: undefined }),
    'not valid yet': claims({ nbf: past + 7200 }),
    'no subject': claims({ sub: undefined }),
    'an empty subject, the same for everyone': claims({ sub: '' }),
    'a blank subject': claims({ sub: '  ' }),
    'a number as subject': claims({ sub: 7 }),
    'null as subject': claims({ sub: null }),
    'a subject of 256 characters': claims({ sub: 'x'.repeat(256) }),
    'a subject beyond ASCII': claims({ sub: 'mallоry' }),
    'a subject with U+0000': claims({ sub: 'mallory\u0000' }),
    'issued a day ahead': claims({ iat: future, exp: future + 60 }),
    'issued two minutes ahead': claims({ iat: future - 86_400 + 120 }),
    'issued at a text': claims({ iat: String(past) }),
    'a login in the future': claims({ auth_time: future }),
    'a login at a text': claims({ auth_time: String(past) }),
    'expired by a minute': claims({ exp: past + 3540 }),
    'alg none': unsigned,
    'another key with the name of the right one': (parts) =>
      signed({ ...parts, key: { ...parts.otherKey, kid: parts.key.kid } }),
    'an unknown key': (parts) => signed({ ...parts, key: parts.otherKey }),
    'a key in its own header': (parts) =>
      new SignJWT(parts.claims)
        .setProtectedHeader({ alg: 'RS256', jwk: parts.otherKey.openJwk })
        .sign(parts.otherKey.privateKey),
    'the client secret as key': hmac(() => CLIENT_SECRET),
    'the public key as secret': hmac((modulus) => modulus),
    'changed after signing': async (parts) => {
      const [header, , signature] = (await signed(parts)).split('.');
      const payload = Buffer.from(JSON.stringify({ ...parts.claims, sub: 'victim' })).toString('base64url');
      return `${header}.${payload}.${signature}`;
    },
    'not a token': async () => 'a.b.c',
    empty: async () => '',
  };
  for (const [title, forge] of Object.entries(forged))
    void it(`${title}: is refused`, () => assertKeptOut(() => withToken(forge)));
});

void describe('mixed-up providers', () => {
  void it('a login begun at one is not completed at the other', async () => {
    const begun = await begin();
    await assertKeptOut(() => complete(begun, { at: 'honest', iss: honest.issuer }));
    await assertKeptOut(async () => complete(await begin('honest')));
  });

  void it('the response must name its issuer', async () => {
    const { length } = hostile.codes;
    await assertKeptOut(async () => complete(await begin(), { iss: honest.issuer }));
    await assertKeptOut(async () => complete(await begin(), { iss: null }));
    assert.equal(hostile.codes.length, length, 'no code is sent');
  });

  void it('the same subject at another provider is another person', async () => {
    honest.people.set('mallory', { preferred_username: 'mallory' });
    honest.subject = 'mallory';
    const visitor = browser();
    await visitor.open(`${PUBLIC_URL}/sign-in/honest`, (url) => url === `${PUBLIC_URL}/`);
    await withToken((parts) => signed(parts));
    const owners = await tables.query("select distinct account_id from provider_login where subject = 'mallory'");
    assert.equal(owners.length, 2);
  });
});

void describe('stolen and replayed responses', () => {
  void it('a response works once, and its code is not sent again', async () => {
    const begun = await begin();
    assert.equal((await complete(begun)).status, 303);
    const { length } = hostile.codes;
    await assertKeptOut(() => complete(begun), 303);
    await assertKeptOut(() => complete({ ...begun, visitor: browser() }));
    assert.equal(hostile.codes.length, length);
  });

  void it('responses that arrive together let one in', async () => {
    const begun = await begin();
    const before = await sessions();
    const responses = await Promise.all(Array.from({ length: 5 }, () => complete(begun)));
    assert.deepEqual(
      responses.map(({ status }) => status).toSorted((a, b) => a - b),
      [303, 400, 400, 400, 400],
    );
    assert.equal(await sessions(), before + 1);
  });

  void it('the state of another browser is refused, with and without a login of its own', async () => {
    await assertKeptOut(async () => complete({ ...(await begin()), visitor: browser() }));
    const { visitor } = await begin();
    await assertKeptOut(async () => complete({ ...(await begin()), visitor }));
  });

  void it('an unknown, a missing and a repeated state are refused', async () => {
    const { visitor, state } = await begin();
    await assertKeptOut(() => complete({ visitor, state: 'unknown' }));
    await assertKeptOut(() => visitor.request(`${PUBLIC_URL}/sign-in/hostile/callback?code=a`));
    await assertKeptOut(() =>
      visitor.request(
        `${PUBLIC_URL}/sign-in/hostile/callback?code=a&state=${state}&state=${state}&iss=${hostile.issuer}`,
      ),
    );
  });

  void it('after ten minutes, it is too late', async () => {
    const begun = await begin();
    nowMs += 10 * 60_000;
    await assertKeptOut(() => complete(begun));
  });

  void it('an error of the provider logs nobody in', async () => {
    const { visitor, state } = await begin();
    const query = new URLSearchParams({ error: 'access_denied', state, iss: hostile.issuer });
    await assertKeptOut(() => visitor.request(`${PUBLIC_URL}/sign-in/hostile/callback?${query.toString()}`), 403);
  });

  void it('a login that was begun to be linked is linked to nobody else', async () => {
    const attacker = browser();
    await attacker.call('POST', 'user/login', { username: 'otto', password: PASSWORDS['otto'] });
    const { text } = await attacker.call('POST', 'account/providers', { provider: 'hostile' });
    const page = new URL(JSON.parse(text).url);
    hostile.nonce = page.searchParams.get('nonce') ?? '';
    const victim = browser();
    await victim.call('POST', 'user/login', { username: 'vera', password: PASSWORDS['vera'] });
    const state = page.searchParams.get('state') ?? '';
    await assertKeptOut(() => complete({ visitor: victim, state }));
    assert.equal((await victim.call('GET', 'account/providers')).text, '[]');
  });

  void it('HEAD begins and completes nothing', async () => {
    const before = await steps();
    const visitor = browser();
    assert.equal((await visitor.request(`${PUBLIC_URL}/sign-in/hostile`, { method: 'HEAD' })).status, 404);
    assert.equal(await steps(), before);
  });
});

void describe('redirects', () => {
  void it('the address to open afterwards is always a page of the service', async () => {
    const targets = [
      '//evil.example',
      String.raw`/\evil.example`,
      String.raw`\/evil.example`,
      'https://evil.example/',
      'https:evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/.//evil.example',
      '/%2F..//evil.example',
      '/v2/user/logout',
      '/sign-in/hostile',
      'evil.example',
      '',
    ];
    for (const target of targets) {
      const begun = await begin('hostile', `?to=${encodeURIComponent(target)}`);
      const location = new URL((await complete(begun)).headers.get('location') ?? '', PUBLIC_URL);
      assert.equal(location.origin, PUBLIC_URL, target);
      assert.ok(!/evil|v2|sign-in/.test(location.host) && !/^\/(?:\/|v2|sign-in)/.test(location.pathname), target);
    }
  });

  void it('the provider redirects to the public URL, whatever the request says', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
    const { headers: sent } = await browser().request(
      `${PUBLIC_URL}/sign-in/hostile?redirect_uri=https://evil.example`,
      {
        headers,
      },
    );
    const page = new URL(sent.get('location') ?? '');
    assert.equal(page.searchParams.get('redirect_uri'), `${PUBLIC_URL}/sign-in/hostile/callback`);
    assert.equal(page.searchParams.get('code_challenge_method'), 'S256');
    assert.equal(page.origin, hostile.issuer);
  });

  void it('the cookie of a login is bound to the host, and scripts cannot read it', async () => {
    const { headers } = await browser().request(`${PUBLIC_URL}/sign-in/hostile`);
    assert.match(
      headers.get('set-cookie') ?? '',
      /^__Host-menagerie_sign_in_[\w-]{12}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    assert.equal(headers.get('cache-control'), 'no-store');
  });
});

void describe('a stolen password or session', () => {
  void it('a session that is not recent changes no provider', async () => {
    const token = await logIn(service.call, 'vera');
    nowMs += 16 * 60_000;
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await service.call('POST', 'account/providers', { headers, json: { provider: 'hostile' } });
    assert.equal(status, 403);
  });
});

void describe('failures', () => {
  void it('a browser gets a page of the web application with the reason', async (t) => {
    const flags = ['--public-url', PUBLIC_URL, '--providers', providers];
    const { origin } = await startSecuredService(t, { web: true, flags });
    const visitor = new TestBrowser(PUBLIC_URL, origin);
    const { status, headers } = await visitor.request(`${PUBLIC_URL}/sign-in/unknown`);
    assert.deepEqual([status, headers.get('location')], [303, '/login#problem=unknown']);
    await visitor.call('POST', 'user/login', { username: 'vera', password: PASSWORDS['vera'] });
    const { text } = await visitor.call('POST', 'account/providers', { provider: 'hostile' });
    const state = new URL(JSON.parse(text).url).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ error: 'access_denied', state, iss: hostile.issuer });
    const refused = await visitor.request(`${PUBLIC_URL}/sign-in/hostile/callback?${query.toString()}`);
    assert.equal(refused.headers.get('location'), '/account#problem=refused');
  });
});
