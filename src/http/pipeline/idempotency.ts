import { hash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, onSendHookHandler, RouteHandlerMethod } from 'fastify';
import type { Logger } from 'pino';
import { Failure } from '../../domain/failure.ts';
import {
  doneBefore,
  RENEWAL_MS,
  type ResponseText,
  type BegunRequest,
  type Idempotency,
} from '../../domain/idempotency/idempotency.ts';
import { actorOf } from './identify-actor.ts';
import { receiveWholeLines } from './ndjson-lines.ts';
import type { ReceiveUpload } from './upload.ts';

interface IdempotentRequestsDeps {
  idempotency: Idempotency;
  /**
   * Receives the upload of a request. Uploads are compared by content, because each attempt has a different multipart
   * boundary.
   */
  receive: ReceiveUpload;
  log: Logger;
}

/** A pending request with an idempotency key. */
interface ClaimedRequest {
  begun: BegunRequest;
  /** Whether the response has begun. Later errors do not change the record. */
  isSettled: boolean;
  stopRenewing: () => void;
}

/** Longer responses are sent, but not recorded. */
const MAX_RECORDED_BYTES = 1024 * 1024;

/** Statuses that a retry may not get, because they depend on credentials, limits or availability. */
const NOT_RECORDED = new Set([401, 403, 408, 413, 429]);

/**
 * Supports `Idempotency-Key` on every POST (draft-ietf-httpapi-idempotency-key-header). Requests without it pass
 * unchanged. A request whose body fails validation does not use up its key.
 */
export class IdempotentRequests {
  readonly #deps: IdempotentRequestsDeps;

  constructor(deps: IdempotentRequestsDeps) {
    this.#deps = deps;
  }

  /** Returns a handler that executes the given one once per idempotency key. */
  handle(handler: RouteHandlerMethod): RouteHandlerMethod {
    const execute = this.#execute.bind(this, handler);
    return function (request, reply) {
      return request.headers['idempotency-key'] === undefined
        ? handler.call(this, request, reply)
        : execute(request, reply);
    };
  }

  /** Records the response before it is sent. */
  readonly onSend: onSendHookHandler = (request, reply, payload, done) => {
    const { claimed } = request;
    if (claimed === null || claimed.isSettled) return done(null, payload);
    claimed.isSettled = true;
    this.#record(request, reply, claimed, payload).then((recorded) => done(null, recorded), done);
  };

  async #execute(handler: RouteHandlerMethod, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    try {
      const begun = await this.#begin(request);
      if (begun.kind === 'recorded') return await replay(reply, begun.response);
      request.claimed = { begun, isSettled: false, stopRenewing: this.#keepRenewing(begun) };
      return await handler.call(request.server, request, reply);
    } catch (error) {
      // An earlier attempt has made the change, even if this one fails.
      throw request.claimed?.begun.isResumed === true ? doneBefore() : error;
    } finally {
      await request.upload?.file.discard();
    }
  }

  async #begin(request: FastifyRequest): Promise<ReturnType<Idempotency['begin']>> {
    const key = readKey(request);
    const body = await this.#digestOfBody(request);
    return this.#deps.idempotency.begin(actorOf(request), {
      key,
      content: digestOf(request, body ?? ''),
      // Operations that respond with records make many changes.
      isOneChange: request.routeConfig?.response !== 'records',
      hasSecret: request.routeConfig?.isPrivate === true,
    });
  }

  async #digestOfBody(request: FastifyRequest): Promise<string | null | undefined> {
    const { body } = request.routeConfig ?? {};
    if (body === 'multipart') return (await this.#deps.receive(request)).digest;
    return body === 'ndjson' ? receiveWholeLines(request) : request.bodyDigest;
  }

  #keepRenewing(begun: BegunRequest): () => void {
    let isRenewing = false;
    const renew = async () => {
      // While the database is unreachable, renewals would queue up.
      if (isRenewing) return;
      isRenewing = true;
      try {
        await begun.renew();
      } catch (error) {
        // Harmless, because every change checks the claim.
        this.#deps.log.debug({ err: error }, 'failed to renew a claim');
      } finally {
        isRenewing = false;
      }
    };
    const timer = setInterval(() => void renew(), RENEWAL_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  async #record(
    request: FastifyRequest,
    reply: FastifyReply,
    claimed: ClaimedRequest,
    payload: unknown,
  ): Promise<unknown> {
    const { begun, stopRenewing } = claimed;
    const isRecorded = mayRecord(request, reply.statusCode, begun);
    if (payload instanceof Readable && isRecorded) return this.#recordStream(reply, claimed, payload);
    stopRenewing();
    const isSmall = sizeOf(payload) <= MAX_RECORDED_BYTES;
    await this.#settle(() =>
      isRecorded ? recordResponse(reply, begun, isSmall ? responseText(reply, payload) : undefined) : begun.release(),
    );
    return payload;
  }

  /** A client that disconnects may retry to get the response, so the work continues and the response is recorded. */
  #recordStream(reply: FastifyReply, claimed: ClaimedRequest, stream: Readable): Readable {
    const sent = new PassThrough();
    if (reply.raw.destroyed) sent.destroy();
    else reply.raw.once('close', () => sent.destroy());
    this.#copyStream(reply, claimed, stream, sent).then(
      () => sent.end(),
      (error: unknown) => sent.destroy(error as Error),
    );
    return sent;
  }

  /**
   * Resolves when the response is recorded. If the stream fails, no response is recorded, but the key stays used if
   * something was changed.
   */
  async #copyStream(
    reply: FastifyReply,
    { begun, stopRenewing }: ClaimedRequest,
    stream: Readable,
    sent: PassThrough,
  ): Promise<void> {
    let chunks: Buffer[] = [];
    let size = 0;
    let isComplete = false;
    try {
      for await (const data of stream as AsyncIterable<Buffer | string>) {
        const chunk = Buffer.from(data as string);
        size += chunk.byteLength;
        if (size <= MAX_RECORDED_BYTES) chunks.push(chunk);
        else chunks = [];
        if (!sent.destroyed && !sent.write(chunk)) await drained(sent);
      }
      isComplete = true;
    } finally {
      stopRenewing();
      const text = () => (size <= MAX_RECORDED_BYTES ? responseText(reply, Buffer.concat(chunks)) : undefined);
      await this.#settle(() => (isComplete ? recordResponse(reply, begun, text()) : begun.release()));
    }
  }

  /** The client gets its response even if this fails, because the changes themselves carry the claim. */
  async #settle(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      const message = 'failed to record the response to a request with an idempotency key';
      if (error instanceof Failure) this.#deps.log.debug({ err: error }, message);
      else this.#deps.log.error({ err: error }, message);
    });
  }
}

