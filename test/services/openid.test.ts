import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import type { Provider } from '../../src/domain/providers/provider.ts';
import { SignInFailure } from '../../src/domain/providers/sign-in-failure.ts';
import { StandardOpenId } from '../../src/services/openid/openid-client.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { CLIENT_ID, CLIENT_SECRET, signed, startHostileProvider } from '../support/openid-provider.ts';

const REQUEST = {
  redirectUri: 'https://pets.example.org/sign-in/hostile/callback',
  state: 'a-state',
  nonce: 'a-nonce',
  codeVerifier: 'v'.repeat(43),
};

const DISCOVERY = '/.well-known/openid-configuration';
const HOUR_MS = 3_600_000;

async function open(t: Lifetime) {
  const hostile = await startHostileProvider(t);
  hostile.nonce = REQUEST.nonce;
  const provider: Provider = {
    name: 'hostile',
    label: 'Hostile',
    issuer: hostile.issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    scopes: 'openid',
    signUp: true,
    secondFactor: false,
    roles: undefined,
  };
  const clock = { ms: 0 };
  const openId = new StandardOpenId({ clock: () => clock.ms, timeoutMs: 300 });
  const response = new URL(REQUEST.redirectUri);
  response.search = new URLSearchParams({ code: 'c', state: REQUEST.state, iss: hostile.issuer }).toString();
  return {
    hostile,
    clock,
    begin: () => openId.authorizationUrl(provider, REQUEST),
    identify: () => openId.identify(provider, response, REQUEST),
    logoutUrl: () => openId.logoutUrl(provider, 'https://pets.example.org/'),
  };
}

async function problemOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => 'no failure',
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof SignInFailure, String(error));
  assert.ok(!`${error.message} ${error.reason}`.includes(CLIENT_SECRET));
  return error.problem;
}

const hang = () => {};
const json = (text: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
};
/** Never ends. */
const flood = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":"');
  const write = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  };
  response.on('drain', write);
  write();
};
const cutOff = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 }).write('{');
  response.destroy();
};
const redirect = (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
const broken = (response: ServerResponse) => response.writeHead(500).end('oops');

void describe('OpenID Connect', () => {
  const troubles: Readonly<Record<string, (response: ServerResponse) => void>> = {
    hang,
    flood,
    cutOff,
    redirect,
    broken,
    'no JSON': json('<p>'),
    'JSON of another form': json('[]'),
  };

  for (const [title, respond] of Object.entries(troubles))
    void it(`discovery: ${title}: fails, and the next login tries again`, async (t) => {
      const { hostile, begin } = await open(t);
      hostile.respond.set(DISCOVERY, respond);
      const isSilent = ['hang', 'cutOff', 'broken'].includes(title);
      assert.equal(await problemOf(begin()), isSilent ? 'unavailable' : 'misconfigured');
      hostile.respond.delete(DISCOVERY);
      assert.ok((await begin()).startsWith(`${hostile.issuer}/authorize?`));
    });

  void it('discovery: another issuer, and endpoints that are no URLs, are refused', async (t) => {
    const { hostile, begin } = await open(t);
    hostile.respond.set(DISCOVERY, json(JSON.stringify({ issuer: 'https://honest.example' })));
    assert.equal(await problemOf(begin()), 'misconfigured');
    hostile.respond.set(DISCOVERY, json(JSON.stringify({ issuer: hostile.issuer, authorization_endpoint: 7 })));
    assert.equal(await problemOf(begin()), 'misconfigured');
  });

  void it('discovery: is cached for an hour, and kept while the provider does not respond', async (t) => {
    const { hostile, begin, clock } = await open(t);
    await begin();
    hostile.respond.set(DISCOVERY, broken);
    await begin();
    clock.ms += HOUR_MS;
    await begin();
  });

  for (const path of ['/token', '/keys'])
    for (const [title, respond] of Object.entries(troubles))
      void it(`${path}: ${title}: identifies nobody`, async (t) => {
        const { hostile, identify } = await open(t);
        hostile.respond.set(path, respond);
        assert.match(await problemOf(identify()), /^(?:unavailable|invalid|misconfigured)$/);
      });

  void it('a person is identified by issuer and subject, with the client secret in the header', async (t) => {
    const { hostile, identify } = await open(t);
    let authorization = '';
    hostile.onToken = (request) => (authorization = request.headers.authorization ?? '');
    const { issuer, subject } = await identify();
    assert.deepEqual([issuer, subject], [hostile.issuer, 'mallory']);
    const [name, secret] = [CLIENT_ID, CLIENT_SECRET].map((part) => new URLSearchParams({ part }).toString().slice(5));
    assert.equal(authorization, `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`);
    assert.deepEqual(Object.fromEntries(hostile.codes[0] ?? []), {
      code: 'c',
      code_verifier: REQUEST.codeVerifier,
      grant_type: 'authorization_code',
      redirect_uri: REQUEST.redirectUri,
    });
  });

  void it('logout: a provider without a page for it, or that does not respond, has none', async (t) => {
    const [without, silent] = [await open(t), await open(t)];
    assert.equal(await without.logoutUrl(), undefined);
    silent.hostile.respond.set(DISCOVERY, hang);
    assert.equal(await silent.logoutUrl(), undefined);
  });

  void it('a response about another user is refused', async (t) => {
    const { hostile, identify } = await open(t);
    const document = {
      issuer: hostile.issuer,
      token_endpoint: `${hostile.issuer}/token`,
      jwks_uri: `${hostile.issuer}/keys`,
      userinfo_endpoint: `${hostile.issuer}/user`,
    };
    hostile.respond.set(DISCOVERY, json(JSON.stringify(document)));
    hostile.respond.set('/user', json(JSON.stringify({ sub: 'victim' })));
    hostile.forge = (parts) => signed(parts);
    assert.equal(await problemOf(identify()), 'invalid');
  });
});
