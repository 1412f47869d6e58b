import { setImmediate as nextTurn } from 'node:timers/promises';

/** So many may be under way at once, and so many bytes of them: enough for several batches of a store, and little memory. */
const MOST_UNDER_WAY = 2048;
const MOST_BYTES_UNDER_WAY = 4 * 1024 * 1024;

/** So many are begun in one go: a few milliseconds. */
const BEGUN_AT_ONCE = 128;

const CHUNK_BYTES = 32 * 1024;

/**
 * So many bytes of answers are held for a client that sends all before it reads, as most HTTP libraries do: a hundred thousand of lines that are wrong in
 * several fields. Those that all clients have together are bounded as well; beyond that, each has a chunk or two.
 */
const MOST_BYTES_HELD = 64 * 1024 * 1024;
const MOST_BYTES_HELD_TOGETHER = 256 * 1024 * 1024;

interface Begun {
  byteLength: number;
  text: string | undefined;
}

/** Wakes whoever waits for it. */
function createBell() {
  let ringing = Promise.withResolvers<void>();
  return {
    heard: () => ringing.promise,
    ring(): void {
      ringing.resolve();
      ringing = Promise.withResolvers();
    },
  };
}

/** What all that answer at the same time hold together. */
export function createHeldAnswers() {
  return { bytes: 0, bell: createBell() };
}

type HeldAnswers = ReturnType<typeof createHeldAnswers>;

/** Answers as they are sent: in chunks, of which the first go first. */
function createChunks() {
  const whole: Buffer[] = [];
  let texts: string[] = [];
  let openBytes = 0;

  return {
    /** @returns how many bytes it has */
    add(text: string): number {
      const byteLength = Buffer.byteLength(text);
      texts.push(text);
      openBytes += byteLength;
      // As bytes they take no more memory than is counted.
      if (openBytes >= CHUNK_BYTES) this.close();
      return byteLength;
    },
    close(): void {
      whole.push(Buffer.from(texts.join('')));
      [texts, openBytes] = [[], 0];
    },
    take(): Buffer | undefined {
      if (whole.length === 0 && texts.length > 0) this.close();
      return whole.shift();
    },
  };
}

/**
 * Answers what arrives, many at once, in the order in which it came. Who does not read the answers has them held; beyond what is held at most, nothing more
 * is taken in.
 *
 * @param answer never fails
 * @param held by all of them
 */
export async function* answerInOrder<T extends { byteLength: number }>(
  arriving: AsyncIterable<T>,
  answer: (one: T) => Promise<string>,
  held: HeldAnswers,
): AsyncGenerator<Buffer, void, void> {
  const underWay: Begun[] = [];
  const chunks = createChunks();
  let bytesUnderWay = 0;
  let bytesHeld = 0;
  let hasEnded = false;
  let isOver = false;
  const news = createBell();

  function begin(one: T): void {
    const begun: Begun = { byteLength: one.byteLength, text: undefined };
    void answer(one).then((text) => {
      begun.text = text;
      if (underWay[0] === begun) holdAnswered();
    });
    underWay.push(begun);
    bytesUnderWay += one.byteLength;
  }

  /** What is answered by now, as far as there is no gap. */
  function holdAnswered(): void {
    if (isOver) return;
    let count = 0;
    for (const { text, byteLength } of underWay) {
      if (text === undefined) break;
      hold(chunks.add(text));
      bytesUnderWay -= byteLength;
      count++;
    }
    underWay.splice(0, count);
    news.ring();
    held.bell.ring();
  }

  function hold(bytes: number): void {
    bytesHeld += bytes;
    held.bytes += bytes;
  }

  function isFull(): boolean {
    if (isOver) return false;
    if (underWay.length >= MOST_UNDER_WAY || bytesUnderWay >= MOST_BYTES_UNDER_WAY) return true;
    return bytesHeld >= MOST_BYTES_HELD || (bytesHeld >= CHUNK_BYTES && held.bytes >= MOST_BYTES_HELD_TOGETHER);
  }

  async function takeIn(): Promise<void> {
    let count = 0;
    for await (const one of arriving) {
      while (isFull()) await held.bell.heard();
      if (isOver) return;
      begin(one);
      if (++count % BEGUN_AT_ONCE === 0) await nextTurn();
    }
  }

  const intake = takeIn()
    // The client is gone in the midst of it: what has begun is done, and nobody is there to be told.
    .catch(() => {})
    .finally(() => {
      hasEnded = true;
      news.ring();
    });
  try {
    for (;;) {
      const chunk = chunks.take();
      if (chunk !== undefined) {
        yield chunk;
        hold(-chunk.length);
        held.bell.ring();
      } else if (hasEnded && underWay.length === 0) break;
      else await news.heard();
    }
    await intake;
  } finally {
    isOver = true;
    hold(-bytesHeld);
    held.bell.ring();
  }
}
