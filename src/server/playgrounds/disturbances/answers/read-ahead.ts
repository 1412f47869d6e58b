import type { IncomingMessage } from 'node:http';

/** A longer body has no fields. */
const MAX_BYTES = 64 * 1024;

type Push = (chunk: unknown, encoding?: BufferEncoding) => boolean;

/**
 * Reads the body of a request in JSON, which stays in it for the application.
 *
 * @param onBody called with the value; undefined if it is no JSON, or too long. Not called if the request is cut off.
 */
export function readAhead(request: IncomingMessage, onBody: (body: unknown) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const add = (chunk: unknown) => {
    if (!(chunk instanceof Uint8Array)) return;
    bytes += chunk.byteLength;
    if (bytes <= MAX_BYTES) chunks.push(Buffer.from(chunk));
  };
  const buffered: unknown = request.readableLength > 0 ? request.read() : null;
  if (buffered !== null) {
    add(buffered);
    request.unshift(buffered);
  }
  if (request.complete || bytes > MAX_BYTES) {
    onBody(valueOf(chunks, bytes));
    return;
  }
  const push: Push = request.push.bind(request);
  let isWaiting = true;
  Object.assign(request, {
    push(chunk: unknown, encoding?: BufferEncoding) {
      const isFull = !push(chunk, encoding);
      if (!isWaiting) return !isFull;
      add(chunk);
      isWaiting = chunk !== null && bytes <= MAX_BYTES;
      if (!isWaiting) queueMicrotask(() => onBody(valueOf(chunks, bytes)));
      // The body has no reader before that, so the parser must not wait for one.
      return true;
    },
  });
}

function valueOf(chunks: readonly Buffer[], bytes: number): unknown {
  if (bytes > MAX_BYTES) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch {
    return undefined;
  }
}
