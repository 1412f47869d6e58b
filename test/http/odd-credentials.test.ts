import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { CallOptions } from '../support/client.ts';
import { OPEN_FORM, ENQUIRY } from '../support/enquiries.ts';
import { newPkce, redirectIn, registerProgram, requestOf, decide } from '../support/oauth.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/* Input that is compared with a value of a fixed length, in other lengths and characters, is refused without a 500. */

const service = await startSecuredService({ after }, { flags: ['--mcp', 'write'] });
const { call } = service;
const root = await logIn(call, 'root');
const headers = bearer(root);
await call('POST', 'pet', { headers, json: { id: 7, name: 'Rex', status: 'available' } });
await call('PUT', 'enquiry-settings', { headers, json: OPEN_FORM });
const program = await registerProgram(call, root);
const pkce = newPkce();
const decided = await decide(call, root, requestOf(program, pkce));
const code = redirectIn(decided).searchParams.get('code') ?? assert.fail('no code');

/** As many characters as a token of 43 has, but more bytes; and other lengths. */
const ODD = [
  'é'.repeat(43),
  '１'.repeat(43),
  '💥'.repeat(22),
  'x'.repeat(42),
  'x'.repeat(44),
  `${'x'.repeat(42)}ü`,
  '=',
  '.',
  'e30.e30.',
];
/** Header fields have bytes. */
const BYTES = ODD.map((text) =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[\x7F-\x9F]/g, '\xE9'),
);

const requests: readonly [
  what: string,
  values: readonly string[],
  request: (odd: string) => [string, string, CallOptions],
][] = [
  ['a session', BYTES, (odd) => ['GET', 'account', { headers: { authorization: `Bearer ${odd}` } }]],
  ['an API key', BYTES, (odd) => ['POST', 'pet', { headers: { api_key: odd }, json: { name: 'x' } }]],
  ['a cookie', BYTES, (odd) => ['GET', 'account', { headers: { cookie: `menagerie_session=${odd}` } }]],
  [
    'an entity tag',
    BYTES,
    (odd) => ['PUT', 'pet', { headers: { ...headers, 'if-match': `"${odd}"` }, json: { id: 7, name: 'x' } }],
  ],
  [
    'a reset link',
    ODD,
    (odd) => ['POST', 'password-reset', { json: { token: odd, newPassword: 'a passphrase for this test' } }],
  ],
  ['a link of an e-mail', ODD, (odd) => ['POST', 'email-confirmation', { json: { token: odd } }]],
  ['the step of a login', ODD, (odd) => ['POST', 'sign-in/code', { json: { step: odd, factor: 'totp', code: odd } }]],
  [
    'the step of a passkey',
    ODD,
    (odd) => [
      'POST',
      'sign-in/passkey',
      {
        json: {
          step: odd,
          credential: {
            id: odd,
            rawId: odd,
            response: { clientDataJSON: odd, authenticatorData: odd, signature: odd, userHandle: odd },
            type: odd,
          },
        },
      },
    ],
  ],
  ['a form token', ODD, (odd) => ['POST', 'pet/7/enquiries', { json: { ...ENQUIRY, token: odd } }]],
  ['a cursor', ODD, (odd) => ['GET', `pet?cursor=${encodeURIComponent(odd)}`, {}]],
  [
    'a cursor of a list',
    ODD,
    (odd) => ['GET', `pet/findByStatus?status=available&limit=1&cursor=${encodeURIComponent(odd)}`, {}],
  ],
  [
    'a PKCE verifier',
    ODD,
    (odd) => [
      'POST',
      'oauth/token',
      {
        form: {
          grant_type: 'authorization_code',
          code,
          client_id: program.id,
          redirect_uri: requestOf(program, pkce)['redirect_uri'] ?? '',
          code_verifier: odd,
        },
      },
    ],
  ],
  [
    'the secret of a program',
    ODD,
    (odd) => [
      'POST',
      'oauth/token',
      { form: { grant_type: 'client_credentials', client_id: program.id, client_secret: odd } },
    ],
  ],
  ['a token to revoke', ODD, (odd) => ['POST', 'oauth/revoke', { form: { token: odd, client_id: program.id } }]],
  ['the token of a saved search', ODD, (odd) => ['POST', 'saved-searches/confirm', { json: { token: odd } }]],
];

for (const [what, values, request] of requests)
  void test(`${what} of another length or with other characters is refused`, async () => {
    for (const odd of values) {
      const response = await call(...request(odd));
      assert.ok(response.status < 500 && response.status !== 404, `${odd}: ${response.status} ${response.text}`);
      if (what !== 'a token to revoke')
        assert.ok(response.status >= 400, `${odd}: ${response.status} ${response.text}`);
    }
  });
