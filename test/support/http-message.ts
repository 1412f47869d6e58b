/* Finds the end of an HTTP/1.1 message, for a proxy that forwards its bytes unchanged (RFC 9112, section 6). */

/**
 * What follows a head. `endless`: the message ends with the connection, or its length is unclear. `interim`: another
 * head.
 */
type Body = number | 'chunked' | 'endless' | 'interim';

type State = 'head' | 'body' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'endless' | 'over';

const MAX_HEAD_BYTES = 1 << 20;
const LINE_FEED = 10;

/** Follows the bytes of one message. */
export class PassingMessage {
  readonly #bodyOf: (head: string) => Body;
  #state: State = 'head';
  #text = '';
  #left = 0;

  constructor(bodyOf: (head: string) => Body) {
    this.#bodyOf = bodyOf;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** The rest of the connection belongs to this message. */
  get isEndless(): boolean {
    return this.#state === 'endless';
  }

  /** Returns how many of the bytes belong to the message: all, unless it ends in them. */
  take(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#state !== 'over') {
      if (this.#state === 'endless') return bytes.length;
      at += this.#state === 'body' || this.#state === 'chunk' ? this.#skip(bytes.length - at) : this.#read(bytes, at);
    }
    return at;
  }

  #skip(length: number): number {
    const skipped = Math.min(this.#left, length);
    this.#left -= skipped;
    if (this.#left === 0) this.#state = this.#state === 'body' ? 'over' : 'chunk-end';
    return skipped;
  }

  #read(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LINE_FEED, at);
    const next = end === -1 ? bytes.length : end + 1;
    this.#text += bytes.toString('latin1', at, next);
    if (this.#text.length > MAX_HEAD_BYTES) this.#state = 'endless';
    else if (end !== -1) this.#endLine();
    return next - at;
  }

  #endLine(): void {
    const text = this.#text;
    const isHead = this.#state === 'head';
    // Heads and trailers are parsed as a whole.
    if ((isHead || this.#state === 'trailers') && !/(?:^|\n)\r?\n$/.test(text)) return;
    this.#text = '';
    if (isHead) this.#begin(this.#bodyOf(text));
    else if (this.#state === 'chunk-size') this.#beginChunk(text);
    else this.#state = this.#state === 'chunk-end' ? 'chunk-size' : 'over';
  }

  #begin(body: Body): void {
    if (body === 'interim') return;
    if (body === 'endless') this.#state = 'endless';
    else if (body === 'chunked') this.#state = 'chunk-size';
    else this.#state = body === 0 ? 'over' : 'body';
    this.#left = typeof body === 'number' ? body : 0;
  }

  #beginChunk(line: string): void {
    const size = /^([0-9a-f]{1,8})\r\n$/i.exec(line)?.[1];
    this.#left = Number.parseInt(size ?? '0', 16);
    if (size === undefined) this.#state = 'endless';
    else this.#state = this.#left === 0 ? 'trailers' : 'chunk';
  }
}

const LINE = String.raw`[^\r\n]*\r\n`;
const REQUEST = new RegExp(`^([A-Z]+) [^ \\r\\n]+ HTTP/1\\.[01]\\r\\n((?:[^\\s:]+:${LINE})*)\\r\\n$`);
const RESPONSE = new RegExp(`^HTTP/1\\.[01] (\\d{3})${LINE}((?:[^\\s:]+:${LINE})*)\\r\\n$`);

export interface PassingRequest {
  message: PassingMessage;
  /** Set after the head. */
  method: () => string;
}

/** A request whose length is not entirely clear counts as endless. */
export function passingRequest(): PassingRequest {
  let method = '';
  const message = new PassingMessage((head) => {
    const [, verb, fields = ''] = REQUEST.exec(head) ?? [];
    if (verb === undefined || verb === 'CONNECT') return 'endless';
    method = verb;
    const body = framingOf(fields);
    return body ?? 0;
  });
  return { message, method: () => method };
}

/** The response to that request. */
export function passingResponse(method: () => string): PassingMessage {
  return new PassingMessage((head) => {
    const [, code, fields = ''] = RESPONSE.exec(head) ?? [];
    const status = Number(code ?? 101);
    if (status === 101) return 'endless';
    if (status < 200) return 'interim';
    if (method() === 'HEAD' || status === 204 || status === 304) return 0;
    return framingOf(fields) ?? 'endless';
  });
}

function framingOf(fields: string): number | 'chunked' | 'endless' | undefined {
  const lengths = valuesOf(fields, 'content-length');
  const codings = valuesOf(fields, 'transfer-encoding');
  if (lengths.length + codings.length > 1) return 'endless';
  if (codings.length === 1) return codings[0] === 'chunked' ? 'chunked' : 'endless';
  const [length] = lengths;
  if (length === undefined) return undefined;
  return /^\d{1,15}$/.test(length) ? Number(length) : 'endless';
}

function valuesOf(fields: string, name: string): string[] {
  const lines = fields.split('\r\n').filter((line) => line.toLowerCase().startsWith(`${name}:`));
  return lines.map((line) => line.slice(name.length + 1).trim());
}
