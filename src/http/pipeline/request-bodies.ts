import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyBodyParser, FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyKind } from '../../api/endpoints.ts';
import { readPetXml } from '../../api/xml/read-pet-xml.ts';
import { Failure } from '../../domain/failure.ts';
import { parseExactJson } from '../../domain/int64.ts';

const ADVICE: Readonly<Record<BodyKind, string>> = {
  none: '',
  json: 'Send JSON, with Content-Type: application/json.',
  'merge-patch': 'Send a merge patch, with Content-Type: application/merge-patch+json.',
  ndjson: 'Send one JSON object per line, with Content-Type: application/x-ndjson.',
  form: 'Send form fields, with Content-Type: application/x-www-form-urlencoded.',
  multipart: 'Send the photo as multipart/form-data, in a part named "file".',
};

const ADVICE_FOR_PETS = 'Send JSON, with Content-Type: application/json, or XML, with Content-Type: application/xml.';

/** `application/json` and its older names, such as `text/json`. */
const PLAIN_JSON_TYPE = /^(?:application|text)\/(?:x-)?json\s*(?:;|$)/i;

/** Includes the types of formats in JSON, such as `application/vnd.api+json`. */
const JSON_TYPE = /^(?:application|text)\/(?:x-|[^\s;/]+\+)?json\s*(?:;|$)/i;

/** Other patch formats are also JSON, but have other semantics. */
const MERGE_PATCH_TYPE = /^application\/merge-patch\+json\s*(?:;|$)/i;

export function isJsonType(mediaType: string): boolean {
  return JSON_TYPE.test(mediaType);
}

/** Parses request bodies as their operations expect. The body of an operation that takes none is ignored. */
export function readRequestBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    JSON_TYPE,
    { parseAs: 'buffer' },
    parserOf('json', (text) => parseJson(text)),
  );
  app.addContentTypeParser(
    /^(?:application|text)\/(?:[\w.-]+\+)?xml(?:;|\s|$)/i,
    { parseAs: 'buffer' },
    // Only a pet may be sent as XML.
    parserOf('xml', readPetXml),
  );
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, parserOf('form', parseForm));
  // The upload handler streams the body itself, without reading it into memory.
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    takes(request, 'multipart');
  });
  // So does the bulk handler: it executes lines as they arrive, or reads them all first if there is an idempotency key.
  app.addContentTypeParser('application/x-ndjson', async (request: FastifyRequest) => {
    takes(request, 'ndjson');
  });
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    takes(request, undefined);
  });
}

/** Uses a callback instead of a promise for speed, because every change passes here. */
function parserOf(kind: BodyKind | 'xml', parse: (text: string) => unknown): FastifyBodyParser<Buffer> {
  return (request, body, done) => {
    let value: unknown;
    if (request.headers['idempotency-key'] !== undefined) request.bodyDigest = hash('sha256', body);
    try {
      value = takes(request, kind) && (body.length > 0 || kind === 'xml') ? parse(utf8(body)) : undefined;
    } catch (error) {
      return done(error as Error);
    }
    done(null, value);
  };
}

/** Whether the operation takes a body. @throws Failure `unsupported-media-type` if it takes another media type */
function takes(request: FastifyRequest, kind: BodyKind | 'xml' | undefined): boolean {
  const { body: wanted = 'none', takesXml = false } = request.routeConfig ?? {};
  if (wanted === 'none') return false;
  if (wanted === 'json' && isPlainJson(request.headers)) return true;
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  const charset = /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  const isPatch = PLAIN_JSON_TYPE.test(type) || MERGE_PATCH_TYPE.test(type);
  if (wanted !== kind && !(takesXml && kind === 'xml') && !(wanted === 'merge-patch' && isPatch)) {
    const advice = takesXml ? ADVICE_FOR_PETS : ADVICE[wanted];
    throw new Failure('unsupported-media-type', `Unsupported media type. ${advice}`);
  }
  if (!/^(?:utf[-_]?8|(?:us-)?ascii)$/i.test(charset))
    throw new Failure('unsupported-media-type', 'The body must be in UTF-8.');
  if (!/^identity$/i.test(encoding)) throw new Failure('unsupported-media-type', 'The body must not be compressed.');
  return true;
}

/** Fast path for nearly all changes, which need no further checks. */
function isPlainJson(headers: IncomingHttpHeaders): boolean {
  return headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The digest of the body, if the request has an idempotency key. */
    bodyDigest: string | null;
  }
}

export function endsTooEarly(): Failure {
  return new Failure('invalid-input', 'The body is incomplete.');
}

/** @throws Failure `invalid-input` */
export function readJson(bytes: Buffer, what: 'body' | 'line' = 'body'): unknown {
  return parseJson(utf8(bytes, what), what);
}

function utf8(body: Buffer, what = 'body'): string {
  if (!isUtf8(body)) throw new Failure('invalid-input', `The ${what} is not valid UTF-8.`);
  const text = body.toString('utf8');
  // RFC 8259, section 8.1: a parser may ignore a byte order mark. Some Windows programs write one.
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function parseJson(text: string, what = 'body'): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    // Only the position in the parser's message is repeated, because the rest quotes the body, which may contain a
    // password.
    const position = error instanceof SyntaxError ? /at position \d+/.exec(error.message)?.[0] : undefined;
    throw new Failure(
      'invalid-input',
      `The ${what} is not valid JSON${position === undefined ? '' : ` (${position})`}.`,
    );
  }
}

function parseForm(text: string): Record<string, string> {
  try {
    decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Failure('invalid-input', 'The form is not valid percent-encoded UTF-8.');
  }
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(fields, name))
      throw new Failure('invalid-input', `The form has the field ${JSON.stringify(name)} more than once.`);
    fields[name] = value;
  }
  return fields;
}
