import cors from '@fastify/cors';
import { LogController, fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { AccessMode } from '../domain/access.ts';
import type { PetCatalogue } from '../domain/pets/pet-catalogue.ts';
import type { PhotoGallery } from '../domain/pets/photo-gallery.ts';
import type { UploadStaging } from '../domain/pets/ports.ts';
import type { SignIn } from '../domain/accounts/sign-in.ts';
import type { UserAccounts } from '../domain/accounts/user-accounts.ts';
import { answerClientError, answerFailures, answerUnknownExpectation, refuseUnknownPath } from './failure-answers.ts';
import { demandOneHost, refuseCrossSiteChanges, refuseForeignHosts, refuseUnacceptable } from './guards.ts';
import { identifyCaller, sessionCookie } from './accounts/identify-caller.ts';
import { addPetRoutes } from './pets/pet-routes.ts';
import { addPhotoRoutes } from './pets/photo-routes.ts';
import { readRequestBodies } from './request-bodies.ts';
import { requestIds, logRequests } from './request-log.ts';
import { refuseOtherMethods, routesOf } from './routes.ts';
import { addServiceRoutes, type ServiceState } from './service-routes.ts';
import { addUserRoutes } from './accounts/user-routes.ts';

export interface HttpSettings {
  access: AccessMode;
  /** Where the service is reached, if that cannot be told from the requests. */
  publicUrl: string | undefined;
  corsOrigins: readonly string[];
  maxBodyBytes: number;
  maxPhotoBytes: number;
  /** A connection on which nothing moves for this long is closed. */
  idleTimeoutMs: number;
  /** How long a connection is kept for the next request. */
  keepAliveTimeoutMs: number;
  /** For the whole request to arrive; uploads included. */
  requestTimeoutMs: number;
  headersTimeoutMs: number;
}

export interface AppNeeds {
  catalogue: PetCatalogue;
  gallery: PhotoGallery;
  accounts: UserAccounts;
  signIn: SignIn;
  staging: UploadStaging;
  state: ServiceState;
  log: Logger;
}

/** Long enough for every user name, each character of it percent-encoded. What is longer still is refused by the limit on headers. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

/** How often Node looks for requests that are late. */
const TIMEOUT_CHECK_MS = 2000;

/** The whole application on one screen: what every request passes, then every route. */
export function createApp(settings: HttpSettings, needs: AppNeeds): FastifyInstance {
  const { catalogue, gallery, accounts, signIn, staging, state, log } = needs;
  const cookie = sessionCookie(settings.publicUrl);
  const baseOf = (request: FastifyRequest) => settings.publicUrl ?? `http://${request.headers.host ?? 'localhost'}`;
  const app = createServer(settings, log);

  app.decorateRequest('caller', null);
  logRequests(app, log);
  app.addHook('onRequest', demandOneHost);
  if (settings.access === 'open') app.addHook('onRequest', refuseForeignHosts);
  allowCrossOrigin(app, settings.corsOrigins);
  app.addHook(
    'onRequest',
    refuseCrossSiteChanges(new Set(settings.corsOrigins), (request) => new URL(baseOf(request)).origin),
  );
  app.addHook('onRequest', refuseUnacceptable);
  app.addHook('onRequest', identifyCaller(signIn, cookie));
  readRequestBodies(app);

  const add = routesOf(app);
  addPetRoutes(add, { catalogue, staging, maxPhotoBytes: settings.maxPhotoBytes, baseOf });
  addUserRoutes(add, { accounts, signIn, cookie });
  addPhotoRoutes(add, gallery);
  addServiceRoutes(app, state);
  refuseOtherMethods(app);
  return app;
}

function createServer(settings: HttpSettings, log: Logger): FastifyInstance {
  const app = fastify({
    // Fastify switches Node's limits on slow clients off; here each is set.
    connectionTimeout: settings.idleTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    http: {
      headersTimeout: settings.headersTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Asked for by a guard of ours, which answers in our words.
      requireHostHeader: false,
    },
    bodyLimit: settings.maxBodyBytes,
    // While it stops, requests on open connections are still answered, and their connections closed after them.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    rewriteUrl: ({ url = '/' }) => originForm(url),
    genReqId: requestIds(),
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      // What cannot be routed passes no hook; a page that may call us is still to see why it failed.
      const { origin } = request.headers;
      if (origin !== undefined && settings.corsOrigins.includes(origin)) {
        reply.headers({
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
          vary: 'Origin',
        });
      }
      void answerFailures(log)(error, request, reply);
    },
  });
  app.server.on('checkExpectation', answerUnknownExpectation);
  app.setErrorHandler(answerFailures(log));
  app.setNotFoundHandler(refuseUnknownPath);
  return app;
}

/** A request line may carry a whole address, as for a proxy (RFC 9112, section 3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

function allowCrossOrigin(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  void app.register(cors, {
    origin: [...origins],
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: ['ETag', 'Link', 'Deprecation', 'X-Expires-After', 'X-Rate-Limit', 'Retry-After', 'X-Request-Id'],
    maxAge: 600,
  });
}
