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
}

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

/** One JSON text a line (https://github.com/ndjson/ndjson-spec). */
export const NDJSON_TYPE = 'application/x-ndjson';

const ANYTHING: Accepts = { json: true, problems: false, plainText: false, ndjson: false };

/** Clients send the same few Accept headers again and again; beyond this many different ones, they are not remembered. */
const MAX_REMEMBERED = 200;
const remembered = new Map<string, Accepts>();

/** Content negotiation (RFC 9110, section 12.5.1). Who accepts problem documents takes JSON for a success. */
export function acceptsOf({ accept }: IncomingHttpHeaders): Accepts {
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return ANYTHING;
  const known = remembered.get(accept);
  if (known !== undefined) return known;
  const negotiator = new Negotiator({ headers: { accept: withoutParameters(accept) } });
  const [best] = negotiator.mediaTypes([JSON_TYPE, PROBLEM_TYPE]);
  const accepts = {
    json: best !== undefined,
    problems: best === PROBLEM_TYPE,
    plainText: negotiator.mediaTypes([JSON_TYPE, 'text/plain'])[0] === 'text/plain',
    ndjson: negotiator.mediaTypes([JSON_TYPE, NDJSON_TYPE])[0] === NDJSON_TYPE,
  };
  if (remembered.size < MAX_REMEMBERED) remembered.set(accept, accepts);
  return accepts;
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const EVENTS_TYPE = 'text/event-stream';

export function acceptsEvents({ accept = EVENTS_TYPE }: IncomingHttpHeaders): boolean {
  return new Negotiator({ headers: { accept: withoutParameters(accept) } }).mediaTypes([EVENTS_TYPE]).length > 0;
}

/** Clients write `application/json; charset=utf-8`: JSON has no parameters that we could match, so only the quality counts. */
function withoutParameters(accept: string): string {
  return accept.replaceAll(/;(?!\s*q\s*=)[^;,"]*(?:"[^"]*")?/gi, '');
}
