import { availableParallelism } from 'node:os';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createPasswordHasher } from '../crypto/password-hasher.ts';
import { tokens } from '../crypto/tokens.ts';
import { createAccess } from '../domain/access.ts';
import { Failure } from '../domain/failure.ts';
import { createPetCatalogue } from '../domain/pets/pet-catalogue.ts';
import { createPhotoGallery, type PhotoGallery } from '../domain/pets/photo-gallery.ts';
import type { Clock } from '../domain/ports.ts';
import { createSignIn, type SignIn } from '../domain/accounts/sign-in.ts';
import { createUserAccounts } from '../domain/accounts/user-accounts.ts';
import { createApp } from '../http/app.ts';
import { createImaging } from '../imaging/imaging.ts';
import type { Config } from './config.ts';
import { fillWithSamples, type Samples } from './sample-catalogue.ts';
import { openStores } from './stores.ts';
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

/** So many logins may wait for their hash: a few seconds' worth. */
const MAX_WAITING_HASHES = 100;
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
    // Half the cores for hashing and half for pictures, so that neither keeps the other waiting, nor either of them the event loop.
    const concurrency = Math.max(1, Math.floor(availableParallelism() / 2));
    const access = createAccess(config.http.access);
    const passwords = createPasswordHasher({ concurrency, maxWaiting: MAX_WAITING_HASHES });
    const imaging = createImaging({ maxPixels: config.maxPhotoPixels, concurrency, maxWaiting: MAX_WAITING_PICTURES });
    const catalogue = createPetCatalogue({ access, imaging, ...stores });
    const gallery = createPhotoGallery({ imaging, clock, graceMs: config.photoGraceMs, ...stores });
    const accounts = createUserAccounts({ access, passwords, ...stores });
    const signIn = createSignIn({ passwords, tokens, clock, limits: config.sessions, ...stores });
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
      accounts,
      signIn,
      staging: stores.staging,
      state: { version: VERSION, isReady },
      log,
    });
    app.server.maxConnections = config.maxConnections;
    const origin = await listen(app, config);
    // Not before the address is ours: a start that fails leaves no samples behind for the next one, which may not want any.
    const samples = config.empty ? undefined : await fillWithSamples({ imaging, ...stores });
    state.isFilled = true;
    const stopClearing = clearFromTimeToTime({ gallery, signIn, log });
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

/** What a person is told when the service cannot start. A bug is told with all there is, for the report. */
export function explainFailure(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
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

/** Clears unused pictures and expired sessions away, now and then. Returns a function that stops it, when the run at work is through. */
function clearFromTimeToTime({
  gallery,
  signIn,
  log,
}: {
  gallery: PhotoGallery;
  signIn: SignIn;
  log: Logger;
}): () => Promise<void> {
  let isStopping = false;
  let running = Promise.resolve();
  async function clear(): Promise<void> {
    try {
      await signIn.forgetExpired();
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
