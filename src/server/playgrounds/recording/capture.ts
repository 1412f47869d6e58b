import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_RECORDED_BODY_BYTES } from '../../../domain/playgrounds/recorded-request.ts';
import type { CountedResponse } from '../../../http/pipeline/http-activity.ts';
import type { RawExchange } from '../../../http/pipeline/mount.ts';

/** The beginning of a body. */
export class CapturedBody {
  bytes = 0;
  readonly #chunks: (string | Buffer)[] = [];
  #left = MAX_RECORDED_BODY_BYTES;

  add(chunk: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const { length } = chunk;
    this.bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : length;
    if (this.#left <= 0 || length === 0) return;
    // A copy: a chunk of 100 bytes may keep the 64 KiB of its socket.
    const kept = typeof chunk === 'string' ? chunk.slice(0, this.#left) : Buffer.from(chunk.subarray(0, this.#left));
    this.#left -= length;
    this.#chunks.push(kept);
  }

  /** At most as many bytes as are recorded, of whole characters. */
  text(): string {
    const [first] = this.#chunks;
    if (first === undefined) return '';
    if (typeof first === 'string' && this.#chunks.length === 1 && this.bytes <= MAX_RECORDED_BODY_BYTES) return first;
    const all = Buffer.concat(this.#chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
    const text = all.toString('utf8', 0, MAX_RECORDED_BODY_BYTES);
    return this.bytes > MAX_RECORDED_BODY_BYTES ? text.replace(/�$/, '') : text;
  }
}

export interface CapturedRequest {
  slot: number;
  /** Whether an agent called a tool, whose operation it is. */
  isToolCall: boolean;
  method: string;
  path: string;
  httpVersion: string;
  startedAtMs: number;
  durationMs: number;
  rawHeaders: readonly string[];
  requestBody: CapturedBody | undefined;
  status: number;
  /** The status line and the headers as they were sent; undefined if there was no response. */
  head: string | undefined;
  responseBody: CapturedBody;
  isComplete: boolean;
}

/** Node's own property, with the headers as they are sent: `getHeaders` lacks those that `writeHead` was given. */
interface SentHead {
  _header?: string | null;
}

type Write = (this: ServerResponse, ...parameters: unknown[]) => never;

/**
 * Captures a request and its response. It replaces methods of both objects, so it must come before what changes the
 * response.
 *
 * @param onEnd called when the response ends, before the client has it, or when the connection ends without it
 */
export function capture({ request, response }: RawExchange, onEnd: (captured: CapturedRequest) => void): void {
  const { method = '', url = '', httpVersion, rawHeaders } = request;
  const [startedAtMs, startMs] = [Date.now(), performance.now()];
  const requestBody = hasBody(request) ? captureRequestBody(request) : undefined;
  const responseBody = new CapturedBody();
  let isRecorded = false;

  const finish = (isComplete: boolean) => {
    if (isRecorded) return;
    isRecorded = true;
    const { _header: head } = response as SentHead;
    const { slot, toolSlot } = response as unknown as CountedResponse;
    onEnd({
      slot: toolSlot ?? slot,
      isToolCall: toolSlot !== undefined,
      method,
      path: url,
      httpVersion,
      startedAtMs,
      durationMs: performance.now() - startMs,
      rawHeaders,
      requestBody,
      status: response.statusCode,
      head: head ?? undefined,
      responseBody,
      isComplete,
    });
  };
  captureResponse(response, responseBody, finish);
}

/**
 * The functions have names, because V8 allocates a function literal that is assigned to a property in the old
 * generation, where it keeps the request alive until the next major GC. Reads then took 1.4 times the processor time
 * (measured). Assigned one by one: `Object.assign` and bound methods take longer.
 */
function captureResponse(response: ServerResponse, body: CapturedBody, finish: (isComplete: boolean) => void): void {
  const original = response as unknown as Readonly<Record<'write' | 'end', Write>>;
  const { write, end } = original;
  const capturingWrite: Write = function (...parameters) {
    body.add(parameters[0]);
    return write.apply(this, parameters);
  };
  const capturingEnd: Write = function (...parameters) {
    body.add(parameters[0]);
    const isOpen = !this.destroyed;
    const result = end.apply(this, parameters);
    finish(isOpen);
    return result;
  };
  response.write = capturingWrite;
  response.end = capturingEnd;
  response.once('close', () => finish(false));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Sees what Node's parser pushes: a listener for data would take it from the application. */
function captureRequestBody(request: IncomingMessage): CapturedBody {
  const body = new CapturedBody();
  const buffered: unknown = request.readableLength > 0 ? request.read() : null;
  if (buffered !== null) {
    body.add(buffered);
    request.unshift(buffered);
  }
  const push = request.push.bind(request);
  Object.assign(request, {
    push(chunk: unknown, encoding?: BufferEncoding) {
      body.add(chunk);
      return push(chunk, encoding);
    },
  });
  return body;
}
