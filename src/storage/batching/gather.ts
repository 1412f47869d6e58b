/** So many at once are asked for in one go: a statement that held the event loop for longer would make the others wait. */
const MAX_BATCH = 512;

/** So many are worth a batch of their own beside one that is under way. */
const MANY = 128;

interface Waiting<K, V> {
  key: K;
  resolve: (value: V) => void;
  reject: (error: unknown) => void;
}

/**
 * Makes a single call of a batched one: what is asked for within one turn of the event loop is asked for together.
 *
 * `setImmediate` runs when the loop has handed out all input that had arrived, so a lone caller waits for nothing, and a hundred
 * concurrent ones become one statement.
 *
 * @param ask answers in the order of the keys; when it fails, every caller of that batch gets its failure
 * @param atOnce so many batches may be under way; what comes meanwhile is gathered, and goes with the next one that may. While there is one, another
 *   one is worth its cost only for many
 */
export function gather<K, V>(
  ask: (keys: readonly K[]) => Promise<readonly V[]>,
  atOnce = Infinity,
): (key: K) => Promise<V> {
  let waiting: Waiting<K, V>[] = [];
  let underWay = 0;
  let isFlushing = false;

  function mayBegin(): boolean {
    return underWay === 0 || atOnce === Infinity || (underWay < atOnce && waiting.length >= MANY);
  }

  function flush(): void {
    isFlushing = false;
    while (waiting.length > 0 && mayBegin()) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      underWay++;
      void answer(batch);
    }
  }

  async function answer(batch: readonly Waiting<K, V>[]): Promise<void> {
    try {
      const values = await ask(batch.map(({ key }) => key));
      batch.forEach(({ resolve }, index) => resolve(values[index] as V));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay--;
    // Those who were just answered may be about to ask again: they get to go along.
    if (waiting.length > 0) flushSoon();
  }

  function flushSoon(): void {
    if (isFlushing) return;
    isFlushing = true;
    setImmediate(flush);
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (mayBegin()) flushSoon();
    });
}
