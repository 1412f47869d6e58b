import { ENDPOINTS } from '../../api/endpoints.ts';
import type { Clock } from '../../domain/ports.ts';
import type { LogEntry, LoggedError } from '../../domain/log.ts';
import type { Job, JobName } from '../../domain/system.ts';
import { RecentLog } from './recent-log.ts';
import { ActivityMinutes } from '../metrics/activity-minutes.ts';

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

/** Requests for the log itself: a page that follows it would fill it at level debug. */
const READS_LOG = `${ENDPOINTS.listLogEntries.method} ${ENDPOINTS.listLogEntries.path}`;

/** Keeps the last runs of the jobs of this process, its last errors, its log and its activity, in memory. */
export class ProcessRecords {
  readonly log: RecentLog;
  readonly activity: ActivityMinutes;
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  readonly #jobs = new Map<JobName, Job>();
  readonly #errors: LoggedError[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAtMs = clock();
    this.log = new RecentLog(clock);
    this.activity = new ActivityMinutes(clock);
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

  addEntry(entry: LogEntry): void {
    if (entry.level === 'debug' && entry.operation === READS_LOG) return;
    this.log.add(entry);
    if (entry.level !== 'error' && entry.level !== 'fatal') return;
    this.#errors.push(entry);
    if (this.#errors.length > MAX_ERRORS) this.#errors.shift();
  }
}
