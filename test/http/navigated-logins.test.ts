import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { assertResponse, assertRefused, callAs, clientOf, successText } from '../support/client.ts';
import { skipOnNodes } from '../support/nodes.ts';
import { bearer, logIn, PASSWORDS, startSecuredService, tokenOf } from '../support/secured.ts';

/*
 * Login and logout are GET requests, so a link on another site or in an e-mail could log a visitor in or out. On plain
 * HTTP, except on loopback hosts, browsers do not send Sec-Fetch-Site.
 */

const PAGE = 'https://pets.example.org';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
/** HttpURLConnection of Java 8 and of Java 19. */
const JAVA = ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'text/html, image/gif, image/jpeg, */*; q=0.2'];

const LOGIN = `user/login?${new URLSearchParams({ username: 'otto', password: PASSWORDS['otto'] ?? '' }).toString()}`;

const modes = ['open', 'sandbox', 'secured'] as const;
const services = new Map(
  await Promise.all(
    modes.map(async (access) => {
      const flags = ['--access', access, '--cors-origins', PAGE];
      return [access, await startSecuredService({ after }, { flags })] as const;
    }),
  ),
);

for (const access of modes) {
  const service = services.get(access) ?? assert.fail();
  const { call, base } = service;
  const port = new URL(service.origin).port;
  const host = access === 'open' ? `127.0.0.1:${port}` : 'menagerie.example.net';
  const own = `http://${host}`;

  const isAlive = async (token: string) => (await call('GET', 'account', { headers: bearer(token) })).status === 200;

  void describe(`login and logout by GET in ${access} access`, { skip: skipOnNodes() }, () => {
    // In open access, every page of this machine may log in.
    const otherPages: [title: string, headers: Record<string, string>][] = [
      ['a page on another port', { referer: `http://127.0.0.1:${Number(port) + 1}/` }],
      ['a page of this host over https', { referer: `https://${host}/` }],
    ];
    const refused: [title: string, headers: Record<string, string>][] = [
      ['a link or a typed address', { accept: BROWSER }],
      ['a browser that accepts HTML only', { accept: 'text/html, */*;q=0.1' }],
      ['a link on an own page, without Sec-Fetch-Site', { accept: BROWSER, referer: `${own}/` }],
      ['an image on another site', { accept: 'image/avif,image/webp,*/*;q=0.8', referer: 'https://evil.example/' }],
      ['a script of another site', { accept: '*/*', referer: 'https://evil.example/page' }],
      ...(access === 'open' ? [] : otherPages),
      ['a page whose origin begins like ours', { referer: `${own}.evil.example/` }],
      ['a page with our origin in its URL', { referer: `https://evil.example/?${own}/` }],
      ['a page without an origin', { referer: 'about:blank' }],
      ['a malformed Referer', { referer: 'nonsense' }],
      ['a typed address, with Sec-Fetch-Site', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
      [
        'a link in an e-mail, with Sec-Fetch-Site',
        { accept: BROWSER, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      ],
    ];
    for (const [title, headers] of refused) {
      void it(`refused to ${title}, without any effect`, async () => {
        const token = await logIn(call, 'vera');
        const root = bearer(await logIn(call, 'root'));
        const seen = async () => (await call('GET', 'admin/audit?limit=1', { headers: root })).text;
        const before = await seen();
        for (const path of [LOGIN, 'user/logout']) {
          const cookie = `menagerie_session=${token}`;
          const response = await callAs(base, 'GET', path, { headers: { host, cookie, ...headers } });
          const { message } = assertRefused(response, 403, path);
          assert.match(message, /Links.*typed URLs.*API client/);
          for (const name of ['set-cookie', 'x-expires-after']) assert.equal(response.headers.get(name), null, name);
        }
        assert.equal(await seen(), before, 'no session began or ended');
        assert.ok(await isAlive(token));
      });
    }

    const allowed: [title: string, headers: Record<string, string>][] = [
      ['a client without these headers', {}],
      ['curl', { accept: '*/*', 'user-agent': 'curl/8.14.1' }],
      ['a client that asks for JSON', { accept: 'application/json' }],
      ['generated clients of Petstore', { accept: 'application/xml, application/json' }],
      ['axios', { accept: 'application/json, text/plain, */*' }],
      ['fetch of Node', { accept: '*/*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' }],
      ...JAVA.map((accept): [string, Record<string, string>] => [`Java with "${accept}"`, { accept }]),
      ['a client that accepts HTML as well', { accept: 'application/json, text/html;q=0.5' }],
      ['a script of an own page', { accept: '*/*', referer: `${own}/docs` }],
      ['a script of an own page, with Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
      [
        'a link on an own page, with Sec-Fetch-Site',
        { accept: BROWSER, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' },
      ],
      ['a browser extension', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'cors' }],
      ['a page that is allowed by configuration', { accept: '*/*', origin: PAGE, referer: `${PAGE}/` }],
      ['a page that is allowed, and sends no Origin', { accept: '*/*', referer: `${PAGE}/front` }],
      ...(access === 'open' ? otherPages : []),
    ];
    for (const [title, headers] of allowed) {
      void it(`allowed for ${title}`, async () => {
        const login = await callAs(base, 'GET', LOGIN, { headers: { host, ...headers } });
        const token = tokenOf(login);
        assert.ok(await isAlive(token));
        const logout = await callAs(base, 'GET', 'user/logout', { headers: { host, ...bearer(token), ...headers } });
        assertResponse(logout, 200, successText('ok'));
        assert.equal(await isAlive(token), false);
      });
    }

    void it('allowed by POST, except for pages of other sites', async () => {
      const body = JSON.stringify({ username: 'otto', password: PASSWORDS['otto'] });
      const headers = { host, 'content-type': 'application/json', accept: BROWSER };
      assert.ok(await isAlive(tokenOf(await callAs(base, 'POST', 'user/login', { headers, body }))));
    });

    void it('not done by HEAD, from any origin', async () => {
      const token = await logIn(call, 'vera');
      const root = bearer(await logIn(call, 'root'));
      const seen = async () => (await call('GET', 'admin/audit?limit=1', { headers: root })).text;
      const before = await seen();
      for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { accept: BROWSER }]) {
        for (const [path, allow] of [
          [LOGIN, 'GET, POST, OPTIONS'],
          ['user/logout', 'GET, OPTIONS'],
        ] as const) {
          const response = await callAs(base, 'HEAD', path, { headers: { host, ...bearer(token), ...headers } });
          assert.equal(response.status, 405);
          assert.equal(response.headers.get('allow'), allow);
          assert.equal(response.headers.get('set-cookie'), null);
        }
      }
      assert.equal(await seen(), before, 'no session began or ended');
      assert.ok(await isAlive(token));
    });

    void it('other paths: reachable by links and from other sites', async () => {
      assert.equal(
        (await call('POST', 'pet', { headers: bearer(await logIn(call, 'root')), json: { id: 7, name: 'Rex' } }))
          .status,
        200,
      );
      for (const headers of [{ accept: BROWSER }, { referer: 'https://evil.example/' }])
        assert.equal((await callAs(base, 'GET', 'pet/7', { headers: { host, ...headers } })).status, 200);
    });
  });
}

void test('public URL: compared with the Referer', { skip: skipOnNodes() }, async (t) => {
  const published = await startSecuredService(t, { flags: ['--public-url', `${PAGE}/menagerie`] });
  const call = clientOf(published.base);
  for (const [referer, status] of [
    [`${PAGE}/menagerie/login`, 200],
    [`${PAGE}/`, 200],
    [`${published.origin}/`, 403],
    ['http://pets.example.org/', 403],
    [`${PAGE}:8443/`, 403],
  ] as const)
    assert.equal((await call('GET', LOGIN, { headers: { referer } })).status, status, referer);
});
