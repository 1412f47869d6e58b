import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

/** What a client takes, of what we have. */
export interface Accepts {
  json: boolean;
  /** Prefers errors as RFC 9457 problem documents. */
  problems: boolean;
  /** Prefers plain text to JSON, where an answer is a mere string. */
  plainText: boolean;
  /** Prefers records one a line to a JSON array. */
  ndjson: boolean;
  /** Prefers XML to JSON: the Content-Type that it then gets. */
  xml: string | undefined;
}

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

/** One JSON text a line (https://github.com/ndjson/ndjson-spec). */
export const NDJSON_TYPE = 'application/x-ndjson';

const ANYTHING: Accepts = { json: true, problems: false, plainText: false, ndjson: false, xml: undefined };

const XML_TYPES = ['application/xml', 'text/xml'] as const;

/** Pages: who wants these is a browser, which names XML for the sake of XHTML only. */
const PAGE_TYPES = ['text/html', 'application/xhtml+xml'];

/** Clients send the same few Accept headers again and again; beyond this many different ones, they are not remembered. */
const MAX_REMEMBERED = 200;
const remembered = new Map<string, Accepts>();

/** Content negotiation (RFC 9110, section 12.5.1). Who accepts problem documents takes JSON for a success. */
export function acceptsOf({ accept }: IncomingHttpHeaders): Accepts {
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return ANYTHING;
  const known = remembered.get(accept);
  if (known !== undefined) return known;
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
  if (remembered.size < MAX_REMEMBERED) remembered.set(accept, accepts);
  return accepts;
}

/** Does the client like a page at least as much as JSON? Browsers do, and who takes anything. */
export function acceptsPage({ accept = '*/*' }: IncomingHttpHeaders): boolean {
  const [best] = new Negotiator({ headers: { accept: withoutParameters(accept) } }).mediaTypes([
    'text/html',
    JSON_TYPE,
  ]);
  return best === 'text/html';
}

/** Does it ask for a page by name? A browser does where somebody has followed a link, and not for a picture or a script. */
export function asksForPage(headers: IncomingHttpHeaders): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '') && acceptsPage(headers);
}

/** Java's HttpURLConnection asks for text/html in every request, unless the program sets Accept. */
const DEFAULT_ACCEPT_OF_JAVA = 'text/html, image/gif, image/jpeg, *';

/** Does it look like a browser that opens an address, rather than a script or an API client? */
export function isNavigation(headers: IncomingHttpHeaders): boolean {
  return asksForPage(headers) && headers.accept?.startsWith(DEFAULT_ACCEPT_OF_JAVA) !== true;
}

/** The language that a reader likes best of these (RFC 9110, section 12.5.4); the first where that cannot be told. */
export function languageOf<T extends string>(headers: IncomingHttpHeaders, available: readonly [T, ...T[]]): T {
  const { 'accept-language': accepted = '*' } = headers;
  const language = new Negotiator({ headers: { 'accept-language': accepted } }).language([...available]);
  return available.find((each) => each === language) ?? available[0];
}

/** Content codings (RFC 9110, section 8.4.1), the best first. */
const ENCODINGS = ['br', 'gzip'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** How it is compressed for this client, of the ways that there are; undefined for as it is. */
export function encodingOf(
  headers: IncomingHttpHeaders,
  available: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  const { 'accept-encoding': accepted } = headers;
  if (accepted === undefined) return undefined;
  // All that are liked better than none; which of them, the size decides.
  const liked = new Negotiator({ headers: { 'accept-encoding': accepted } }).encodings([...available, 'identity']);
  const better = liked.slice(0, liked.includes('identity') ? liked.indexOf('identity') : undefined);
  return ENCODINGS.find((encoding) => better.includes(encoding));
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const EVENTS_TYPE = 'text/event-stream';

export function acceptsEvents({ accept = EVENTS_TYPE }: IncomingHttpHeaders): boolean {
  return new Negotiator({ headers: { accept: withoutParameters(accept) } }).mediaTypes([EVENTS_TYPE]).length > 0;
}

/**
 * The Content-Type of XML, for who takes no JSON or likes it less. Not the order of the header decides (Swagger UI names XML first), and browsers,
 * which like anything less than XML, get JSON all the same, which they can show.
 */
function preferredXml(ranges: string): string | undefined {
  const json = Math.max(qualityOf(JSON_TYPE, ranges), qualityOf(PROBLEM_TYPE, ranges));
  const [application, text] = XML_TYPES.map((type) => qualityOf(type, ranges)) as [number, number];
  if (Math.max(application, text) <= json) return undefined;
  if (json > 0 && PAGE_TYPES.some((type) => ranges.includes(type))) return undefined;
  // Older clients take text/* without a charset for ISO-8859-1, and do not look into the document.
  return text > application ? 'text/xml; charset=utf-8' : 'application/xml';
}

/** How much a media type is liked, from 0 to 1: by the range that names it most exactly. */
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
 * The media ranges of a header with their quality: `text/html,application/json;q=0.5`. Clients write `application/json; charset=utf-8`: JSON has no
 * parameters that we could match.
 */
function withoutParameters(accept: string): string {
  const ranges = accept
    .toLowerCase()
    .replaceAll(/"[^"]*"?/g, '')
    .split(',');
  return ranges
    .map((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
      const weights = parameters.map((parameter) => parameter.split('=').map((part) => part.trim()));
      const [, quality] = weights.find(([parameter]) => parameter === 'q') ?? [];
      return quality === undefined ? name : `${name};q=${quality}`;
    })
    .join();
}
