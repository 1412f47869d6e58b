import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Failure } from '../../domain/failure.ts';
import type { PlainOutcome, Writer, WriteAnswer, WriteJob } from '../../storage/sqlite/engine/writer.ts';
import type { Config } from '../config.ts';
import type { Server } from '../server.ts';
import type { ServerStores } from '../stores.ts';
import { HEARTBEAT_MS, type FromWorker, type ToWorker } from './worker-messages.ts';

/** A worker that ended by itself is replaced after this time, so that one that ends at every start does not take a core. */
const REPLACED_AFTER_MS = 1000;

/** A worker whose event loop has been blocked for 30 s is killed and replaced. */
const MAX_MISSED_HEARTBEATS = 6;

const HEALTH_CHECK_MS = 500;

/** After their open requests had their time, workers have this long to end. */
const LAST_STEPS_MS = 2000;

export interface WorkersDeps {
  config: Config;
  stores: Pick<ServerStores, 'sharedWriter' | 'isHealthy'>;
  log: Logger;
}

/**
 * Serves from several processes on one database. Each reads by itself. To an embedded database this process writes for all of them, so that their changes
 * share transactions. Connections are given to the workers in turn.
 */
export class Workers implements Server {
  readonly #deps: WorkersDeps;
  readonly #running = new Set<Worker>();
  readonly #healthTimer: NodeJS.Timeout;
  #origin = '';
  #isFilled = false;
  #isStopping = false;
  #wasHealthy = true;

  private constructor(deps: WorkersDeps) {
    this.#deps = deps;
    this.#healthTimer = setInterval(() => this.#reportHealth(), HEALTH_CHECK_MS).unref();
  }

  /** @throws Failure as `startServer`, if a worker cannot start */
  static async start({ config, stores, log }: WorkersDeps): Promise<Workers> {
    cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker-entry.js'), args: [], serialization: 'advanced' });
    // Workers that replace others need the same port, even if all others have ended.
    const port = config.port === 0 ? await freePort(config.host) : config.port;
    const workers = new Workers({ config: { ...config, port }, stores, log });
    try {
      const origins = await Promise.all(Array.from({ length: config.workers }, () => workers.#fork()));
      workers.#origin = origins[0] as string;
      return workers;
    } catch (error) {
      workers.#kill();
      throw error;
    }
  }

  get origin(): string {
    return this.#origin;
  }

  markFilled(): void {
    this.#isFilled = true;
    for (const worker of this.#running) send(worker, { kind: 'filled' });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#healthTimer);
    const timeoutMs = this.#deps.config.stopTimeoutMs + LAST_STEPS_MS;
    const ends = [...this.#running].map((worker) => endOf(worker, timeoutMs));
    for (const worker of this.#running) send(worker, { kind: 'stop' });
    await Promise.all(ends);
  }

  #kill(): void {
    this.#isStopping = true;
    clearInterval(this.#healthTimer);
    for (const worker of this.#running) worker.process.kill('SIGKILL');
  }

  /** Starts a worker. Resolves to its origin once it listens. */
  async #fork(): Promise<string> {
    const { config, log } = this.#deps;
    const worker = cluster.fork();
    this.#running.add(worker);
    worker.once('exit', (code, signal) => {
      this.#running.delete(worker);
      if (this.#isStopping) return;
      log.error({ worker: worker.process.pid, code, signal }, 'a worker ended by itself; another takes its place');
      void this.#replace();
    });
    // A worker that was just killed still counts as connected. Without a listener, a message that cannot be sent would end this process.
    worker.on('error', (error) => log.warn({ err: error, worker: worker.process.pid }, 'a worker was not reached'));
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'write') void this.#write(worker, message.jobs);
    });
    send(worker, { kind: 'start', config });
    const origin = await listening(worker);
    killWhenBlocked(worker, log);
    if (this.#isFilled) send(worker, { kind: 'filled' });
    if (!this.#wasHealthy) send(worker, { kind: 'health', isHealthy: false });
    return origin;
  }

  async #replace(): Promise<void> {
    const { log } = this.#deps;
    await delay(REPLACED_AFTER_MS, undefined, { ref: false });
    if (this.#isStopping) return;
    await this.#fork().catch((error: unknown) => log.error({ err: error }, 'a worker could not be replaced'));
  }

  async #write(worker: Worker, jobs: readonly WriteJob[]): Promise<void> {
    const { sharedWriter } = this.#deps.stores;
    const answers = await Promise.all(jobs.map((job) => answerOf(sharedWriter, job)));
    send(worker, { kind: 'answers', answers });
  }

  #reportHealth(): void {
    const isHealthy = this.#deps.stores.isHealthy();
    if (isHealthy === this.#wasHealthy) return;
    this.#wasHealthy = isHealthy;
    for (const worker of this.#running) send(worker, { kind: 'health', isHealthy });
  }
}

/** A port that is free now; 0 if that cannot be determined, and a worker will report why. */
async function freePort(host: string): Promise<number> {
  const probe = createServer();
  try {
    await once(probe.listen(0, host), 'listening');
    return (probe.address() as AddressInfo).port;
  } catch {
    return 0;
  } finally {
    probe.close();
  }
}

/** Resolves to the origin at which the worker listens. @throws Failure if it cannot */
function listening(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'listening') resolve(message.origin);
      if (message.kind === 'failed') reject(Failure.fromPlain(message.failure));
    });
    worker.once('exit', () => reject(new Error('A worker ended before it listened.')));
  });
}

/**
 * Kills a worker that sends no heartbeats. Intervals are counted, not time: after this process was blocked or the machine asleep, pending messages are
 * read before the next interval ends.
 */
function killWhenBlocked(worker: Worker, log: Logger): void {
  let missed = 0;
  worker.on('message', ({ kind }: FromWorker) => {
    if (kind === 'heartbeat') missed = 0;
  });
  const timer = setInterval(() => {
    missed += 1;
    if (missed <= MAX_MISSED_HEARTBEATS) return;
    clearInterval(timer);
    const blockedSeconds = (MAX_MISSED_HEARTBEATS * HEARTBEAT_MS) / 1000;
    log.error(
      { worker: worker.process.pid, blockedSeconds },
      'the event loop of a worker is blocked; the worker is killed',
    );
    worker.process.kill('SIGKILL');
  }, HEARTBEAT_MS).unref();
  worker.once('exit', () => clearInterval(timer));
}

async function endOf(worker: Worker, timeoutMs: number): Promise<void> {
  const kill = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs);
  await new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  clearTimeout(kill);
}

/** If the writer itself fails, every change fails. */
async function answerOf(writer: Writer | undefined, job: WriteJob): Promise<WriteAnswer> {
  try {
    if (writer === undefined) throw new Error('A worker asked to write, where each writes by itself.');
    return await writer.applyJob(job);
  } catch (error) {
    const outcome: PlainOutcome = error instanceof Failure ? { failure: error.toPlain() } : { bug: String(error) };
    return job.changes.map(() => outcome);
  }
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
