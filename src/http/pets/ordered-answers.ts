import { setImmediate as nextTurn } from 'node:timers/promises';

/** So many may be under way at once, and so many bytes of them: enough for several batches of a store, and little memory. */
const MOST_UNDER_WAY = 2048;
const MOST_BYTES_UNDER_WAY = 4 * 1024 * 1024;

/** So many are begun in one go: a few milliseconds. */
const BEGUN_AT_ONCE = 128;

const CHUNK_LENGTH = 32 * 1024;

interface Begun {
  byteLength: number;
  settled: Promise<void>;
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

/**
 * Answers what arrives, many at once, in the order in which it came. Whoever does not read the answers is asked for nothing more.
 *
 * @param answer never fails
 */
export async function* answerInOrder<T extends { byteLength: number }>(
  arriving: AsyncIterable<T>,
  answer: (one: T) => Promise<string>,
): AsyncGenerator<string, void, void> {
  const underWay: Begun[] = [];
  let bytesUnderWay = 0;
  let hasEnded = false;
  let isOver = false;
  const news = createBell();
  const room = createBell();

  function begin(one: T): void {
    const begun: Begun = { byteLength: one.byteLength, settled: Promise.resolve(), text: undefined };
    begun.settled = answer(one).then((text) => {
      begun.text = text;
    });
    underWay.push(begun);
    bytesUnderWay += one.byteLength;
    news.ring();
  }

  const isFull = () => !isOver && (underWay.length >= MOST_UNDER_WAY || bytesUnderWay >= MOST_BYTES_UNDER_WAY);

  async function takeIn(): Promise<void> {
    let count = 0;
    for await (const one of arriving) {
      while (isFull()) await room.heard();
      if (isOver) return;
      begin(one);
      if (++count % BEGUN_AT_ONCE === 0) await nextTurn();
    }
  }

  /** What is answered by now, as far as there is no gap. */
  function takeAnswered(): string {
    let text = '';
    while (underWay[0]?.text !== undefined && text.length < CHUNK_LENGTH) {
      const [{ text: next = '', byteLength } = { byteLength: 0 }] = underWay.splice(0, 1);
      text += next;
      bytesUnderWay -= byteLength;
    }
    room.ring();
    return text;
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
      if (underWay[0] !== undefined) {
        await underWay[0].settled;
        yield takeAnswered();
      } else if (hasEnded) break;
      else await news.heard();
    }
    await intake;
  } finally {
    isOver = true;
    room.ring();
  }
}
