import { Failure } from '../../domain/failure.ts';

/** Maximum number that wait. Each may have to wait for pending requests. */
const MAX_WAITING = 10;

const RETRY_AFTER_SECONDS = 2;

/** Operations that run one after the other. */
export class Operations {
  #last: Promise<void> | undefined;
  #count = 0;

  /** Resolves when all operations so far have ended; undefined if there is none. */
  get pending(): Promise<void> | undefined {
    return this.#last;
  }

  /** @throws Failure `too-many-requests` if too many wait */
  requireRoom(): void {
    if (this.#count <= MAX_WAITING) return;
    const message = `At most ${MAX_WAITING} operations on this playground can wait. Try again later.`;
    const limit = { name: 'playground-operations', quota: MAX_WAITING, isConcurrent: true } as const;
    throw new Failure('too-many-requests', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, limit });
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const running = (async () => {
      await before;
      return work();
    })();
    const settled = running.then(
      () => {},
      () => {},
    );
    this.#last = settled;
    this.#count++;
    try {
      return await running;
    } finally {
      this.#count--;
      if (this.#last === settled) this.#last = undefined;
    }
  }
}
