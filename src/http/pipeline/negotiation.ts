import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import Negotiator from 'negotiator';
import { isLanguage, LANGUAGE_COOKIE, LANGUAGES, type Language, type Locales } from '../../api/web/languages.ts';
import type { XmlRoot } from '../../api/xml/write-xml.ts';
import { Failure } from '../../domain/failure.ts';
import { localeIn } from '../../domain/organisation/country.ts';
import type { Guard } from './admission.ts';

/* Content negotiation (RFC 9110, section 12). */

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

export const JSON_TYPE = 'application/json';
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

/**
 * The available language that the client prefers (RFC 9110, section 12.5.4); the first one if it has none of those that
 * it names.
 *
 * @param unasked the language for clients that name none, as search engines do
 */
export function languageOf<T extends string>(
  headers: IncomingHttpHeaders,
  available: readonly [T, ...T[]],
  unasked: T = available[0],
): T {
  const { 'accept-language': accepted = '*' } = headers;
  if (accepted.trim() === '*') return unasked;
  const language = new Negotiator({ headers: { 'accept-language': accepted } }).language([...available]);
  return available.find((each) => each === language) ?? available[0];
}

/** The language that the reader has chosen in the web application, or the best match for `Accept-Language`. */
export function readerLanguageOf(headers: IncomingHttpHeaders, unasked?: Language): Language {
  const chosen = parseCookie(headers.cookie ?? '')[LANGUAGE_COOKIE];
  return isLanguage(chosen) ? chosen : languageOf(headers, LANGUAGES, unasked);
}

/**
 * The locales for numbers and dates in each language: those of the country, if it is known, otherwise the reader's own.
 */
export function localesFor(headers: IncomingHttpHeaders, country: string | undefined): Locales {
  const preferred = new Negotiator({ headers }).languages();
  const localeFor = (language: Language) =>
    country === undefined ? readerLocaleOf(language, preferred) : localeIn(language, country);
  return { en: localeFor('en'), de: localeFor('de') };
}

/** @param preferred the locales of the reader, the most preferred first */
function readerLocaleOf(language: Language, preferred: readonly string[]): string {
  const isOfLanguage = (locale: string) => locale === language || locale.startsWith(`${language}-`);
  return preferred.find((locale) => isOfLanguage(locale) && isLocale(locale)) ?? language;
}

/** Misconfigured systems report locales such as `en-US@posix`, which `Intl` rejects. */
function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
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

/** How much the client wants each of these media types, from 0 to 1. Without an Accept header, it wants all. */
export function qualitiesOf<T extends string>({ accept }: IncomingHttpHeaders, types: readonly T[]): Record<T, number> {
  const ranges = accept === undefined || accept.trim() === '' ? '*/*' : withoutParameters(accept);
  return Object.fromEntries(types.map((type) => [type, qualityOf(type, ranges)])) as Record<T, number>;
}

/** The quality of a media type, from 0 to 1: that of its most specific range. Negotiator sorts by it, but hides it. */
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
export interface XmlResponse {
  root: XmlRoot;
  mediaType: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set if the client prefers XML and the operation has it; else null. */
    xml: XmlResponse | null;
  }
}
