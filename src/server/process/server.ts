import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createApp, type AppDeps } from '../../http/app.ts';
import { EventStreams } from '../../http/events/event-streams.ts';
import { basePathOf } from '../../http/pipeline/base-path.ts';
import { HttpActivity } from '../../http/pipeline/http-activity.ts';
import type { PlaygroundHost } from '../../domain/playgrounds/playground-administration.ts';
import type { Connections } from '../../http/pipeline/connections.ts';
import type { Door, RawExchange } from '../../http/pipeline/mount.ts';
import { NetworkTurns } from '../../http/pipeline/network-turns.ts';
import type { ReadMetrics } from '../../http/service/service-routes.ts';
import { routesOfFeatures } from '../features/features.ts';
import type { Composition } from './composition.ts';
import type { Config } from '../configuration/config.ts';
import { expose } from '../metrics/exposition.ts';
import { gaugesOf, ProcessMetrics, type PlaygroundActivity } from './process-metrics.ts';
import { ProcessRecords } from '../system/process-records.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Stores } from '../stores/stores.ts';
import { explainListenError } from '../log/explain-failure.ts';
import { serveHttps, type Https } from '../https/https.ts';
import { VERSION } from '../system/version.ts';
import { readWebBuild } from '../web/web-build.ts';
import type { WebBuild } from '../../http/web/web-build.ts';

export interface Server {
  /** For instance `http://127.0.0.1:8080`. */
  origin: string;
  /** Reports that the data is complete, so that `/readyz` succeeds. */
  markFilled(): void;
  readMetrics: ReadMetrics;
  /** See `Service`. */
  stop(drainMs?: number): Promise<void>;
  /** Ends all event streams. Clients may open new ones. */
  endStreams(): void;
}

const IDLE_CHECK_MS = 50;

/** Playgrounds, which this server passes their requests to. */
export interface ServedPlaygrounds extends PlaygroundHost, Door, PlaygroundActivity {
  /** Called before the first request. */
  attach(
    root: Pick<AppDeps, 'recordTurns' | 'activity' | 'web' | 'tracing'> & {
      connections: Connections;
    },
  ): void;
  /** Event streams would not end by themselves, and delay the end of the server. */
  endStreams(): void;
  /** Deletes all playgrounds, and ends their requests. */
  stop(): Promise<void>;
}

/** Why a service cannot have playgrounds, which are in the memory of one process; undefined if it can. */
export function reasonForNoPlaygrounds({ playgrounds, database }: Config): string | undefined {
  if (playgrounds.max === 0) return 'Playgrounds are switched off (--max-playgrounds).';
  if (database === undefined) return undefined;
  return 'Playgrounds are in the memory of one process, but a service on PostgreSQL may have several. Start one without --database-url.';
}

/** Gets each request before the application does. */
interface Gate {
  /** Calls `handle`, now or later, to have the request handled. May replace the methods of its response. */
  pass: (exchange: RawExchange, handle: () => void) => void;
  refusalOf: NonNullable<AppDeps['refusalOf']>;
}

interface ServerDeps {
  stores: Stores;
  composition: Composition;
  config: Config;
  log: Logger;
  /** A sentence that says why there are none, instead of them. */
  playgrounds?: ServedPlaygrounds | string;
  gate?: Gate;
  clock?: Clock;
  records?: ProcessRecords;
}

