import { MASKED } from '../../../domain/playgrounds/recorded-request.ts';

/*
 * Masks secrets in recorded requests: by name, and tokens of this service also by their shape. Secrets that only have
 * another name are in no operation (test/http/recorded-requests.test.ts).
 */

/** Fields of bodies and parameters of queries, in lower case without `_` and `-`. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'password',
  'oldpassword',
  'newpassword',
  'token',
  'accesstoken',
  'refreshtoken',
  'apikey',
  'secret',
  'clientsecret',
  'code',
  'codeverifier',
  'recoverycode',
  'recoverycodes',
  'step',
  'assertion',
  'clientassertion',
  'uri',
  'redirectto',
]);

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'api_key',
  'x-api-key',
  'cookie',
  'set-cookie',
  'authorization',
  'proxy-authorization',
]);

/** The length of a session, key, code or step: 32 random bytes as base64url. */
const TOKEN_LENGTH = 43;

const KEY = /^mgk_/;

function withoutTokens(text: string): string {
  return text.replaceAll(/[\w-]+/g, (word) => (word.replace(KEY, '').length === TOKEN_LENGTH ? MASKED : word));
}

function isSecret(name: string): boolean {
  return SECRET_NAMES.has(name.toLowerCase().replaceAll(/[_-]/g, ''));
}

/** @returns what may be recorded of the header */
export function maskedHeader(name: string, value: string): string {
  const lower = name.toLowerCase();
  if (SECRET_HEADERS.has(lower)) return maskedCredentials(lower, value);
  return lower === 'location' || lower === 'referer' || lower === 'link' ? maskedTarget(value) : value;
}

function maskedCredentials(name: string, value: string): string {
  if (name.endsWith('authorization')) {
    const scheme = /^[\w-]+(?= )/.exec(value)?.[0];
    return scheme === undefined ? MASKED : `${scheme} ${MASKED}`;
  }
  if (!name.endsWith('cookie')) return MASKED;
  const parts = value.split(';');
  return parts.map((part, index) => (index === 0 || name === 'cookie' ? maskedPair(part) : part)).join(';');
}

function maskedPair(pair: string): string {
  const at = pair.indexOf('=');
  return at === -1 ? pair : `${pair.slice(0, at)}=${MASKED}`;
}

/** A path or URL with query and fragment. */
export function maskedTarget(target: string): string {
  const end = target.search(/[?#]/);
  if (end === -1) return target;
  const masked = target.slice(end).replaceAll(/[?&#][^?&#]*/g, maskedParameter);
  return target.slice(0, end) + withoutTokens(masked);
}

function maskedParameter(parameter: string): string {
  const at = parameter.indexOf('=');
  return at !== -1 && isSecret(decoded(parameter.slice(1, at))) ? maskedPair(parameter) : parameter;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** A body in JSON, XML or as a form, which may be incomplete. In responses, numbers are no secrets. */
export function maskedBody(body: string, of: 'request' | 'response'): string {
  const first = /\S/.exec(body)?.[0];
  if (first === undefined) return body;
  if (first === '<') return withoutTokens(maskedXml(body));
  if (first !== '{' && first !== '[' && first !== '"' && body.includes('=')) return maskedForm(body);
  return withoutTokens(maskedJson(body, of === 'request'));
}

function maskedForm(body: string): string {
  return maskedTarget(`?${body}`).slice(1);
}

function maskedXml(body: string): string {
  return body.replaceAll(/<[^<>]*>[^<]*/g, (element) => {
    const name = /^<([\w-]+)/.exec(element)?.[1];
    return name !== undefined && isSecret(name) ? `${element.slice(0, element.indexOf('>') + 1)}${MASKED}` : element;
  });
}

/** The strings and numbers of a JSON text. A string may be cut off. */
const TOKENS_OF_JSON = /"((?:[^"\\]|\\.)*)("|\\?$)(\s*:)?|-?\d[\d.eE+-]*/gs;

/** Masks all strings from a secret name to the next name, so that lists and objects are masked as well. */
function maskedJson(body: string, hasSecretNumbers: boolean): string {
  let isMasking = false;
  return body.replaceAll(TOKENS_OF_JSON, (token: string, text: string | undefined, end: string, colon?: string) => {
    if (text === undefined) return isMasking && hasSecretNumbers ? `"${MASKED}"` : token;
    if (colon === undefined) return isMasking ? `"${MASKED}${end}` : token;
    isMasking = isSecret(unescaped(text));
    return token;
  });
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
