import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { forgetCounts } from '../domain/accounts/guessing.ts';
import { createRefusalNotes, type AuditTrail } from '../domain/audit-trail.ts';
import { Failure, type FieldProblem } from '../domain/failure.ts';
import { createPetCatalogue } from '../domain/pets/pet-catalogue.ts';
import { createPhotoGallery, type PhotoGallery } from '../domain/pets/photo-gallery.ts';
import type { Clock, Limits } from '../domain/ports.ts';
import type { SignIn } from '../domain/accounts/sign-in.ts';
import { createApp } from '../http/app.ts';
import { createImaging } from '../imaging/imaging.ts';
import { createAccounts } from './accounts.ts';
import { backgroundConcurrency, lowerBackgroundPriority } from './background-threads.ts';
import type { Config } from './config.ts';
import { fillWithSamples, type Samples } from './sample-catalogue.ts';
import { openStores, type Stores } from './stores.ts';
import { VERSION } from './version.ts';

export interface Service {
  /** Where it is reached: `http://127.0.0.1:8080`. */
  origin: string;
  /** What a new database was filled with. */
  samples: Samples | undefined;
  /** Takes no new requests, ends the open ones, writes what is to be written. */
  stop(): Promise<void>;
  /** What the service does by itself from time to time; here for those who cannot wait. */
  gallery: PhotoGallery;
}

const MAX_WAITING_PICTURES = 64;
const IDLE_CHECK_MS = 50;
const CLEARING_INTERVAL_MS = 3_600_000;

/**
 * Starts the service: opens its data, listens, fills a new database with samples; then it is ready.
 *
 * @throws Failure `unavailable` when the data or the address cannot be had; nothing is harmed
 */
export async function startService(config: Config, log: Logger, clock: Clock = Date.now): Promise<Service> {
  const stores = await openStores(config.dataDir);
  let app: FastifyInstance | undefined;
  try {
    lowerBackgroundPriority();
    const concurrency = backgroundConcurrency(config.threadPoolSize);
    if (config.http.access === 'secured') await demandAdministrator(stores, config);
    const noteRefusal = createRefusalNotes(stores.audit, clock);
    const accounts = createAccounts(
      stores,
      {
        ...config,
        mode: config.http.access,
        hashingConcurrency: Math.ceil(concurrency / 2),
        onRefused: (actor, action) => {
          noteRefusal(actor, action).catch((error: unknown) => log.error({ err: error }, 'a refusal was not noted'));
        },
      },
      clock,
    );
    const imaging = createImaging({ maxPixels: config.maxPhotoPixels, concurrency, maxWaiting: MAX_WAITING_PICTURES });
    const catalogue = createPetCatalogue({ access: accounts.access, imaging, clock, ...stores });
    const gallery = createPhotoGallery({ imaging, clock, graceMs: config.photoGraceMs, ...stores });
    const state = { isFilled: false, isStopping: false };
    const isReady = async () =>
      state.isFilled &&
      !state.isStopping &&
      (await stores.pets.isUnused().then(
        () => true,
        () => false,
      ));
    app = createApp(config.http, {
      catalogue,
      gallery,
      ...accounts,
      staging: stores.staging,
      turns: stores.turns,
      state: { version: VERSION, isReady },
      log,
    });
    app.server.maxConnections = config.maxConnections;
    const origin = await listen(app, config);
    // Not before the address is ours: a start that fails leaves no samples behind for the next one, which may not want any.
    const samples = config.empty ? undefined : await fillWithSamples({ imaging, clock, ...stores });
    state.isFilled = true;
    const stopClearing = clearFromTimeToTime({ gallery, log, clock, limits: stores.limits, ...accounts });
    const running = app;
    return {
      origin,
      samples,
      gallery,
      async stop() {
        state.isStopping = true;
        await stopClearing();
        await closeWithin(running, config.stopTimeoutMs);
        await stores.close();
      },
    };
  } catch (error) {
    await app?.close();
    await stores.close();
    throw error;
  }
}

/** What a person at the command line is told when something fails. A bug is told with all there is, for the report. */
export function explainFailure(error: unknown): string {
  if (error instanceof Failure) {
    const { problems = [] } = error.details;
    return error.code === 'invalid-input' && problems.length > 0
      ? problems.map(explainProblem).join('\n')
      : error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** `/password` becomes `The password`. */
function explainProblem({ path, message }: FieldProblem): string {
  const field = path
    .replace(/^\//, '')
    .replace(/\/\d+$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return `The ${field} ${message}.`;
}

async function demandAdministrator({ users }: Stores, { dataDir }: Config): Promise<void> {
  if (await users.hasAdministrator()) return;
  throw new Failure(
    'unavailable',
    `secured access needs an administrator who can log in, and there is none. Make one with: npx menagerie user create NAME --role admin --data-dir ${shellWord(dataDir)}`,
  );
}

/** As a shell takes it for one word (POSIX, section 2.2.2). */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw explainListenError(error, host, port);
  }
  const address = app.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

function explainListenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new Failure(
      'unavailable',
      `Port ${port} on ${host} is in use by another program. Choose another with --port, or 0 for any free one.`,
    );
  }
  if (code === 'EACCES')
    return new Failure(
      'unavailable',
      `Port ${port} may not be used by this account. Choose one above 1023 with --port.`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Failure('unavailable', `${host} is no address of this machine. Choose another with --host.`);
  }
  return error;
}

/** Open requests may end by themselves; after the time, their connections are cut. */
async function closeWithin(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  // Node closes the connections that are idle now. One whose answer ends later would be kept for its next request.
  const tidy = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
    clearInterval(tidy);
  }
}

interface ClearingNeeds {
  gallery: PhotoGallery;
  signIn: SignIn;
  auditTrail: AuditTrail;
  limits: Limits;
  clock: Clock;
  log: Logger;
}

/** Clears away what has had its time, now and then. Returns a function that stops it, when the run at work is through. */
function clearFromTimeToTime({ gallery, signIn, auditTrail, limits, clock, log }: ClearingNeeds): () => Promise<void> {
  let isStopping = false;
  let running = Promise.resolve();
  async function clear(): Promise<void> {
    try {
      await signIn.forgetExpired();
      await forgetCounts(limits, clock);
      await auditTrail.forgetOld(() => isStopping);
      const removed = await gallery.clearUnused(() => isStopping);
      if (removed > 0) log.info({ removed }, 'unused pictures removed');
    } catch (error) {
      log.error({ err: error }, 'clearing away failed; it is tried again in an hour');
    }
  }
  const timer = setInterval(() => {
    running = running.then(clear);
  }, CLEARING_INTERVAL_MS);
  timer.unref();
  running = clear();
  return async () => {
    isStopping = true;
    clearInterval(timer);
    await running;
  };
}
