/** So many at once are asked for in one go: a statement that held the event loop for longer would make the others wait. */
const MAX_BATCH = 512;

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
 */
export function gather<K, V>(ask: (keys: readonly K[]) => Promise<readonly V[]>): (key: K) => Promise<V> {
  let waiting: Waiting<K, V>[] = [];

  function flush(): void {
    const batch = waiting;
    waiting = [];
    for (let start = 0; start < batch.length; start += MAX_BATCH) void answer(batch.slice(start, start + MAX_BATCH));
  }

  async function answer(batch: readonly Waiting<K, V>[]): Promise<void> {
    try {
      const values = await ask(batch.map(({ key }) => key));
      batch.forEach(({ resolve }, index) => resolve(values[index] as V));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ key, resolve, reject });
    });
}
