import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import { endsTooEarly } from '../request-bodies.ts';
import { drain, noLine } from './ndjson-lines.ts';

/** So much of lines with an idempotency key lies in memory, before the first of them is done. */
export const MAX_WHOLE_BYTES = 4 * 1024 * 1024;

const SPACE = 0x20;

/**
 * Takes in all lines of a request before the first of them is done: with an idempotency key, it has to be known whether they are the same as before.
 *
 * @returns a digest of them
 * @throws Failure `too-large`; `invalid-input` where there is no line, or the body ends too early
 */
export async function receiveWholeLines(request: FastifyRequest): Promise<string> {
  const { raw } = request;
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_WHOLE_BYTES) break;
      parts.push(chunk);
    }
  } catch {
    throw endsTooEarly();
  }
  drain(raw);
  if (length > MAX_WHOLE_BYTES) throw tooMuch();
  const whole = Buffer.concat(parts);
  if (!whole.some((byte) => byte > SPACE)) throw noLine();
  request.wholeLines = whole;
  return hash('sha256', whole);
}

function tooMuch(): Failure {
  return new Failure(
    'too-large',
    `With an Idempotency-Key, a request may have at most ${MAX_WHOLE_BYTES} bytes of lines. Send smaller portions, each with its own key, or no key.`,
  );
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What was taken in, where it was taken in as a whole. */
    wholeLines: Buffer | null;
  }
}
