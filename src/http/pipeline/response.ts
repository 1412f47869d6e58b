import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable, type ReadableOptions } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiResponseText } from '../../api/records/response-texts.ts';
import { xmlDocument } from '../../api/xml/write-xml.ts';
import { JSON_TYPE, type XmlResponse } from './negotiation.ts';
import { turnClientOf, type TurnClient } from './network-turns.ts';

/*
 * Sending of responses. Routes send JSON texts, which are converted for clients that prefer XML, so that no route
 * depends on it.
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
  const stream = Readable.from(inThisContext(chunks), options);
  stream.once('error', (error) => {
    // Before the first chunk, Fastify sends an error response.
    if (!reply.raw.headersSent) return;
    reply.server.onTruncated(error, reply.request);
    reply.raw.socket?.resetAndDestroy();
  });
  return reply.send(stream);
}

/**
 * Reads on in the asynchronous context of the request. Otherwise, a generator would continue in that of its reader: the
 * connection, which had other requests before.
 */
function inThisContext<T>(chunks: AsyncIterable<T>): AsyncIterable<T> {
  const run = AsyncLocalStorage.snapshot();
  return {
    [Symbol.asyncIterator]() {
      const iterator = chunks[Symbol.asyncIterator]();
      return {
        next: () => run(() => iterator.next()),
        return: (value) =>
          run(() => iterator.return?.(value) ?? Promise.resolve({ done: true as const, value: undefined })),
      };
    },
  };
}

/**
 * The body of a response to HEAD with a given or unknown length. Without a body, Fastify would set Content-Length to 0.
 */
export function emptyBody(): Readable {
  return Readable.from([]);
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Called when a streamed response fails after its beginning. */
    onTruncated: (error: Error, request: FastifyRequest) => void;
  }
}
