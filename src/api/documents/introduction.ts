import { ENDPOINTS } from '../endpoints.ts';

/** The prefix of every path in the table of endpoints. */
export const BASE_PATH = '/v2';

export const TITLE = 'Menagerie';

export const INTRODUCTION = `A pet catalogue with photos and user accounts. Clients of Petstore v2 work unchanged.

- Bodies are JSON in UTF-8. 64-bit integers are exact: \`9223372036854775807\` is returned digit for digit. A client without 64-bit integers may send them as strings of digits.
- Unknown fields are ignored in pets, users and credentials, and refused in all other bodies.
- Strings must not contain U+0000 or unpaired surrogates.
- An error is \`{"code":1,"type":"error","message":"..."}\`, with \`errors\` for invalid fields. Clients that prefer \`application/problem+json\` receive a problem document (RFC 9457).
- Responses may get further fields in later versions. Ignore fields that you do not know.
- Every response has \`X-Request-Id\`, the request ID, which is also in the log. Responses about accounts, sessions and the history of pets, and of the administration, have \`Cache-Control: no-store\`. The response to an earlier request with the same \`Idempotency-Key\` has \`Idempotency-Replayed: true\`. These headers, \`Cache-Control\` and \`Deprecation\` of an operation apply to its errors as well.
- A trailing slash in a path is ignored.
- HEAD works wherever GET does, except for logging in and out. A method that a path does not support returns 405 and \`Allow\`. Any request may return 408 if it does not arrive in time, and 431 if its headers are too large.
- In open access, every operation of Petstore works without credentials. In secured access, log in and send the token as a cookie, as \`Authorization: Bearer\` or as \`api_key\`; or send an API key in one of these two headers. A program can get a key for an hour with OAuth 2.0.
`;

/** Names and scopes are those of Petstore: generated clients set credentials by these names. */
export const PETSTORE_SCOPES = { 'read:pets': 'Read pets.', 'write:pets': 'Change pets.' } as const;

/** The addresses of the authorization server. @param origin the URL of the service */
export function oauthUrls(origin: string) {
  return { authorizationUrl: `${origin}/oauth/authorize`, tokenUrl: `${origin}${ENDPOINTS.requestToken.path}` };
}

/** A session token or an API key is sent as a bearer token or as `api_key`; browsers send the session as a cookie. */
export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A session token or an API key.' },
  api_key: { type: 'apiKey', in: 'header', name: 'api_key', description: 'An API key or a session token.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'menagerie_session',
    description:
      'The cookie that a login sets in a browser. Over HTTPS its name is `__Host-menagerie_session`, below a ' +
      'path `__Secure-menagerie_session`.',
  },
} as const;
