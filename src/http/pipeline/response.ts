import type { IncomingHttpHeaders } from 'node:http';
import { Readable, type ReadableOptions } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { apiResponseText } from '../../api/records/response-texts.ts';
import { xmlDocument, type XmlRoot } from '../../api/xml/write-xml.ts';
import { Failure } from '../../domain/failure.ts';
import type { Guard } from './admission.ts';
import { turnClientOf, type TurnClient } from './network-turns.ts';

/*
 * Content negotiation (RFC 9110, section 12) and sending of responses. Routes send JSON texts, which are converted for
 * clients that prefer XML, so that no route depends on it.
 */

const asIs = (text: unknown): string => text as string;

/**
 * Sends a JSON text. Without a serializer, Fastify would add a charset parameter, which JSON does not have (RFC 8259,
 * section 11).
 */
export function sendJson(reply: FastifyReply, text: string, mediaType = JSON_TYPE): FastifyReply {
  const { xml } = reply.request;
  return xml === null ? sendText(reply, text, mediaType) : sendXml(reply, text, xml);
}

/** Converts a JSON text to XML, and sends it. */
export function sendXml(reply: FastifyReply, text: string, { root, mediaType }: XmlResponse): FastifyReply {
  return sendText(reply, xmlDocument(root, text), mediaType);
}

export function sendText(reply: FastifyReply, text: string, mediaType: string): FastifyReply {
  return reply.header('content-type', mediaType).serializer(asIs).send(text);
}

export function sendApiResponse(reply: FastifyReply, message: string): FastifyReply {
  return sendJson(reply, apiResponseText(message));
}

/** Streams many records as text. Each chunk takes a turn (`network-turns.ts`), in which it is read and formatted. */
export function sendRecords(request: FastifyRequest, reply: FastifyReply, chunks: AsyncIterable<string>): FastifyReply {
  if (request.routeConfig?.streams !== 'records')
    throw new Error(`${request.routeOptions.url}: its endpoint does not stream records.`);
  if (request.method === 'HEAD') return reply.send(emptyBody());
  return sendStream(reply, inTurns(reply, turnClientOf(request, reply), chunks));
}

async function* inTurns(
  { server }: FastifyReply,
  client: TurnClient,
  chunks: AsyncIterable<string>,
): AsyncGenerator<string> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      if (client.isGone()) return;
      const { value, done } = await server.recordTurns.take(
        client,
        () => iterator.next(),
        (result) => (result.done === true ? 0 : result.value.length),
      );
      if (done === true) return;
      yield value;
      // Without this, a fast client kept the event loop busy until the end of its list (measured).
      await nextIteration();
    }
  } catch (error) {
    // The client disconnected while it waited.
    if (!client.isGone()) throw error;
  } finally {
    await iterator.return?.();
  }
}

/** Streams bytes that are stored already, or that are the responses to a stream of the client: they take no turns. */
export function sendChunks(
  reply: FastifyReply,
  chunks: AsyncIterable<string | Uint8Array>,
  options: ReadableOptions = {},
): FastifyReply {
  const { routeConfig, routeOptions } = reply.request;
  if (routeConfig?.streams !== 'bytes' && routeConfig?.streams !== 'responses')
    throw new Error(`${routeOptions.url}: its endpoint does not stream bytes or responses.`);
  return sendStream(reply, chunks, options);
}

/**
 * Streams a body. If the stream fails after its beginning, the error is logged and the connection is reset: if it were
 * closed normally, an HTTP/1.0 client would take the body for complete.
 */
function sendStream(
  reply: FastifyReply,
  chunks: AsyncIterable<string | Uint8Array>,
  options: ReadableOptions = {},
): FastifyReply {
  const stream = Readable.from(chunks, options);
  stream.once('error', (error) => {
    // Before the first chunk, Fastify sends an error response.
    if (!reply.raw.headersSent) return;
    reply.server.onTruncated(error, reply.request);
    reply.raw.socket?.resetAndDestroy();
  });
  return reply.send(stream);
}

/**
 * The body of a response to HEAD with a given or unknown length. Without a body, Fastify would set Content-Length to 0.
 */
export function emptyBody(): Readable {
  return Readable.from([]);
}

