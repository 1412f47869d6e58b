import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { MAX_RECORDED_REQUESTS } from '../../../domain/playgrounds/recorded-request.ts';

/** The size of texts that are compressed together: alone, each would take ten times as much. */
const BLOCK_BYTES = 128 * 1024;

const FIRST_BYTES = 8 * 1024;

/** The fastest level, which leaves a fortieth of small requests (measured). */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const LINE_END = 10;

/** The bytes of UTF-8 for a UTF-16 code unit. */
const MAX_BYTES_OF_UNIT = 3;

interface Block {
  lastId: number;
  /** The number of its requests. */
  count: number;
  packed: Uint8Array;
  textBytes: number;
}

/** The memory that a log shares with others. */
export interface LogSpace {
  /** Whether nothing is left. Then older requests are dropped. */
  isFull: () => boolean;
  /** Called when the memory of the log has changed. */
  onBytes: (bytes: number) => void;
}

export interface LogLimits {
  /** The size of compressed requests. */
  packedBytes: number;
  /** The size of the same requests, not compressed: the longest response to a request for all of them. */
  textBytes: number;
  space: LogSpace | undefined;
}

/**
 * The texts of the last requests of a playground, compressed in blocks. Beyond a limit, the oldest are dropped. Texts
 * are immediately copied out of the heap: thousands of surviving objects made reads 10 % slower (measured).
 */
export class RequestLog {
  readonly #limits: LogLimits;
  readonly #blocks: Block[] = [];
  #open = Buffer.alloc(0);
  #openBytes = 0;
  #openCount = 0;
  #lastId = 0;
  #packedBytes = 0;
  #textBytes = 0;

  constructor(limits: LogLimits) {
    this.#limits = limits;
  }

  get nextId(): number {
    return this.#lastId + 1;
  }

  /** @param text without line ends */
  add(text: string): void {
    const maxBytes = MAX_BYTES_OF_UNIT * text.length + 1;
    if (this.#openBytes > 0 && this.#openBytes + maxBytes > BLOCK_BYTES) this.pack();
    this.#reserve(maxBytes);
    this.#openBytes += this.#open.write(text, this.#openBytes);
    this.#open[this.#openBytes++] = LINE_END;
    this.#openCount++;
    this.#lastId++;
  }

  /** Compresses what is not compressed yet. */
  pack(): void {
    if (this.#openCount === 0) return;
    // Copied, because zlib returns a part of a buffer of 16 KiB.
    const packed = new Uint8Array(zstdCompressSync(this.#open.subarray(0, this.#openBytes), COMPRESSION));
    this.#blocks.push({ lastId: this.#lastId, count: this.#openCount, packed, textBytes: this.#openBytes });
    this.#packedBytes += packed.byteLength;
    this.#textBytes += this.#openBytes;
    [this.#openBytes, this.#openCount] = [0, 0];
    if (this.#open.byteLength > BLOCK_BYTES) this.#open = Buffer.alloc(0);
    this.#report();
    this.#dropOldest();
  }

  /** Compresses everything, and frees the memory for further requests. */
  sleep(): void {
    this.pack();
    this.#open = Buffer.alloc(0);
    this.#report();
  }

  clear(): void {
    this.#blocks.length = 0;
    this.#open = Buffer.alloc(0);
    [this.#openBytes, this.#openCount, this.#packedBytes, this.#textBytes] = [0, 0, 0, 0];
    this.#report();
  }

  /** The texts of requests with a higher ID, in batches, oldest first. */
  *lines(afterId = 0): Generator<readonly string[], void, void> {
    const firstId = Math.max(afterId, this.#lastId - MAX_RECORDED_REQUESTS) + 1;
    // Requests that arrive meanwhile are not in it.
    const blocks = this.#blocks.slice();
    const open = this.#open.toString('utf8', 0, this.#openBytes);
    const last = { lastId: this.#lastId, count: this.#openCount };
    for (const block of blocks) {
      if (block.lastId < firstId) continue;
      yield linesFrom(firstId, zstdDecompressSync(block.packed).toString('utf8'), block);
    }
    yield linesFrom(firstId, open, last);
  }

  #reserve(bytes: number): void {
    const needed = this.#openBytes + bytes;
    if (needed <= this.#open.byteLength) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * this.#open.byteLength, needed));
    this.#open.copy(larger, 0, 0, this.#openBytes);
    this.#open = larger;
    this.#report();
  }

  #report(): void {
    this.#limits.space?.onBytes(this.#packedBytes + this.#open.byteLength);
  }

  #dropOldest(): void {
    const { packedBytes, textBytes, space } = this.#limits;
    for (;;) {
      const [first] = this.#blocks;
      if (first === undefined) return;
      const isTooMuch = this.#packedBytes > packedBytes || this.#textBytes > textBytes || space?.isFull() === true;
      if (!isTooMuch && first.lastId > this.#lastId - MAX_RECORDED_REQUESTS) return;
      this.#blocks.shift();
      this.#packedBytes -= first.packed.byteLength;
      this.#textBytes -= first.textBytes;
      this.#report();
    }
  }
}

function linesFrom(firstId: number, text: string, { lastId, count }: Pick<Block, 'lastId' | 'count'>): string[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.slice(Math.max(0, firstId - (lastId - count + 1)));
}
