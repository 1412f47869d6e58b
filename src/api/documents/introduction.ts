/** What stands before every path of the endpoint table. */
export const BASE_PATH = '/v2';

export const TITLE = 'Menagerie';

export const INTRODUCTION = `A pet catalogue with pictures, and the accounts of the people who keep it. Clients of Petstore v2 work with it as they are.

- Bodies are JSON in UTF-8. Integers of 64 bits are exact: \`9223372036854775807\` comes back digit for digit. Where a client's numbers are too small for them, it may send them as strings of digits.
- Strings have neither U+0000 nor half a surrogate pair.
- What goes wrong is told as \`{"code":1,"type":"error","message":"..."}\`, with \`errors\` where it is about fields; clients that prefer \`application/problem+json\` get a problem document (RFC 9457).
- Answers may have further fields some day: pass over those that you do not know.
- Every response has \`X-Request-Id\`, the id under which the log has the request. A failure has \`Cache-Control\`, \`Deprecation\` and \`Idempotency-Replayed\` as a success of its operation.
- A trailing slash in a path makes no difference.
- HEAD works wherever GET does, except for logging in and out. A method that a path does not know gives 405 and \`Allow\`. Of any request: 408 when it does not arrive in time, 431 when its header is too large.
- In open access, every operation of Petstore works without credentials. In secured access, log in and send the token as a cookie, as \`Authorization: Bearer\` or as \`api_key\`; or send an API key in one of the latter two.
`;

/** How somebody says who they are. A session or an API key goes as a bearer token or as `api_key`, a session of a browser as a cookie. */
export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The token of a session, or an API key.' },
  api_key: { type: 'apiKey', in: 'header', name: 'api_key', description: 'An API key, or the token of a session.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'menagerie_session',
    description: 'What logging in sets in a browser. Over https its name is `__Host-menagerie_session`.',
  },
} as const;
