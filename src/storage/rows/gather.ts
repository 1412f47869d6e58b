/** Maximum batch size: a longer statement would hold up the other requests of the event loop. */
const MAX_BATCH = 512;

/** Number of waiting calls that are worth a batch of their own while another is in progress. */
const MANY = 128;

/** Maximum number of batches of one kind in progress. Further calls wait for the next batch. */
const MAX_IN_PROGRESS = 4;

interface PendingCall<K, V> {
  key: K;
  resolve: (value: V) => void;
  reject: (error: unknown) => void;
}

/**
 * Turns a batched read into one for single keys: the calls of one iteration of the event loop are read together.
 *
 * `setImmediate` runs when the event loop has handed out all input that had arrived, so a single caller waits for
 * nothing, and a hundred concurrent callers share one statement.
 *
 * @param readAll returns the values in the order of the keys; if it fails, all callers of that batch get its error
 */
export function gather<K, V>(readAll: (keys: readonly K[]) => Promise<readonly V[]>): (key: K) => Promise<V> {
  let waiting: PendingCall<K, V>[] = [];
  let inProgress = 0;
  let isScheduled = false;

  function mayBegin(): boolean {
    return inProgress === 0 || (inProgress < MAX_IN_PROGRESS && waiting.length >= MANY);
  }

  function begin(): void {
    isScheduled = false;
    while (waiting.length > 0 && mayBegin()) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      inProgress++;
      void read(batch);
    }
  }

  async function read(batch: readonly PendingCall<K, V>[]): Promise<void> {
    try {
      const values = await readAll(batch.map(({ key }) => key));
      batch.forEach(({ resolve }, index) => resolve(values[index] as V));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    inProgress--;
    // The callers that just got their values may be about to read more, which goes into the next batch.
    if (waiting.length > 0) beginSoon();
  }

  function beginSoon(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(begin);
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (mayBegin()) beginSoon();
    });
}
