import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import { endsTooEarly } from './request-bodies.ts';

export interface Line {
  /** The line number from 1, counting blank lines. */
  number: number;
  /** The line without its line feed; undefined if it is too long, and was skipped. */
  bytes: Buffer | undefined;
}

interface LineLimits {
  maxLineBytes: number;
  maxLines: number;
}

const LINE_FEED = 0x0a;
const BLANK = /^[ \t\r]*$/;
const MAX_BLANK_BYTES = 100;

/** Maximum bytes read after the last line, so that the client gets to read the response. */
const MAX_DRAINED_BYTES = 64 * 1024 * 1024;

/**
 * Yields the lines of a body as they arrive, except blank ones. If the body ends too early, its incomplete last line is
 * dropped. The first line beyond `maxLines` is the last one, and has no bytes.
 */
export async function* readLines(body: Readable, limits: LineLimits): AsyncGenerator<Line, void, void> {
  const { maxLineBytes, maxLines } = limits;
  let chunks: Buffer[] = [];
  let length = 0;
  let number = 1;

  function add(bytes: Buffer): void {
    length += bytes.length;
    if (length <= maxLineBytes) chunks.push(bytes);
    else chunks = [];
  }

  function take(): Line | undefined {
    const bytes = length <= maxLineBytes ? Buffer.concat(chunks) : undefined;
    [chunks, length] = [[], 0];
    if (bytes !== undefined && isBlank(bytes)) return void number++;
    // The content of a line beyond the maximum is not needed.
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
  return bytes.length <= MAX_BLANK_BYTES && BLANK.test(bytes.toString('latin1'));
}

export function noLine(): Failure {
  return new Failure(
    'invalid-input',
    'The request has no lines. Send one JSON object per line, such as {"op":"delete","id":1}.',
  );
}

/** Reads the rest of the body, so that the client gets to read the response. */
function drain(body: Readable): void {
  if (body.readableEnded || body.destroyed) return;
  let drained = 0;
  body.on('data', (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > MAX_DRAINED_BYTES) body.destroy();
  });
  body.resume();
}

/**
 * Maximum size of a request with an idempotency key, whose lines are all read into memory before the first is executed.
 */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024;

const SPACE = 0x20;

/**
 * Reads all lines of a request into `request.wholeLines`: a request with an idempotency key is compared with earlier
 * attempts before its first line is executed.
 *
 * @returns the digest of the lines
 * @throws Failure `too-large`; `invalid-input` if there is no line, or the body ends too early
 */
export async function receiveWholeLines(request: FastifyRequest): Promise<string> {
  const { raw } = request;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_WHOLE_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    throw endsTooEarly();
  }
  drain(raw);
  if (length > MAX_WHOLE_BYTES) throw tooManyBytes();
  const whole = Buffer.concat(chunks);
  if (!whole.some((byte) => byte > SPACE)) throw noLine();
  request.wholeLines = whole;
  return hash('sha256', whole);
}

function tooManyBytes(): Failure {
  return new Failure(
    'too-large',
    `With an Idempotency-Key, a request may have at most ${MAX_WHOLE_BYTES} bytes. Send smaller batches, each with its own key, or no key.`,
  );
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The body, if it was read as a whole. */
    wholeLines: Buffer | null;
  }
}
