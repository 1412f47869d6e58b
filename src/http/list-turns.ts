/** Maximum text that all lists produce in one turn of the event loop: a few milliseconds of work. Short lists hardly ever wait. */
const MAX_CHARACTERS_A_TURN = 128 * 1024;

/** Chunks produced concurrently. On PostgreSQL, most of their time is spent waiting for the database. */
const MAX_AT_ONCE = 8;

/**
 * Produces complete lists in chunks, a limited amount in each turn of the event loop, so that other requests are served between them. A list takes a
 * place only while one of its chunks is produced, so slow clients do not delay others. Addresses take turns, and so do the lists of one address: a
 * thousand lists for one address do not delay the single list of another.
 */
export class ListTurns {
  readonly #waitingAt = new Map<string, (() => void)[]>();
  #atOnce = 0;
  #characters = 0;
  #isNextTurnDue = false;

  /**
   * @param placeOf the address that the list is for; called only where the chunk has to wait
   * @param produce resolves to a text, and what goes with it
   */
  async produce<Chunk extends { text: string }>(placeOf: () => string, produce: () => Promise<Chunk>): Promise<Chunk> {
    if (this.#waitingAt.size > 0 || !this.#hasRoom()) await this.#wait(placeOf());
    else this.#atOnce++;
    try {
      const chunk = await produce();
      this.#characters += chunk.text.length;
      return chunk;
    } finally {
      this.#atOnce--;
      if (!this.#isNextTurnDue) {
        this.#isNextTurnDue = true;
        setImmediate(() => this.#beginTurn());
      }
      this.#beginWaiting();
    }
  }

  #hasRoom(): boolean {
    return this.#atOnce < MAX_AT_ONCE && this.#characters < MAX_CHARACTERS_A_TURN;
  }

  #wait(place: string): Promise<void> {
    return new Promise((begin) => {
      const waiting = this.#waitingAt.get(place);
      if (waiting === undefined) this.#waitingAt.set(place, [begin]);
      else waiting.push(begin);
    });
  }

  #beginTurn(): void {
    this.#isNextTurnDue = false;
    this.#characters = 0;
    this.#beginWaiting();
  }

  #beginWaiting(): void {
    while (this.#waitingAt.size > 0 && this.#hasRoom()) this.#beginNext();
  }

  /** The oldest chunk of the address whose turn it is; the address goes to the end of the line. */
  #beginNext(): void {
    const [next] = this.#waitingAt;
    if (next === undefined) return;
    const [place, waiting] = next;
    this.#waitingAt.delete(place);
    const begin = waiting.shift();
    if (waiting.length > 0) this.#waitingAt.set(place, waiting);
    this.#atOnce++;
    begin?.();
  }
}
