import type { Endpoint } from '../api/endpoints.ts';
import { followEvents } from './event-stream.ts';
import { MenagerieError, NetworkError } from './failures.ts';
import { parameterText, type Integers, readJson } from './int64-text.ts';
import type { ClientResponse } from '../api/documents/operation-types.ts';
import type { AnyOptions, Input } from './requests.ts';
import { linesOf } from './streams.ts';
import { NOT_MODIFIED } from './transport.ts';

/*
 * The functions of an operation, untyped. `Operations` has the types of each.
 */

/** Sends a request for an operation, and reads the response with `read`. */
export type Send = <T>(
  target: { endpoint: Endpoint; accept: string },
  input: Input,
  call: { options: AnyOptions; read: (response: Response) => T | Promise<T> },
) => Promise<T>;

type AnyFunction = (input?: Input, options?: AnyOptions) => unknown;

const PAGE_SIZE = 100;

export function operationOf(endpoint: Endpoint, send: Send, integers: Integers): AnyFunction {
  return endpoint.response === 'events'
    ? eventsOperation(endpoint, send, integers)
    : requestOperation(endpoint, send, integers);
}

function requestOperation(endpoint: Endpoint, send: Send, integers: Integers): AnyFunction {
  const accept = endpoint.response === 'photo' ? '*/*' : 'application/json';

  function response(input: Input = {}, options: AnyOptions = {}): Promise<ClientResponse<unknown>> {
    const read = async (response: Response) => ({
      status: response.status,
      value: response.status === NOT_MODIFIED ? undefined : await valueOf(response, endpoint, integers),
      etag: response.headers.get('etag') ?? undefined,
      headers: response.headers,
    });
    return send({ endpoint, accept }, input, { options, read });
  }

  async function* pages(input: Input = {}, options: AnyOptions = {}): AsyncGenerator<unknown, void, void> {
    let cursor: unknown = input['cursor'];
    do {
      const page = await response({ limit: PAGE_SIZE, ...input, cursor }, options);
      yield page.value;
      cursor = nextCursor(page.headers);
    } while (cursor !== undefined);
  }

  async function* all(input?: Input, options?: AnyOptions): AsyncGenerator<unknown, void, void> {
    for await (const page of pages(input, options)) yield* recordsOf(page);
  }

  async function* lines(input: Input = {}, options: AnyOptions = {}): AsyncGenerator<unknown, void, void> {
    const ndjson = { endpoint, accept: 'application/x-ndjson' };
    const body = await send(ndjson, input, { options, read: (response) => response.body });
    for await (const line of wholeLines(linesOf(body), options.signal)) if (line !== '') yield readJson(line, integers);
  }

  const call: AnyFunction = async (input, options) => {
    const { status, value } = await response(input, options);
    if (status === NOT_MODIFIED) throw new MenagerieError({ status, message: 'Not modified' });
    return value;
  };
  return Object.assign(call, { response, pages, all, lines });
}

function eventsOperation(endpoint: Endpoint, send: Send, integers: Integers): AnyFunction {
  const events = { endpoint, accept: 'text/event-stream' };
  // Sent as a header, which overrides the query: the position changes with every connection.
  return ({ lastEventId, ...input } = {}, options = {}) => {
    const from = options.lastEventId ?? lastEventId;
    return followEvents({
      lastEventId: from === undefined ? undefined : parameterText(from),
      signal: options.signal,
      integers,
      connect: (position, signal) => {
        const connection = { ...options, signal, ...(position !== undefined && { lastEventId: position }) };
        return send(events, input, { options: connection, read: eventsIn });
      },
    });
  };
}

async function valueOf(response: Response, endpoint: Endpoint, integers: Integers): Promise<unknown> {
  if (endpoint.response === 'photo') return response.blob();
  // It may not fit into memory.
  if (['application/x-tar', 'application/zip'].some((type) => isOfType(response, type))) return response.body;
  const text = await response.text();
  if (isOfType(response, 'text/csv') || isOfType(response, 'text/plain')) return text;
  if (!isOfType(response, 'application/x-ndjson')) return readJson(text, integers);
  // Some operations always respond with lines.
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => readJson(line, integers));
}

/** @throws MenagerieError if the response is from something else, such as the login page of a network */
async function eventsIn(response: Response): Promise<Response['body']> {
  if (isOfType(response, 'text/event-stream')) return response.body;
  await response.body?.cancel();
  throw new MenagerieError({ status: response.status, message: 'The response is not an event stream.' });
}

function isOfType({ headers }: Response, mediaType: string): boolean {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === mediaType;
}

/** A page is a list, or an object with a list and totals. */
function recordsOf(page: unknown): readonly unknown[] {
  return Array.isArray(page) ? (page as unknown[]) : (page as { pets: readonly unknown[] }).pets;
}

/** The cursor of the next page, from the Link header (RFC 8288). */
export function nextCursor(headers: Headers): string | undefined {
  const url = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1];
  return url === undefined ? undefined : (new URL(url, 'http://localhost').searchParams.get('cursor') ?? undefined);
}

/** @throws NetworkError if the lines are cut off, and the reason of the signal if it was aborted */
async function* wholeLines(lines: AsyncIterable<string>, signal: AbortSignal | undefined) {
  try {
    yield* lines;
  } catch (error) {
    signal?.throwIfAborted();
    throw new NetworkError('The connection was closed before the end of the response.', { cause: error });
  }
}
