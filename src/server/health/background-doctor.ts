import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../domain/failure.ts';
import type { HealthMonitor, HealthState } from '../../domain/health/report.ts';
import type { StorePlaces } from '../configuration/config.ts';
import type { Logger } from '../log/log.ts';
import { explainNotStarted, startProcess } from '../system/child-process.ts';
import { VERSION } from '../system/version.ts';
import type { FromHealthProcess, ToHealthProcess } from './health-process.ts';

const ENTRY = fileURLToPath(new URL('health-entry.js', import.meta.url));

/** In the data folder: nodes that share it read the same state, also after a restart. */
const STATE_FILE = 'health.json';

const WRITE_INTERVAL_MS = 1000;

/** A process that has not written its progress for this time was killed. */
const ABANDONED_MS = 15_000;

const STOPPED = 'The service was stopped.';

interface StoredState extends HealthState {
  /** Another version may know other problems. */
  version: string;
  writtenAtMs: number;
}

const NOTHING: HealthState = { running: undefined, last: undefined, error: undefined };

interface BackgroundDoctorDeps {
  places: StorePlaces;
  log: Logger;
  /** The niceness of the process, as for nice(1). */
  niceness: number;
  /** Whether the service sends e-mail. */
  sendsMail: () => boolean;
}

/** Runs the quick checks on demand, in a process of its own. */
export class BackgroundDoctor implements HealthMonitor {
  readonly #places: StorePlaces;
  readonly #log: Logger;
  readonly #niceness: number;
  readonly #sendsMail: () => boolean;
  /** The state while a check of this process is running. */
  #state: HealthState | undefined;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the last state could be written. */
  #writing = Promise.resolve(true);

  constructor({ places, log, niceness, sendsMail }: BackgroundDoctorDeps) {
    this.#places = places;
    this.#log = log;
    this.#niceness = niceness;
    this.#sendsMail = sendsMail;
  }

  async read(): Promise<HealthState> {
    if (this.#state !== undefined) return this.#state;
    if (this.#places.isEphemeral === true) return NOTHING;
    await this.#writing;
    return this.#readFile();
  }

  async start(): Promise<void> {
    if (this.#places.isEphemeral === true)
      throw new Failure('conflict', 'All data is in memory, so the health checks have nothing to check.');
    const state = await this.read();
    if (state.running !== undefined || this.#child !== undefined) return;
    this.#state = { ...state, running: { check: 'files', done: 0, total: 0, startedAtMs: Date.now() } };
    this.#fork();
    // Other nodes that share the folder must see that it is running.
    this.#timer = setInterval(() => void this.#write(), WRITE_INTERVAL_MS).unref();
    await this.#write();
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#end({ error: STOPPED });
    // It has the database open, whose files must be closed when the service ends.
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    await this.#writing;
  }

  #fork(): void {
    const { dataDir, database, standby, bucket, backup, secretKey, adminPrivateAddresses, settings } = this.#places;
    const places = { dataDir, database, standby, bucket, backup, secretKey, adminPrivateAddresses, settings };
    const job = { places, sendsMail: this.#sendsMail() } satisfies ToHealthProcess;
    const child = startProcess(ENTRY, this.#niceness, job);
    this.#child = child;
    child.on('message', (message: FromHealthProcess) => this.#take(message));
    child.on('error', (error) => this.#end({ error: explainNotStarted(error) }));
    child.on('exit', (code, signal) =>
      this.#end({ error: `The process of the health checks ended with ${signal ?? code}.` }),
    );
  }

  #take(message: FromHealthProcess): void {
    const running = this.#state?.running;
    if (running === undefined) return;
    if (!('progress' in message)) this.#end(message);
    else this.#state = { ...NOTHING, ...this.#state, running: { ...running, ...message.progress } };
  }

  /** The first end counts. */
  #end(end: Exclude<FromHealthProcess, { progress: unknown }>): void {
    const state = this.#state;
    this.#child = undefined;
    clearInterval(this.#timer);
    if (state?.running === undefined) return;
    const isDone = 'report' in end;
    const ended = { running: undefined, last: isDone ? end.report : state.last, error: isDone ? undefined : end.error };
    if (isDone) this.#log.info({ problems: problemsIn(end.report.findings) }, 'health checks finished');
    else this.#log.error({ reason: end.error }, 'health checks failed');
    this.#state = ended;
    void this.#write().then((isWritten) => {
      if (isWritten && this.#state === ended) this.#state = undefined;
    });
  }

  /** One write after the other. A failure costs only the state after a restart. */
  #write(): Promise<boolean> {
    const state = { version: VERSION, writtenAtMs: Date.now(), ...(this.#state ?? NOTHING) } satisfies StoredState;
    const path = join(this.#places.dataDir, STATE_FILE);
    this.#writing = this.#writing.then(async () => {
      const temporaryPath = `${path}.${randomUUID()}`;
      try {
        await writeFile(temporaryPath, JSON.stringify(state));
        await rename(temporaryPath, path);
        return true;
      } catch {
        return false;
      }
    });
    return this.#writing;
  }

  async #readFile(): Promise<HealthState> {
    try {
      const text = await readFile(join(this.#places.dataDir, STATE_FILE), 'utf8');
      const { version, writtenAtMs, running, last, error } = JSON.parse(text) as StoredState;
      if (version !== VERSION) return NOTHING;
      const isAbandoned = running !== undefined && writtenAtMs < Date.now() - ABANDONED_MS;
      return isAbandoned ? { running: undefined, last, error: STOPPED } : { running, last, error };
    } catch {
      // Nothing was checked yet, or the file is damaged.
      return NOTHING;
    }
  }
}

function problemsIn(findings: NonNullable<HealthState['last']>['findings']): readonly string[] {
  return findings.map(({ problem }) => problem).filter((problem) => problem !== null);
}
