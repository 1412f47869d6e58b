import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import {
  FAILURE_STATUS,
  failureText,
  problemText,
  unexpectedProblemText,
  unexpectedText,
} from '../../api/records/response-texts.ts';
import { ACCEPT_PATCH } from '../../api/endpoints.ts';
import { Failure, PlannedError, type FailureParameters } from '../../domain/failure.ts';
import { OAUTH_SCOPES } from '../../domain/oauth/client.ts';
import { policyField, remainingField } from './rate-limit-fields.ts';
import { acceptsOf } from './negotiation.ts';
import { sendText, sendXml } from './response.ts';
import { headerLines, type CommonHeaders } from './common-headers.ts';
import { endsTooEarly } from './request-bodies.ts';
import { logFieldsOf } from './traced-requests.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Errors of Fastify as failures. */
const FRAMEWORK_FAILURES: Readonly<Record<string, FailureParameters>> = {
  FST_ERR_BAD_URL: ['invalid-input', 'The address is not properly percent-encoded UTF-8.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['too-large', 'The body is larger than this service takes.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported-media-type', 'The Content-Type header is not a media type.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid-input', 'The body is not as long as its Content-Length says.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not-found', 'The address is longer than any that this service knows.'],
};

/** Limits for reading the rest of a body, so that a client that is still sending can read the response. */
const MAX_DRAINED_BYTES = 64 * 1024 * 1024;
const MAX_DRAIN_MS = 10_000;

/** Time for a client to read the response to an invalid request. */
const MAX_LINGER_MS = 2000;

/**
 * Responds to errors. The response to a Failure has its code and message. Any other error is a bug: it is logged, and
 * the response has a fixed message.
 */
export function respondToFailures(log: Logger) {
  return async (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    await drain(request.raw);
    // An error is not a file to save.
    reply.removeHeader('content-disposition');
    const logged = logFieldsOf(request);
    if (isAborted(request.raw)) log.debug(logged, 'the client closed the connection before the end of the body');
    const failure = error === request.raw.errored ? endsTooEarly() : toFailure(error);
    if (failure === undefined) {
      if (!(error instanceof PlannedError)) log.error({ err: error, ...logged }, 'unexpected error');
      reply.code(500).removeHeader('etag');
      return sendError(
        reply,
        () => unexpectedText(request.id),
        () => unexpectedProblemText(request.id),
      );
    }
    const { retryAfterSeconds, limit, allow, missingScope, secondFactor, proof } = failure.details;
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
    if (limit !== undefined) {
      const resetSeconds = limit.windowSeconds === undefined ? undefined : retryAfterSeconds;
      reply.header('ratelimit-policy', policyField(limit)).header('ratelimit', remainingField(limit, 0, resetSeconds));
    }
    if (allow !== undefined) reply.header('allow', allow.join(', '));
    if (secondFactor !== undefined) reply.header('x-second-factor', secondFactor.join(', '));
    if (proof !== undefined) reply.header('x-proof-required', proof.join(', '));
    if ((failure.code === 'unauthenticated' || missingScope !== undefined) && !reply.hasHeader('www-authenticate'))
      reply.header('www-authenticate', challenge(missingScope));
    if (failure.code === 'unsupported-media-type' && request.routeConfig?.body === 'merge-patch')
      reply.header('accept-patch', ACCEPT_PATCH);
    reply.code(FAILURE_STATUS[failure.code]);
    return sendError(
      reply,
      () => failureText(failure),
      () => problemText(failure),
    );
  };
}

/** RFC 6750, section 3. A program cannot ask for every scope. */
function challenge(missingScope: string | null | undefined): string {
  const error = missingScope === undefined ? '' : ', error="insufficient_scope"';
  const scope = OAUTH_SCOPES.find((each) => each === missingScope);
  return `Bearer realm="menagerie"${error}${scope === undefined ? '' : `, scope="${scope}"`}`;
}

/** Logs a streamed response that failed after its success status was sent. */
export function logTruncated(log: Logger) {
  return (error: Error, request: FastifyRequest): void => {
    log.error({ err: error, ...logFieldsOf(request) }, 'response failed after it had begun; connection reset');
  };
}

/** Sends an error in the format that the client prefers. It is XML only for operations that have XML. */
function sendError(reply: FastifyReply, text: () => string, problem: () => string): FastifyReply {
  const { headers, routeConfig } = reply.request;
  const { problems, xml } = acceptsOf(headers);
  if (xml !== undefined && routeConfig?.xml !== undefined)
    return sendXml(reply, text(), { root: 'ApiResponse', mediaType: xml });
  return problems
    ? sendText(reply, problem(), 'application/problem+json')
    : sendText(reply, text(), 'application/json');
}

export function refuseUnknownPath(): never {
  throw new Failure('not-found', 'Not found. The API is at /v2.');
}

/** Responds to invalid HTTP, to which Fastify cannot respond, and closes the connection. */
export function respondToClientErrors(headers: CommonHeaders) {
  const lines = headerLines(headers);
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const failure = clientFailure(error.code);
    const status = FAILURE_STATUS[failure.code];
    const body = failureText(failure);
    socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        `${lines}Content-Type: application/json`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
    // Only this side has been closed, so a client that continues to send would keep the connection open.
    setTimeout(() => socket.destroy(), MAX_LINGER_MS).unref();
  };
}

/** Responds to an unknown Expect header. Without this listener, Node would send a response without a body. */
export function refuseUnknownExpectations(_request: IncomingMessage, response: ServerResponse): void {
  const failure = new Failure(
    'unknown-expectation',
    'Unsupported expectation; the only supported one is 100-continue.',
  );
  const body = failureText(failure);
  response
    .writeHead(FAILURE_STATUS[failure.code], {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    })
    .end(body);
}

function clientFailure(code: string | undefined): Failure {
  if (code === 'HPE_HEADER_OVERFLOW') return new Failure('headers-too-large', 'The request headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Failure('timed-out', 'The request timed out before it was complete.');
  return new Failure('invalid-input', 'Invalid HTTP request');
}

function toFailure(error: FastifyError | Error): Failure | undefined {
  if (error instanceof Failure) return error;
  if (!('code' in error)) return undefined;
  const known = FRAMEWORK_FAILURES[error.code];
  if (known !== undefined) return new Failure(...known);
  const isClients = error.code.startsWith('FST_') && (error.statusCode ?? 500) < 500;
  return isClients ? new Failure('invalid-input', 'Invalid request') : undefined;
}

/** Whether the client closed the connection before the end of the request. */
function isAborted({ destroyed, complete }: IncomingMessage): boolean {
  return destroyed && !complete;
}

/**
 * Reads the request to its end, within limits. Many clients lose a response that arrives while they are still sending.
 */
async function drain(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  const timeout = new AbortController();
  let drained = 0;
  await new Promise<void>((resolve) => {
    request.on('data', (chunk: Buffer) => {
      drained += chunk.byteLength;
      if (drained > MAX_DRAINED_BYTES) resolve();
    });
    request.once('end', resolve).once('close', resolve).once('error', resolve);
    request.resume();
    delay(MAX_DRAIN_MS, undefined, { signal: timeout.signal, ref: false }).then(resolve, () => {});
  });
  timeout.abort();
}
