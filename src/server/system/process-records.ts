import type { Clock } from '../../domain/ports.ts';
import type { Job, JobName, LoggedError } from '../../domain/system.ts';

const MAX_ERRORS = 50;

/** The facts about a process on the system page. */
interface Records {
  startedAtMs: number;
  jobs: readonly Job[];
  /** Newest first. */
  errors: readonly LoggedError[];
}

interface JobEnd {
  isFailed: boolean;
  /** The time until the next run. */
  delayMs: number;
}

/** Keeps the last runs of the jobs of this process and its last errors, in memory. */
export class ProcessRecords {
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  readonly #jobs = new Map<JobName, Job>();
  readonly #errors: LoggedError[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAtMs = clock();
  }

  read(): Records {
    return {
      startedAtMs: this.#startedAtMs,
      jobs: [...this.#jobs.values()],
      errors: this.#errors.toReversed(),
    };
  }

  /** Returns a function to call at the end of the run. */
  beginJob(name: JobName): (end: JobEnd) => void {
    const startedAtMs = this.#clock();
    const began = performance.now();
    this.#jobs.set(name, { name, state: 'running', startedAtMs });
    return ({ isFailed, delayMs }) => {
      const durationMs = Math.round(performance.now() - began);
      const state = isFailed ? 'failed' : 'succeeded';
      this.#jobs.set(name, { name, state, startedAtMs, durationMs, nextStartMs: this.#clock() + delayMs });
    };
  }

  addError(error: LoggedError): void {
    this.#errors.push(error);
    if (this.#errors.length > MAX_ERRORS) this.#errors.shift();
  }
}
