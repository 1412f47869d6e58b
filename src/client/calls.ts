import type { Endpoint } from '../api/endpoints.ts';
import { followEvents } from './event-stream.ts';
import { MenagerieError, NetworkError } from './failures.ts';
import { parameterText, readJson } from './int64-text.ts';
import type { Answered } from '../api/operation-types.ts';
import type { AnyOptions, Input } from './requests.ts';
import { linesOf } from './streams.ts';
import { NOT_MODIFIED } from './transport.ts';

/*
 * An operation as functions. What each of them takes and gives, the types say; here it is the same for all.
 */

/** Sends a request for an operation, and has the answer read. */
export type Send = <T>(
  asked: { endpoint: Endpoint; accept: string },
  input: Input,
  how: { options: AnyOptions; read: (response: Response) => T | Promise<T> },
) => Promise<T>;

type AnyFunction = (input?: Input, options?: AnyOptions) => unknown;

const PAGE_SIZE = 100;

export function operationOf(endpoint: Endpoint, send: Send): AnyFunction {
  return endpoint.answer === 'events' ? followed(endpoint, send) : asked(endpoint, send);
}

function asked(endpoint: Endpoint, send: Send): AnyFunction {
  const accept = endpoint.answer === 'picture' ? '*/*' : 'application/json';

  function answer(input: Input = {}, options: AnyOptions = {}): Promise<Answered<unknown>> {
    const read = async (response: Response) => ({
      status: response.status,
      value: response.status === NOT_MODIFIED ? undefined : await valueOf(response, endpoint),
      etag: response.headers.get('etag') ?? undefined,
      headers: response.headers,
    });
    return send({ endpoint, accept }, input, { options, read });
  }

  async function* pages(input: Input = {}, options: AnyOptions = {}): AsyncGenerator<unknown, void, void> {
    let cursor: unknown = input['cursor'];
    do {
      const page = await answer({ limit: PAGE_SIZE, ...input, cursor }, options);
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
    for await (const line of unbroken(linesOf(body), options.signal)) if (line !== '') yield readJson(line);
  }

  const call: AnyFunction = async (input, options) => {
    const { status, value } = await answer(input, options);
    if (status === NOT_MODIFIED) throw new MenagerieError({ status, message: 'What you have is the newest.' });
    return value;
  };
  return Object.assign(call, { answer, pages, all, lines });
}

function followed(endpoint: Endpoint, send: Send): AnyFunction {
  const events = { endpoint, accept: 'text/event-stream' };
  // As a header, which counts first: where it goes on moves from one connection to the next.
  return ({ lastEventId, ...input } = {}, options = {}) => {
    const from = options.lastEventId ?? lastEventId;
    return followEvents({
      lastEventId: from === undefined ? undefined : parameterText(from),
      signal: options.signal,
      connect: (position, signal) => {
        const connection = { ...options, signal, ...(position !== undefined && { lastEventId: position }) };
        return send(events, input, { options: connection, read: eventsIn });
      },
    });
  };
}

async function valueOf(response: Response, { answer }: Endpoint): Promise<unknown> {
  if (answer === 'picture') return response.blob();
  const text = await response.text();
  if (!isOfType(response, 'application/x-ndjson')) return readJson(text);
  // What answers line by line whatever is asked for: all of its lines.
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => readJson(line));
}

/** @throws MenagerieError where somebody else has answered, say the page of a network that wants a login */
async function eventsIn(response: Response): Promise<Response['body']> {
  if (isOfType(response, 'text/event-stream')) return response.body;
  await response.body?.cancel();
  throw new MenagerieError({ status: response.status, message: 'What answers there does not tell events.' });
}

function isOfType({ headers }: Response, mediaType: string): boolean {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === mediaType;
}

/** A page is a list, or has one beside what else there is to say of it. */
function recordsOf(page: unknown): readonly unknown[] {
  return Array.isArray(page) ? (page as unknown[]) : (page as { pets: readonly unknown[] }).pets;
}

/** Where the next page begins, by its Link (RFC 8288). */
export function nextCursor(headers: Headers): string | undefined {
  const url = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1];
  return url === undefined ? undefined : (new URL(url, 'http://localhost').searchParams.get('cursor') ?? undefined);
}

/** @throws NetworkError where the lines break off, and the reason of the signal where that ended them */
async function* unbroken(lines: AsyncIterable<string>, signal: AbortSignal | undefined) {
  try {
    yield* lines;
  } catch (error) {
    signal?.throwIfAborted();
    throw new NetworkError('The answer broke off.', { cause: error });
  }
}
