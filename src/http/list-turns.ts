/** Maximum text that all lists produce in one turn of the event loop: a few milliseconds of work. Short lists hardly ever wait. */
const MAX_CHARACTERS_PER_TURN = 128 * 1024;

/** Maximum chunks produced concurrently. On PostgreSQL, they mostly wait for the database. */
const MAX_CONCURRENT = 8;

/**
 * Produces complete lists in chunks, a limited amount in each turn of the event loop, so that other requests are served in between. A list counts only while one
 * of its chunks is produced, so slow clients do not delay others. Networks take turns, and so do the lists of one network: a thousand lists for one client do
 * not delay the single list of another.
 */
export class ListTurns {
  /** By network, the functions that start waiting chunks. */
  readonly #queues = new Map<string, (() => void)[]>();
  #running = 0;
  #characters = 0;
  #isNextTurnDue = false;

  /**
   * @param networkOf returns the network of the client; called only if the chunk has to wait
   * @param produce produces the chunk
   */
  async produce<Chunk extends { text: string }>(
    networkOf: () => string,
    produce: () => Promise<Chunk>,
  ): Promise<Chunk> {
    if (this.#queues.size > 0 || !this.#hasRoom()) await this.#wait(networkOf());
    else this.#running++;
    try {
      const chunk = await produce();
      this.#characters += chunk.text.length;
      return chunk;
    } finally {
      this.#running--;
      if (!this.#isNextTurnDue) {
        this.#isNextTurnDue = true;
        setImmediate(() => this.#beginTurn());
      }
      this.#beginWaiting();
    }
  }

  #hasRoom(): boolean {
    return this.#running < MAX_CONCURRENT && this.#characters < MAX_CHARACTERS_PER_TURN;
  }

  #wait(network: string): Promise<void> {
    return new Promise((begin) => {
      const queue = this.#queues.get(network);
      if (queue === undefined) this.#queues.set(network, [begin]);
      else queue.push(begin);
    });
  }

  #beginTurn(): void {
    this.#isNextTurnDue = false;
    this.#characters = 0;
    this.#beginWaiting();
  }

  #beginWaiting(): void {
    while (this.#queues.size > 0 && this.#hasRoom()) this.#beginNext();
  }

  /** Starts the oldest chunk of the next network, and moves the network to the end of the line. */
  #beginNext(): void {
    const [next] = this.#queues;
    if (next === undefined) return;
    const [network, queue] = next;
    this.#queues.delete(network);
    const begin = queue.shift();
    if (queue.length > 0) this.#queues.set(network, queue);
    this.#running++;
    begin?.();
  }
}
