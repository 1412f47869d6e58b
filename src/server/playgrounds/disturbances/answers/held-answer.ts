import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A longer body is sent unchanged: lists are streamed, and must not be held in memory as a whole. */
const MAX_HELD_BYTES = 1024 * 1024;

type Chunk = string | Uint8Array;

/** The texts to send instead of the chunks of an event stream. */
export interface EventChange {
  change(chunk: string): string;
  end(): string;
}

export interface AnswerChange {
  /** Called with the whole body before anything is sent. May change the status and the headers of the response. */
  change(body: Buffer): Buffer;
  /** Undefined if event streams are sent as they are. */
  events?: EventChange | undefined;
  /** Instead of sending all of it: half of the body, or nothing. Then the connection is closed. */
  ending?: 'cut' | 'reset' | undefined;
  /** Called with the bytes of each chunk that is held. @returns false if there is no memory for it */
  hold?: ((bytes: number) => boolean) | undefined;
  /** Called before a body is cut that is a stream, and not known as a whole. */
  onStreamCut?: (() => void) | undefined;
}

/**
 * Holds a response until its end, so that it can be changed. Replaces the methods of the response that handlers call,
 * and calls those that it had, which may be those of a recorder.
 */
export class HeldAnswer {
  readonly #response: ServerResponse;
  readonly #change: AnswerChange;
  readonly #original: { writeHead: unknown; write: (chunk: Chunk) => boolean; end: unknown };
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(response: ServerResponse, change: AnswerChange) {
    this.#response = response;
    this.#change = change;
    this.#original = {
      writeHead: response.writeHead.bind(response),
      write: response.write.bind(response) as (chunk: Chunk) => boolean,
      end: response.end.bind(response),
    };
  }

  /** Must be called before the request is handled. */
  start(): void {
    Object.assign(this.#response, { writeHead: this.#writeHead, write: this.#write, end: this.#end });
  }

  /** Sets the headers one by one, so that they can be changed. */
  readonly #writeHead = (status: number, headers?: unknown): ServerResponse => {
    // An error in place of a stream that failed.
    this.#take(undefined);
    this.#response.statusCode = status;
    if (typeof headers === 'object' && headers !== null)
      for (const [name, value] of Object.entries(headers as Record<string, string | string[] | undefined>))
        if (value !== undefined) this.#response.setHeader(name, value);
    return this.#response;
  };

  readonly #write = (chunk: Chunk): boolean => {
    if (this.#change.ending === 'reset') return this.#reset();
    if (this.#bytes === 0 && this.#isEventStream()) return this.#startEvents(chunk);
    this.#take(chunk);
    if (this.#bytes <= MAX_HELD_BYTES && this.#change.hold?.(Buffer.byteLength(chunk)) !== false) return true;
    if (this.#change.ending === 'cut') return this.#cutStream(this.#body());
    this.#release();
    return this.#send(this.#body());
  };

  readonly #end = (...[chunk]: readonly unknown[]): ServerResponse => {
    const response = this.#response;
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#take(chunk);
    if (this.#change.ending === 'reset') this.#reset();
    else if (this.#change.ending === 'cut' && this.#bytes > 0) this.#cut(this.#change.change(this.#body()));
    else {
      const body = this.#body();
      const changed = this.#change.change(body);
      this.#release();
      // The response to HEAD has the length of the body that it does not have.
      if (changed !== body) response.setHeader('content-length', changed.byteLength);
      response.end(changed.byteLength === 0 ? undefined : changed);
    }
    return response;
  };

  #isEventStream(): boolean {
    return String(this.#response.getHeader('content-type')).startsWith('text/event-stream');
  }

  #startEvents(first: Chunk): boolean {
    const { events, ending } = this.#change;
    this.#release();
    if (ending === 'cut') return this.#cutStream(Buffer.from(first));
    if (events === undefined) return this.#send(first);
    const response = this.#response;
    const write = (chunk: Chunk) => {
      const text = events.change(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
      return text === '' ? true : this.#send(text);
    };
    Object.assign(response, {
      write,
      end: () => {
        this.#release();
        return response.end(events.end());
      },
    });
    return write(first);
  }

  #take(chunk: Chunk | undefined): void {
    if (chunk === undefined) this.#chunks.length = this.#bytes = 0;
    else {
      const bytes = Buffer.from(chunk);
      this.#chunks.push(bytes);
      this.#bytes += bytes.byteLength;
    }
  }

  #body(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  #release(): void {
    Object.assign(this.#response, this.#original);
  }

  #send(chunk: Chunk): boolean {
    return this.#original.write(chunk);
  }

  #cutStream(beginning: Buffer): boolean {
    this.#change.onStreamCut?.();
    return this.#cut(beginning);
  }

  /** Sends half of the body, with the length of all of it or none, so that clients notice it. */
  #cut(body: Buffer): boolean {
    this.#release();
    if (this.#isWhole()) this.#response.setHeader('content-length', body.byteLength);
    this.#send(body.subarray(0, Math.ceil(body.byteLength / 2)));
    // Node sends chunks in the next tick.
    return this.#close((socket) => setImmediate(() => socket.destroySoon()));
  }

  /** Whether the length of the body is known. */
  #isWhole(): boolean {
    return this.#response.getHeader('content-length') !== undefined;
  }

  #reset(): boolean {
    this.#release();
    return this.#close((socket) => socket.resetAndDestroy());
  }

  /** Closes the connection. What a stream still writes until it notices would reset it too early. */
  #close(close: (socket: Socket) => void): boolean {
    const response = this.#response;
    Object.assign(response, { write: () => false, end: () => response });
    // A response to a pipelined request has its socket when it is its turn: those before it must be sent.
    if (response.socket === null) response.once('socket', close);
    else close(response.socket);
    return false;
  }
}
