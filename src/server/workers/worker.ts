import cluster from 'node:cluster';
import { Failure } from '../../domain/failure.ts';
import type { WriteAnswer, WriterLink } from '../../storage/sqlite/engine/writer.ts';
import { lowerBackgroundPriority } from '../background/background-threads.ts';
import { compose, loadImaging } from '../composition.ts';
import type { Config } from '../config.ts';
import { createLog } from '../log.ts';
import { startServer } from '../server.ts';
import { openStoresOfWorker } from '../open-stores.ts';
import { HEARTBEAT_MS, type FromWorker, type ToWorker } from './worker-messages.ts';

/*
 * A process that answers requests beside others: it reads the database by itself, and asks the process that started it to write. It ends with that
 * one; what nobody was told of may then be written or not.
 */

// A terminal tells all processes of a group to stop, a service manager may as well. When to stop is for the one that started this to say.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const) process.on(signal, () => {});
// What can no longer be sent to that process: it was killed, and `disconnect`, which ends this one, is about to come.
cluster.worker?.on('error', () => {});
/** It may come before there is anything to stop. */
const toldToStop = new Promise<void>((resolve) => {
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'start') void serve(message.config);
    if (message.kind === 'health') isServiceHealthy = message.isHealthy;
    if (message.kind === 'stop') resolve();
  });
});
/** As the process that started this one has found out. */
let isServiceHealthy = true;

async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel, config.logFormat);
  process.on('uncaughtExceptionMonitor', (error) => log.fatal({ err: error }, 'a worker ends after an error'));
  try {
    const stores = await openStoresOfWorker(config, linkToPrimary(), log);
    lowerBackgroundPriority();
    await loadImaging();
    const composition = compose(stores, config, log, Date.now);
    const isHealthy = () => isServiceHealthy && stores.isHealthy();
    const server = await startServer({ stores: { ...stores, isHealthy }, composition, config, log });
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'filled') server.markFilled();
    });
    tell({ kind: 'listening', origin: server.origin });
    setInterval(() => tell({ kind: 'heartbeat' }), HEARTBEAT_MS).unref();
    await toldToStop;
    await server.stop();
    await stores.close();
    process.exit();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.send?.({ kind: 'failed', failure: error.toPlain() } satisfies FromWorker, () => process.exit(1));
  }
}

function linkToPrimary(): WriterLink {
  let ends: (() => void)[] = [];
  const end = () => {
    for (const each of ends) each();
    ends = [];
  };
  process.once('disconnect', end);
  return {
    send: (jobs) => tell({ kind: 'write', jobs }),
    onAnswers: (take: (answers: readonly WriteAnswer[]) => void) => {
      process.on('message', (message: ToWorker) => {
        if (message.kind === 'answers') take(message.answers);
      });
    },
    onEnd: (each) => ends.push(each),
    close: end,
  };
}

function tell(message: FromWorker): void {
  process.send?.(message);
}
