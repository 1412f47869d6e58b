import cluster from 'node:cluster';
import { Failure } from '../../domain/failure.ts';
import type { MetricsText, ReadMetrics } from '../../http/service/service-routes.ts';
import type { WriteResponse, WriterLink } from '../../storage/sqlite/engine/writer.ts';
import { compose, loadImaging, startTracing } from '../process/composition.ts';
import type { Config } from '../configuration/config.ts';
import type { SearchService } from '../../domain/search/search-engine.ts';
import { createLog } from '../log/log.ts';
import { RemoteSearch } from '../search/search-messages.ts';
import { startServer } from '../process/server.ts';
import { openStoresOfWorker } from '../stores/open-stores.ts';
import type { Records } from '../system/process-records.ts';
import { watchErrors } from '../log/watched-log.ts';
import { HEARTBEAT_MS, type FromWorker, type ToWorker } from './worker-messages.ts';

/*
 * A worker process serves requests. It reads the database itself, and sends changes of an embedded database to the
 * primary process. It ends with the primary process; changes that were not acknowledged by then may or may not be
 * stored.
 */

// A terminal and some service managers send signals to the whole process group. The primary process decides when to
// stop.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const) process.on(signal, () => {});
// A message cannot be sent because the primary process was killed. The `disconnect` event, which ends this process,
// follows.
cluster.worker?.on('error', () => {});
/** May arrive before the server has started. */
const stopRequested = new Promise<number>((resolve) => {
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'start') void serve(message.config);
    if (message.kind === 'health') isServiceHealthy = message.isHealthy;
    if (message.kind === 'stop') resolve(message.drainMs);
  });
});
/** Reported by the primary process. */
let isServiceHealthy = true;

async function serve(config: Config): Promise<void> {
  const log = watchErrors(await createLog(config.logLevel, config.logFormat), (error) =>
    sendToPrimary({ kind: 'error', error }),
  );
  process.on('uncaughtExceptionMonitor', (error) => log.fatal({ err: error }, 'worker crashed'));
  try {
    const stores = await openStoresOfWorker(config, linkToPrimary(), searchInPrimary(), log);
    await loadImaging();
    const tracing = await startTracing(config, log);
    const records = { read: readRecordsOfPrimary };
    const composition = compose(stores, config, log, Date.now, { records, tracing });
    const isHealthy = () => isServiceHealthy && stores.isHealthy();
    const server = await startServer({
      stores: { ...stores, isHealthy },
      composition,
      config,
      log,
      metricsOfNode: metricsFromPrimary(),
    });
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'filled') server.markFilled();
      if (message.kind === 'measure')
        void server.collectMetrics().then((families) => sendToPrimary({ kind: 'measured', families }));
    });
    sendToPrimary({ kind: 'listening', origin: server.origin });
    setInterval(() => sendToPrimary({ kind: 'heartbeat' }), HEARTBEAT_MS).unref();
    const drainMs = await stopRequested;
    await Promise.all([server.stop(drainMs), composition.backups?.stop()]);
    await tracing?.stop();
    await stores.close();
    process.exit();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.send?.({ kind: 'failed', failure: error.toPlain() } satisfies FromWorker, () => process.exit(1));
  }
}

function searchInPrimary(): SearchService {
  const search = new RemoteSearch({ send: (call) => sendToPrimary({ kind: 'search', call }) });
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'found') search.takeResponse(message.response);
  });
  process.once('disconnect', () => search.end());
  return search;
}

function metricsFromPrimary(): ReadMetrics {
  const pending = new Map<number, (metrics: MetricsText) => void>();
  let lastId = 0;
  process.on('message', (message: ToWorker) => {
    if (message.kind !== 'metrics') return;
    pending.get(message.id)?.(message.metrics);
    pending.delete(message.id);
  });
  return (accept) =>
    new Promise((resolve) => {
      const id = ++lastId;
      pending.set(id, resolve);
      sendToPrimary({ kind: 'metrics', id, accept });
    });
}

function linkToPrimary(): WriterLink {
  let ends: (() => void)[] = [];
  const end = () => {
    for (const each of ends) each();
    ends = [];
  };
  process.once('disconnect', end);
  return {
    send: (jobs) => sendToPrimary({ kind: 'write', jobs }),
    onResponses: (take: (responses: readonly WriteResponse[]) => void) => {
      process.on('message', (message: ToWorker) => {
        if (message.kind === 'responses') take(message.responses);
      });
    },
    onEnd: (each) => ends.push(each),
    close: end,
  };
}

function readRecordsOfPrimary(): Promise<Records> {
  return new Promise((resolve) => {
    const take = (message: ToWorker) => {
      if (message.kind !== 'records') return;
      process.off('message', take);
      resolve(message.records);
    };
    process.on('message', take);
    sendToPrimary({ kind: 'read-records' });
  });
}

function sendToPrimary(message: FromWorker): void {
  process.send?.(message);
}