/** @throws Failure `unavailable` if the address cannot be used */
export async function startServer({
  stores,
  composition,
  config,
  log,
  playgrounds = reasonForNoPlaygrounds(config) ?? 'This service has no playgrounds.',
  gate,
  clock = Date.now,
  records = new ProcessRecords(clock),
}: ServerDeps): Promise<Server> {
  const state = { isFilled: false, isStopping: false };
  const activity = new HttpActivity();
  const secure: { https?: Https | undefined } = {};
  const metrics = new ProcessMetrics({
    stores,
    composition,
    http: activity,
    https: () => secure.https,
    playgrounds: typeof playgrounds === 'object' ? playgrounds : undefined,
    arePrivate: config.http.access === 'secured',
  });
  const readMetrics: ReadMetrics = async (accept) => expose(await metrics.collect(), accept);
  const web = await readWeb(config);
  const recordTurns = new NetworkTurns();
  const streams = new EventStreams({
    settings: config.http,
    hub: composition.hub,
    turns: recordTurns,
    authentication: composition.accounts.authentication,
    activity,
    log,
  });
  const app = createApp(config.http, {
    ...composition,
    ...composition.accounts,
    features: routesOfFeatures(composition, config.features),
    streams,
    recordTurns,
    web,
    playgrounds: composition.playgroundsOf(playgrounds),
    ...(typeof playgrounds === 'object' && { door: playgrounds }),
    ...(gate !== undefined && { refusalOf: gate.refusalOf }),
    staging: stores.staging,
    iterations: stores.iterations,
    state: {
      version: VERSION,
      isReady: async () => state.isFilled && !state.isStopping && (await canRead(stores)),
      searchState: () => stores.search.state(),
      backupHealth: () => composition.backups?.health,
    },
    activity,
    metrics: readMetrics,
    log,
  });
  app.addHook('preClose', async () => streams.stop());
  const endSampling = records.activity.sampleFrom({
    totals: () => activity.totals(),
    gauges: () => gaugesOf(stores, composition, activity),
  });
  app.addHook('onClose', async () => endSampling());
  if (gate !== undefined) passThrough(gate, app);
  if (typeof playgrounds === 'object') {
    const { connections } = app;
    const { tracing } = composition;
    playgrounds.attach({ connections, recordTurns, activity, web, tracing });
    app.addHook('preClose', async () => playgrounds.endStreams());
    // After the pending requests.
    app.addHook('onClose', () => playgrounds.stop());
  }
  // Pending requests arrive on its connections as well.
  app.addHook('onClose', () => secure.https?.stop());
  const origin = await listen(app, config);
  secure.https = await listenForHttps(app, config, { stores, clock, log, records });
  return {
    readMetrics,
    endStreams: () => streams.endAll(),
    origin,
    markFilled: () => {
      state.isFilled = true;
    },
    async stop(drainMs = 0) {
      state.isStopping = true;
      await drain(app, drainMs);
      await Promise.all([closeWithin(app, config.stopTimeoutMs), composition.health.stop()]);
    },
  };
}

async function listenForHttps(
  app: FastifyInstance,
  { https: settings, http: { publicUrl = '', maxConnections } }: Config,
  { stores, ...deps }: { stores: Stores; clock: Clock; log: Logger; records: ProcessRecords },
): Promise<Https | undefined> {
  if (settings === undefined) return undefined;
  try {
    return await serveHttps({ ...deps, ...stores, app, settings, publicUrl, maxConnections });
  } catch (error) {
    await app.close();
    throw error;
  }
}

function passThrough(gate: Gate, app: FastifyInstance): void {
  const listeners = app.server.listeners('request') as RequestListener[];
  app.server.removeAllListeners('request');
  app.server.on('request', (request, response) => {
    app.requestIdOf(request);
    gate.pass({ request, response }, () => {
      for (const handle of listeners) handle(request, response);
    });
  });
}

async function readWeb({ webFolder, http }: Config): Promise<WebBuild | undefined> {
  if (webFolder === undefined) return undefined;
  return readWebBuild(webFolder, basePathOf(http.publicUrl));
}

async function canRead(stores: Stores): Promise<boolean> {
  if (!stores.isHealthy()) return false;
  return stores.pets.isUnused().then(
    () => true,
    () => false,
  );
}

/** @throws Failure `unavailable` if the address cannot be used */
export async function listen(app: FastifyInstance, { host, port }: Pick<Config, 'host' | 'port'>): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw explainListenError(error, { host, port });
  }
  const address = app.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

/** Serves until load balancers have noticed `/readyz`. Their connections are closed after the next response. */
async function drain(app: FastifyInstance, drainMs: number): Promise<void> {
  if (drainMs === 0) return;
  app.server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  await new Promise((resolve) => setTimeout(resolve, drainMs));
}

/** Waits for pending requests; after the timeout, their connections are closed. */
export async function closeWithin(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const closing = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  // Node closes only the connections that are idle now; one whose response ends later would stay open.
  const checking = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(closing);
    clearInterval(checking);
  }
}