/** Refusals of operations that do not identify the actor are not recorded, because they could fill the database. */
function mayRecord({ routeConfig }: FastifyRequest, status: number, { isResumed }: BegunRequest): boolean {
  if (status < 400) return true;
  return status < 500 && !NOT_RECORDED.has(status) && !isResumed && routeConfig?.identifiesActor === true;
}

function recordResponse({ statusCode }: FastifyReply, begun: BegunRequest, text: ResponseText | undefined) {
  return statusCode < 400 ? begun.record(text) : begun.recordRefusal(text);
}

/** Resolves when the stream accepts data again, or is closed. */
function drained(stream: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stream.off('drain', end).off('close', end);
      resolve();
    };
    stream.on('drain', end).on('close', end);
  });
}

/** Identifies the content of a request. */
function digestOf({ method, url, headers }: FastifyRequest, bodyDigest: string): string {
  const { 'content-type': type = '', 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  const mediaType = /^multipart\/form-data/i.test(type) ? 'multipart/form-data' : type;
  return hash('sha256', JSON.stringify([method, url, mediaType, ifMatch, ifNoneMatch, bodyDigest]));
}

const KEY =
  /^(?:"(?<quoted>(?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"|(?<bare>[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+))$/;
const MAX_KEY_LENGTH = 255;

/** Reads the header: a string of RFC 8941, or the bare text that most clients send. @throws Failure `invalid-input` */
function readKey({ headers, raw }: FastifyRequest): string {
  const given = raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'idempotency-key');
  const value = headers['idempotency-key'];
  const groups = typeof value === 'string' && given.length === 1 ? KEY.exec(value)?.groups : undefined;
  const key = groups?.['quoted']?.replaceAll(/\\(["\\])/g, '$1') ?? groups?.['bare'];
  if (key !== undefined && key.length <= MAX_KEY_LENGTH) return key;
  throw new Failure(
    'invalid-input',
    `Idempotency-Key must be given once, with 1 to ${MAX_KEY_LENGTH} visible ASCII characters. Use a UUID in double quotes.`,
  );
}

/** A response that can be replayed byte for byte. */
interface RecordedResponse {
  status: number;
  headers: Readonly<Record<string, string | string[]>>;
  body: string | null;
  /** Whether the body is base64. */
  isBytes: boolean;
}

/** Headers that are set for each response, and not recorded. */
const PER_RESPONSE = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'vary']);

function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
}

function responseText(reply: FastifyReply, payload: unknown): ResponseText {
  const isBytes = Buffer.isBuffer(payload);
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value === undefined || PER_RESPONSE.has(name) || name.startsWith('access-control-')) continue;
    headers[name] = Array.isArray(value) ? value : String(value);
  }
  const body = isBytes ? payload.toString('base64') : typeof payload === 'string' ? payload : null;
  return JSON.stringify({ status: reply.statusCode, headers, body, isBytes } satisfies RecordedResponse);
}

function replay(reply: FastifyReply, text: ResponseText): FastifyReply {
  const { status, headers, body, isBytes } = JSON.parse(text) as RecordedResponse;
  reply.code(status).headers(headers).header('idempotency-replayed', 'true');
  if (body === null) return reply.send();
  return isBytes
    ? reply.send(Buffer.from(body, 'base64'))
    : reply.serializer((same: unknown) => same as string).send(body);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for requests without an idempotency key. */
    claimed: ClaimedRequest | null;
  }
}
