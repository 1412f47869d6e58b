import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemsOf, type SeenResponse } from '../support/response-check.ts';

/* The whole suite relies on this check of every response, so it must detect each kind of error. */

const PET = '{"id":9223372036854775807,"name":"Rex","photoUrls":[],"tags":[{"id":1}]}';
const ERROR = '{"code":1,"type":"error","message":"Pet not found"}';

function seen(other: Partial<SeenResponse> = {}): SeenResponse {
  const headers = { 'content-type': 'application/json', etag: '"1"' };
  return { method: 'GET', target: '/v2/pet/7', status: 200, headers, body: PET, isCut: false, ...other };
}

const json = { 'content-type': 'application/json' };
const long = `[${Array.from({ length: 500 }, () => PET).join()}]`;
const list = { target: '/v2/pet/findByStatus?status=sold', headers: json };

const right: Record<string, SeenResponse> = {
  'a pet': seen(),
  'a pet without a body, as to HEAD': seen({ method: 'HEAD', body: undefined }),
  'an unknown pet': seen({ status: 404, headers: json, body: ERROR }),
  'a problem document': seen({
    status: 404,
    headers: { 'content-type': 'application/problem+json' },
    body: '{"type":"about:blank","title":"Not found","status":404,"detail":"Pet not found"}',
  }),
  'an unchanged pet': seen({ status: 304, headers: { etag: '"1"' }, body: '' }),
  'a list': seen({ ...list, body: long }),
  'the beginning of a list': seen({ ...list, body: long.slice(0, 10_000), isCut: true }),
  'a method that the path does not allow': seen({ method: 'BREW', status: 405, headers: json, body: ERROR }),
  'HEAD, where a path does not allow it': seen({
    method: 'HEAD',
    target: '/v2/user/logout',
    status: 405,
    body: undefined,
  }),
  'an unknown path': seen({ target: '/v2/nothing', status: 404, headers: json, body: ERROR }),
  'a path outside of /v2': seen({ target: '/livez', body: 'anything' }),
};

for (const [title, response] of Object.entries(right))
  void test(`response check: accepts ${title}`, () => assert.deepEqual(problemsOf(response), []));

const wrong: Record<string, [SeenResponse, RegExp]> = {
  'an undocumented field': [seen({ body: PET.replace('"tags"', '"secret":1,"tags"') }), /additional properties/],
  'a missing field': [seen({ body: PET.replace('"photoUrls":[],', '') }), /photoUrls/],
  'a number beyond 64 bits': [seen({ body: PET.replace('775807', '775808') }), /64 bits/],
  'a string as an id': [seen({ body: PET.replace('9223372036854775807', '"7"') }), /\/id must be integer/],
  'malformed JSON': [seen({ body: '{' }), /not what its type says/],
  'an undocumented status': [seen({ status: 418, headers: json, body: ERROR }), /no status 418/],
  'a successful HEAD where a path does not allow it': [
    seen({ method: 'HEAD', target: '/v2/user/logout', body: undefined }),
    /no head for this path/,
  ],
  'another media type': [seen({ headers: { 'content-type': 'text/html' } }), /no text\/html/],
  'no media type': [seen({ headers: {} }), /without a Content-Type/],
  'an undocumented header': [seen({ ...list, headers: { ...json, etag: '"1"' }, body: '[]' }), /no header ETag/],
  'a malformed header': [seen({ headers: { ...json, etag: '1' } }), /ETag .*pattern/],
  'a wrong pet in a long list': [
    seen({ ...list, body: long.replace('"name":"Rex"', '"name":7'), isCut: true }),
    /\/0\/name must be string/,
  ],
  'an undocumented path': [seen({ target: '/v2/nothing' }), /path is not in the document/],
  'an undocumented method': [seen({ method: 'BREW' }), /no brew/],
};

for (const [title, [response, expected]] of Object.entries(wrong))
  void test(`response check: detects ${title}`, () => assert.match(problemsOf(response).join('\n'), expected));