/**
 * Refuses clients that accept no available media type. Sets `request.xml` for clients that prefer XML, if the operation
 * has it.
 */
export const refuseUnacceptable: Guard = (request, _reply, { response, xml: root }) => {
  if (response === undefined || response === 'photo' || response === 'file') return undefined;
  if (response === 'events') {
    if (acceptsEvents(request.headers)) return undefined;
    return new Failure(
      'not-acceptable',
      'Not acceptable: the response is text/event-stream, which the Accept header does not allow.',
    );
  }
  const accepts = acceptsOf(request.headers);
  if (accepts.xml !== undefined && root !== undefined) {
    request.xml = { root, mediaType: accepts.xml };
    return undefined;
  }
  if (accepts.json || (response === 'string' && accepts.plainText) || (response === 'records' && accepts.ndjson))
    return undefined;
  const forms = root === undefined ? 'JSON' : 'JSON or XML';
  return new Failure(
    'not-acceptable',
    `Not acceptable: the response is ${forms}, which the Accept header does not allow.`,
  );
};

/** The media types that a client accepts or prefers. */
interface Accepts {
  json: boolean;
  /** Prefers errors as RFC 9457 problem documents. */
  problems: boolean;
  /** Prefers plain text to JSON for a response that is a string. */
  plainText: boolean;
  /** Prefers one record per line to a JSON array. */
  ndjson: boolean;
  /** The Content-Type of XML, if the client prefers XML to JSON. */
  xml: string | undefined;
}

const JSON_TYPE = 'application/json';
/** Some clients know JSON only by these names. The response is `application/json`. */
const OLDER_JSON_TYPES: ReadonlySet<string> = new Set(['text/json', 'text/x-json', 'application/x-json']);

const PROBLEM_TYPE = 'application/problem+json';

/** One JSON text per line (https://github.com/ndjson/ndjson-spec). */
export const NDJSON_TYPE = 'application/x-ndjson';

const JSON_ONLY: Accepts = { json: true, problems: false, plainText: false, ndjson: false, xml: undefined };

const XML_TYPES = ['application/xml', 'text/xml'] as const;

/** Clients that accept these are browsers, which list XML only for XHTML. */
const PAGE_TYPES = ['text/html', 'application/xhtml+xml'];

/** Maximum number of cached Accept headers. Most clients send one of a few. */
const MAX_CACHED = 200;
const cache = new Map<string, Accepts>();

/** Content negotiation (RFC 9110, section 12.5.1). Clients that accept problem documents also accept JSON successes. */
export function acceptsOf({ accept }: IncomingHttpHeaders): Accepts {
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return JSON_ONLY;
  const cached = cache.get(accept);
  if (cached !== undefined) return cached;
  const ranges = withoutParameters(accept);
  const negotiator = new Negotiator({ headers: { accept: ranges } });
  const [best] = negotiator.mediaTypes([JSON_TYPE, PROBLEM_TYPE]);
  const xml = preferredXml(ranges);
  const accepts = {
    json: best !== undefined,
    problems: best === PROBLEM_TYPE,
    plainText:
      negotiator.mediaTypes([JSON_TYPE, 'text/plain'])[0] === 'text/plain' &&
      qualityOf('text/plain', ranges) >= Math.max(...XML_TYPES.map((type) => qualityOf(type, ranges))),
    ndjson: negotiator.mediaTypes([JSON_TYPE, NDJSON_TYPE])[0] === NDJSON_TYPE,
    xml,
  };
  if (cache.size < MAX_CACHED) cache.set(accept, accepts);
  return accepts;
}

/** Whether the client prefers a page to JSON, or has no preference. */
export function acceptsPage({ accept = '*/*' }: IncomingHttpHeaders): boolean {
  const [best] = new Negotiator({ headers: { accept: withoutParameters(accept) } }).mediaTypes([
    'text/html',
    JSON_TYPE,
  ]);
  return best === 'text/html';
}

/** Whether the client names text/html, as browsers do when they open a link, but not for photos or scripts. */
export function requestsPage(headers: IncomingHttpHeaders): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '') && acceptsPage(headers);
}

/** The Accept header of Java's HttpURLConnection, unless the program sets another. */
const DEFAULT_ACCEPT_OF_JAVA = 'text/html, image/gif, image/jpeg, *';

