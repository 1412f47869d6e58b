import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import { endsTooEarly } from '../request-bodies.ts';

export interface Line {
  /** From 1 on, blank ones counted. */
  number: number;
  /** Without its end. Undefined where it is too long: then it was passed over. */
  bytes: Buffer | undefined;
}

export interface LineLimits {
  maxLineBytes: number;
  maxLines: number;
}

const LINE_FEED = 0x0a;
const BLANK = /^[ \t\r]*$/;
const LONGEST_BLANK = 100;

/** What is still read of a body beyond its last line, so that the client gets to the answer. */
const MAX_DRAINED_BYTES = 64 * 1024 * 1024;

/**
 * The lines of a body as they arrive, but for blank ones. Of a body that ends too early, a line that has not ended is none. The first line beyond
 * `maxLines` is the last one, and has no bytes.
 */
export async function* readLines(body: Readable, limits: LineLimits): AsyncGenerator<Line, void, void> {
  const { maxLineBytes, maxLines } = limits;
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;

  function add(part: Buffer): void {
    length += part.length;
    if (length <= maxLineBytes) parts.push(part);
    else parts = [];
  }

  function take(): Line | undefined {
    const bytes = length <= maxLineBytes ? Buffer.concat(parts) : undefined;
    [parts, length] = [[], 0];
    if (bytes !== undefined && isBlank(bytes)) return void number++;
    // Beyond the last one, what is in it does not matter.
    return { bytes: number > maxLines ? undefined : bytes, number: number++ };
  }

  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        add(chunk.subarray(start, end));
        start = end + 1;
        const line = take();
        if (line !== undefined) yield line;
        if (number > maxLines + 1) return;
      }
      add(chunk.subarray(start));
    }
    const last = length > 0 ? take() : undefined;
    if (last !== undefined) yield last;
  } finally {
    drain(body);
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length <= LONGEST_BLANK && BLANK.test(bytes.toString('latin1'));
}

export function noLine(): Failure {
  return new Failure('invalid-input', 'There is no line. Send one JSON object a line, such as {"op":"delete","id":1}.');
}

/** Reads what is left, so that the client gets to the answer. */
export function drain(body: Readable): void {
  if (body.readableEnded || body.destroyed) return;
  let drained = 0;
  body.on('data', (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > MAX_DRAINED_BYTES) body.destroy();
  });
  body.resume();
}

/** Maximum size of a request with an idempotency key: all of its lines are in memory before the first is executed. */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024;

const SPACE = 0x20;

/**
 * Reads all lines of a request into `request.wholeLines`. A request with an idempotency key is compared with earlier attempts before its first line is executed.
 *
 * @returns the digest of the lines
 * @throws Failure `too-large`; `invalid-input` if there is no line, or the body ends too early
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
  if (length > MAX_WHOLE_BYTES) throw tooManyBytes();
  const whole = Buffer.concat(parts);
  if (!whole.some((byte) => byte > SPACE)) throw noLine();
  request.wholeLines = whole;
  return hash('sha256', whole);
}

function tooManyBytes(): Failure {
  return new Failure(
    'too-large',
    `With an Idempotency-Key, a request may have at most ${MAX_WHOLE_BYTES} bytes of lines. Send smaller portions, each with its own key, or no key.`,
  );
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The body, if it was read as a whole. */
    wholeLines: Buffer | null;
  }
}
