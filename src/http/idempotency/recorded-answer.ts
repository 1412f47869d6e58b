import type { FastifyReply } from 'fastify';
import type { AnswerText } from '../../domain/idempotency/idempotency.ts';

/*
 * An answer as text, to be sent again byte for byte.
 */

interface RecordedAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[]>>;
  body: string | null;
  /** The body was bytes, and is written in base64. */
  isBytes: boolean;
}

/** Of how an answer is sent, not of what it says; each answer gets its own. */
const OF_SENDING = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'vary']);

export function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
}

export function answerTextOf(reply: FastifyReply, payload: unknown): AnswerText {
  const isBytes = Buffer.isBuffer(payload);
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value === undefined || OF_SENDING.has(name) || name.startsWith('access-control-')) continue;
    headers[name] = Array.isArray(value) ? value : String(value);
  }
  const body = isBytes ? payload.toString('base64') : typeof payload === 'string' ? payload : null;
  return JSON.stringify({ status: reply.statusCode, headers, body, isBytes } satisfies RecordedAnswer);
}

export function sendAgain(reply: FastifyReply, text: AnswerText): FastifyReply {
  const { status, headers, body, isBytes } = JSON.parse(text) as RecordedAnswer;
  reply.code(status).headers(headers).header('idempotency-replayed', 'true');
  if (body === null) return reply.send();
  return isBytes
    ? reply.send(Buffer.from(body, 'base64'))
    : reply.serializer((same: unknown) => same as string).send(body);
}
