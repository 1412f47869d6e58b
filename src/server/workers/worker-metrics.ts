import type { Worker } from 'node:cluster';
import { sumCounters } from '../metrics/exposition.ts';
import type { Family } from '../metrics/families.ts';

/** A worker whose event loop is blocked for longer is reported with its last metrics. */
const MAX_WAIT_MS = 2000;

/** Asks the worker processes for their metrics. */
export class WorkerMetrics {
  readonly #ask: (worker: Worker) => void;
  readonly #last = new Map<Worker, readonly Family[]>();
  readonly #pending = new Map<Worker, (() => void)[]>();
  /** The counters of workers that have exited. */
  #ended: Promise<readonly Family[]> = Promise.resolve([]);

  /** @param ask requests the metrics of a worker, which arrive at `take` */
  constructor(ask: (worker: Worker) => void) {
    this.#ask = ask;
  }

  async collect(workers: Iterable<Worker>): Promise<readonly (readonly Family[])[]> {
    await Promise.all([...workers].map((worker) => this.#request(worker)));
    return [await this.#ended, ...this.#last.values()];
  }

  take(worker: Worker, families: readonly Family[]): void {
    this.#last.set(worker, families);
    this.#release(worker);
  }

  forget(worker: Worker): void {
    const last = this.#last.get(worker);
    if (last !== undefined) this.#ended = this.#ended.then((ended) => sumCounters([ended, last]));
    this.#last.delete(worker);
    this.#release(worker);
  }

  #request(worker: Worker): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, MAX_WAIT_MS);
      const release = () => {
        clearTimeout(timer);
        resolve();
      };
      const waiting = this.#pending.get(worker);
      this.#pending.set(worker, [...(waiting ?? []), release]);
      if (waiting === undefined) this.#ask(worker);
    });
  }

  #release(worker: Worker): void {
    const waiting = this.#pending.get(worker) ?? [];
    this.#pending.delete(worker);
    for (const release of waiting) release();
  }
}
