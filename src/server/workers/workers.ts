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

/** A worker that ended by itself is replaced after this time: one that ends at every start does not take a core. */
const REPLACED_AFTER_MS = 1000;

/** A worker whose event loop has been blocked for 30 s is killed and replaced. */
const MAX_MISSED_HEARTBEATS = 6;

const HEALTH_CHECK_MS = 500;

/** After their open requests had their time, workers have this long to end. */
const LAST_STEPS_MS = 2000;

/**
 * Serves from several processes on one database: each reads by itself. To an embedded one this process writes for all, so that changes of all of them
 * gather into one transaction. Connections go to the workers in turn.
 *
 * @throws Failure as `startServer`, when one of them cannot start
 */
export async function startWorkers(
  config: Config,
  { sharedWriter: writer, isHealthy }: Pick<ServerStores, 'sharedWriter' | 'isHealthy'>,
  log: Logger,
): Promise<Server> {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker-entry.js'), args: [], serialization: 'advanced' });
  const running = new Set<Worker>();
  // Those that come later, even when all others have ended, are to be found at the same address.
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  let isFilled = false;
  let isStopping = false;
  let wasHealthy = true;
  const healthTimer = setInterval(() => {
    if (isHealthy() === wasHealthy) return;
    wasHealthy = !wasHealthy;
    for (const worker of running) tell(worker, { kind: 'health', isHealthy: wasHealthy });
  }, HEALTH_CHECK_MS).unref();

  /** Starts a worker, and waits until it listens. */
  async function start(): Promise<string> {
    const worker = cluster.fork();
    running.add(worker);
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (isStopping) return;
      log.error({ worker: worker.process.pid, code, signal }, 'a worker ended by itself; another takes its place');
      void replace();
    });
    // One that was killed a moment ago still counts as connected. Without a listener, what it cannot be told any more would end this process.
    worker.on('error', (error) => log.warn({ err: error, worker: worker.process.pid }, 'a worker was not reached'));
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'write') void answer(worker, message.jobs);
    });
    tell(worker, { kind: 'start', config: { ...config, port } });
    const origin = await listening(worker);
    killWhenBlocked(worker, log);
    if (isFilled) tell(worker, { kind: 'filled' });
    if (!wasHealthy) tell(worker, { kind: 'health', isHealthy: wasHealthy });
    return origin;
  }

  async function answer(worker: Worker, jobs: readonly WriteJob[]): Promise<void> {
    tell(worker, { kind: 'answers', answers: await Promise.all(jobs.map((job) => answerOf(writer, job))) });
  }

  async function replace(): Promise<void> {
    await delay(REPLACED_AFTER_MS, undefined, { ref: false });
    if (isStopping) return;
    await start().catch((error: unknown) => log.error({ err: error }, 'a worker could not be replaced'));
  }

  async function stop(): Promise<void> {
    isStopping = true;
    clearInterval(healthTimer);
    const ends = [...running].map((worker) => endOf(worker, config.stopTimeoutMs + LAST_STEPS_MS));
    for (const worker of running) tell(worker, { kind: 'stop' });
    await Promise.all(ends);
  }

  try {
    const origins = await Promise.all(Array.from({ length: config.workers }, start));
    return {
      origin: origins[0] as string,
      markFilled() {
        isFilled = true;
        for (const worker of running) tell(worker, { kind: 'filled' });
      },
      stop,
    };
  } catch (error) {
    isStopping = true;
    clearInterval(healthTimer);
    for (const worker of running) worker.process.kill('SIGKILL');
    throw error;
  }
}

/** A port that is free at this moment; 0 where that cannot be found out, and a worker will say why. */
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

/** Resolves to where the worker listens. @throws Failure when it cannot */
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
 * Kills a worker that sends no heartbeat any more. Intervals are counted, not time: where this process was blocked or the machine asleep, the messages
 * that wait for it are read before the next one.
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

/** A failure of the writer itself is one of every change. */
async function answerOf(writer: Writer | undefined, job: WriteJob): Promise<WriteAnswer> {
  try {
    if (writer === undefined) throw new Error('A worker asked to write, where each writes by itself.');
    return await writer.applyJob(job);
  } catch (error) {
    const outcome: PlainOutcome = error instanceof Failure ? { failure: error.toPlain() } : { bug: String(error) };
    return job.changes.map(() => outcome);
  }
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
