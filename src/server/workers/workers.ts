import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { Failure } from '../../domain/failure.ts';
import type { PlainOutcome, Writer, WriteResponse, WriteJob } from '../../storage/sqlite/engine/writer.ts';
import type { Config } from '../configuration/config.ts';
import { searchResponseTo, type SearchCall } from '../search/search-messages.ts';
import type { Server } from '../process/server.ts';
import type { MetricsText } from '../../http/service/service-routes.ts';
import { expose } from '../metrics/exposition.ts';
import type { ProcessMetrics } from '../process/process-metrics.ts';
import type { ProcessRecords } from '../system/process-records.ts';
import type { ServerStores } from '../stores/stores.ts';
import { WorkerMetrics } from './worker-metrics.ts';
import { HEARTBEAT_MS, type FromWorker, type ToWorker } from './worker-messages.ts';

const ENTRY = new URL('worker-entry.js', import.meta.url);

/** A pause, so that a worker that exits at every start does not take a whole core. */
const RESTART_DELAY_MS = 1000;

/** A worker whose event loop has been blocked for 30 s is killed and replaced. */
const MAX_MISSED_HEARTBEATS = 6;

const HEALTH_CHECK_MS = 500;

/** Time for workers to exit after the timeout of requests. */
const LAST_STEPS_MS = 2000;

interface WorkersDeps {
  config: Config;
  stores: Pick<ServerStores, 'sharedWriter' | 'isHealthy' | 'search'>;
  /** Of this process. */
  metrics: ProcessMetrics;
  log: Logger;
  records: ProcessRecords;
}

/**
 * Serves requests in several processes. Each reads the database itself. Changes of an embedded database are written by
 * this process, so that all workers share transactions. Connections are distributed in turn.
 */
export class Workers implements Server {
  readonly #deps: WorkersDeps;
  readonly #running = new Set<Worker>();
  readonly #metrics = new WorkerMetrics((worker) => send(worker, { kind: 'measure' }));
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
  static async start({ config, ...deps }: WorkersDeps): Promise<Workers> {
    cluster.setupPrimary({ exec: fileURLToPath(ENTRY), args: [], serialization: 'advanced' });
    // A restarted worker needs the same port, even if all others have exited.
    const port = config.port === 0 ? await freePort(config.host) : config.port;
    const workers = new Workers({ ...deps, config: { ...config, port } });
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

  async readMetrics(accept: string | undefined): Promise<MetricsText> {
    const [own, ofWorkers] = await Promise.all([this.#deps.metrics.collect(), this.#metrics.collect(this.#running)]);
    return expose([own, ...ofWorkers], accept);
  }

  async stop(drainMs = 0): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#healthTimer);
    const timeoutMs = drainMs + this.#deps.config.stopTimeoutMs + LAST_STEPS_MS;
    const ends = [...this.#running].map((worker) => endOf(worker, timeoutMs));
    for (const worker of this.#running) send(worker, { kind: 'stop', drainMs });
    await Promise.all(ends);
  }

  #kill(): void {
    this.#isStopping = true;
    clearInterval(this.#healthTimer);
    for (const worker of this.#running) worker.process.kill('SIGKILL');
  }

  /** Starts a worker. Resolves to its origin once it listens. */
  async #fork(): Promise<string> {
    const { config, log, records } = this.#deps;
    const worker = cluster.fork();
    this.#running.add(worker);
    worker.once('exit', (code, signal) => {
      this.#running.delete(worker);
      this.#metrics.forget(worker);
      if (this.#isStopping) return;
      log.error({ worker: worker.process.pid, code, signal }, 'worker exited; restarting');
      void this.#replace();
    });
    // A worker that was just killed still counts as connected. Without a listener, a failed send would end this
    // process.
    worker.on('error', (error) => log.warn({ err: error, worker: worker.process.pid }, 'worker unreachable'));
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'write') void this.#write(worker, message.jobs);
      if (message.kind === 'search') void this.#search(worker, message.call);
      if (message.kind === 'measured') this.#metrics.take(worker, message.families);
      if (message.kind === 'metrics') void this.#sendMetrics(worker, message.id, message.accept);
      if (message.kind === 'error') records.addError(message.error);
      if (message.kind === 'read-records')
        void records.read().then((read) => send(worker, { kind: 'records', records: read }));
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
    await delay(RESTART_DELAY_MS, undefined, { ref: false });
    if (this.#isStopping) return;
    await this.#fork().catch((error: unknown) => log.error({ err: error }, 'worker restart failed'));
  }

  async #write(worker: Worker, jobs: readonly WriteJob[]): Promise<void> {
    const { sharedWriter } = this.#deps.stores;
    const responses = await Promise.all(jobs.map((job) => responseTo(sharedWriter, job)));
    send(worker, { kind: 'responses', responses });
  }

  async #search(worker: Worker, call: SearchCall): Promise<void> {
    send(worker, { kind: 'found', response: await searchResponseTo(call, this.#deps.stores.search) });
  }

  async #sendMetrics(worker: Worker, id: number, accept: string | undefined): Promise<void> {
    send(worker, { kind: 'metrics', id, metrics: await this.readMetrics(accept) });
  }

  #reportHealth(): void {
    const isHealthy = this.#deps.stores.isHealthy();
    if (isHealthy === this.#wasHealthy) return;
    this.#wasHealthy = isHealthy;
    for (const worker of this.#running) send(worker, { kind: 'health', isHealthy });
  }
}

/** Returns a free port, or 0 if none can be determined; starting a worker then fails with the reason. */
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

/** Resolves to the origin of the worker. @throws Failure if it cannot listen */
function listening(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'listening') resolve(message.origin);
      if (message.kind === 'failed') reject(Failure.fromPlain(message.failure));
    });
    worker.once('exit', () => reject(new Error('A worker exited before it was listening.')));
  });
}

/**
 * Kills a worker that sends no heartbeats. Counts intervals instead of measuring time: after this process was blocked
 * or the machine was asleep, pending messages are read before the next interval ends.
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
    log.error({ worker: worker.process.pid, blockedSeconds }, 'worker event loop blocked; killing the worker');
    worker.process.kill('SIGKILL');
  }, HEARTBEAT_MS).unref();
  worker.once('exit', () => clearInterval(timer));
}

async function endOf(worker: Worker, timeoutMs: number): Promise<void> {
  const kill = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs);
  await new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  clearTimeout(kill);
}

/** If the writer fails, every change of the job fails. */
async function responseTo(writer: Writer | undefined, job: WriteJob): Promise<WriteResponse> {
  try {
    if (writer === undefined) throw new Error('A worker sent changes, but there is no shared writer.');
    return await writer.applyJob(job);
  } catch (error) {
    const outcome: PlainOutcome = error instanceof Failure ? { failure: error.toPlain() } : { bug: String(error) };
    return job.changes.map(() => outcome);
  }
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