/** Whether the request looks like a navigation in a browser, rather than that of a script or an API client. */
export function isNavigation(headers: IncomingHttpHeaders): boolean {
  return requestsPage(headers) && headers.accept?.startsWith(DEFAULT_ACCEPT_OF_JAVA) !== true;
}

/** The available language that the client prefers (RFC 9110, section 12.5.4); the first one if it prefers none. */
export function languageOf<T extends string>(headers: IncomingHttpHeaders, available: readonly [T, ...T[]]): T {
  const { 'accept-language': accepted = '*' } = headers;
  const language = new Negotiator({ headers: { 'accept-language': accepted } }).language([...available]);
  return available.find((each) => each === language) ?? available[0];
}

/** Content codings (RFC 9110, section 8.4.1), the smallest first. */
const ENCODINGS = ['br', 'gzip'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** The best available content coding that the client accepts; undefined for none. */
export function encodingOf(
  headers: IncomingHttpHeaders,
  available: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  const { 'accept-encoding': accepted } = headers;
  if (accepted === undefined) return undefined;
  // The smallest of the codings that the client prefers to identity.
  const preferred = new Negotiator({ headers: { 'accept-encoding': accepted } }).encodings([...available, 'identity']);
  const better = preferred.slice(0, preferred.includes('identity') ? preferred.indexOf('identity') : undefined);
  return ENCODINGS.find((encoding) => better.includes(encoding));
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const EVENTS_TYPE = 'text/event-stream';

function acceptsEvents({ accept = EVENTS_TYPE }: IncomingHttpHeaders): boolean {
  return new Negotiator({ headers: { accept: withoutParameters(accept) } }).mediaTypes([EVENTS_TYPE]).length > 0;
}

/**
 * The Content-Type of XML, if the client prefers XML to JSON. The order of the header does not matter (Swagger UI lists
 * XML first). Browsers also prefer XML, but get JSON, which they can display.
 */
function preferredXml(ranges: string): string | undefined {
  const json = Math.max(qualityOf(JSON_TYPE, ranges), qualityOf(PROBLEM_TYPE, ranges));
  const [application, text] = XML_TYPES.map((type) => qualityOf(type, ranges)) as [number, number];
  if (Math.max(application, text) <= json) return undefined;
  if (json > 0 && PAGE_TYPES.some((type) => ranges.includes(type))) return undefined;
  // Older clients read text/* without a charset as ISO-8859-1, regardless of the XML declaration.
  return text > application ? 'text/xml; charset=utf-8' : 'application/xml';
}

/** The quality of a media type, from 0 to 1: that of its most specific range. */
function qualityOf(mediaType: string, ranges: string): number {
  const [type] = mediaType.split('/');
  const names = [mediaType, `${type}/*`, '*/*'];
  const found = ranges.split(',').map((range) => {
    const [name = '', quality = '1'] = range.split(';q=');
    return { rank: names.indexOf(name), quality: Number.parseFloat(quality) || 0 };
  });
  for (const rank of names.keys()) {
    const exact = found.find((range) => range.rank === rank);
    if (exact !== undefined) return exact.quality;
  }
  return 0;
}

/**
 * The media ranges of a header without parameters except the quality: `text/html,application/json;q=0.5`. Clients send
 * `application/json; charset=utf-8`, but JSON has no parameters to match.
 */
function withoutParameters(accept: string): string {
  const ranges = accept
    .toLowerCase()
    .replaceAll(/"[^"]*"?/g, '')
    .split(',');
  return ranges
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((text) => text.trim());
      const name = OLDER_JSON_TYPES.has(type) ? JSON_TYPE : type;
      const weights = parameters.map((parameter) => parameter.split('=').map((text) => text.trim()));
      const [, quality] = weights.find(([parameter]) => parameter === 'q') ?? [];
      return quality === undefined ? name : `${name};q=${quality}`;
    })
    .join();
}

/** XML instead of JSON: the root of a success, and its Content-Type. */
interface XmlResponse {
  root: XmlRoot;
  mediaType: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Called when a streamed response fails after its beginning. */
    onTruncated: (error: Error, request: FastifyRequest) => void;
  }
  interface FastifyRequest {
    /** Set if the client prefers XML and the operation has it; else null. */
    xml: XmlResponse | null;
  }
}
