import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Access } from '../domain/access.ts';
import type { UploadStaging } from '../domain/photos/ports.ts';
import type { Iterations } from '../domain/ports.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { FeatureHttp, FeatureRoutes } from './features/feature-routes.ts';
import { addOperations, type OperationDeps } from './operation-routes.ts';
import { addOtherRoutes, type OtherDeps } from './other-routes.ts';
import { SearchResponses } from './pets/search-responses.ts';
import { admit, keepPrivate, refuseForeignHosts, requireOneHost } from './pipeline/admission.ts';
import { basePathOf } from './pipeline/base-path.ts';
import { Connections } from './pipeline/connections.ts';
import { CrossOrigin } from './pipeline/cross-origin.ts';
import { logTruncated } from './pipeline/failure-responses.ts';
import type { HttpActivity } from './pipeline/http-activity.ts';
import { IdempotentRequests } from './pipeline/idempotency.ts';
import {
  identifyActor,
  mountedSessionCookie,
  readCredentials,
  requirePermission,
  sessionCookie,
} from './pipeline/identify-actor.ts';
import { addDoor, type Door, type Mount } from './pipeline/mount.ts';
import { refuseUnacceptable } from './pipeline/negotiation.ts';
import { NetworkTurns, type WaitingLimits } from './pipeline/network-turns.ts';
import { readRequestBodies } from './pipeline/request-bodies.ts';
import { refuseOtherMethods, routesOf } from './pipeline/routes.ts';
import { createServer, decorateRequests, logRequests } from './pipeline/server.ts';
import type { HttpSettings } from './pipeline/settings.ts';
import { traceRequests } from './pipeline/traced-requests.ts';
import { receiveUploads } from './pipeline/upload.ts';
import { passkeySites } from './sign-in/passkey-site.ts';

/** The parts of an application that its routes share. */
type SharedParts = ReturnType<typeof sharedParts>;

type RoutesDeps = OperationDeps &
  OtherDeps &
  ConstructorParameters<typeof IdempotentRequests>[0] &
  Omit<FeatureHttp, 'app' | 'hasPages'>;

interface PipelineDeps {
  access: Access;
  staging: UploadStaging;
  iterations: Iterations;
  recordTurns: NetworkTurns;
  activity: HttpActivity;
  tracing: Tracing | undefined;
  features: readonly FeatureRoutes[];
  /** The error to respond with, instead of handling the request: for faults on demand. */
  refusalOf?: (request: IncomingMessage) => Error | undefined;
  /** Undefined at the root of the service. */
  mount?: Mount;
  /** Passes requests to the application of another mount. */
  door?: Door;
}

type SharedPartsDeps = Pick<PipelineDeps, 'mount' | 'activity' | 'staging'> &
  Pick<RoutesDeps, 'authentication' | 'petSearch' | 'petPhotos'>;

/** The dependencies follow from the routes, which name them. */
export type AppDeps = Omit<RoutesDeps, keyof SharedParts | keyof PipelineDeps> & PipelineDeps;

/** Enough to keep the search thread busy while the pets of other searches are read. */
const MAX_CONCURRENT_SEARCHES = 4;

/**
 * A browser sends at most six requests at once to one service, and cancels the search for a text that is still being
 * typed. So a network can have ten tabs that search at the same moment, and a search waits for at most 68 others of its
 * network, about a second.
 */
const WAITING_SEARCHES: WaitingLimits = { noun: 'searches', perNetwork: 64, total: 512, maxMs: 10_000 };

/** Creates the server: the request pipeline in its order, and all routes. */
export function createApp(settings: HttpSettings, deps: AppDeps): FastifyInstance {
  const { log, mount, refusalOf } = deps;
  const shared = sharedParts(settings, deps);
  const crossOrigin = new CrossOrigin({ ...settings, baseOf: shared.baseOf });
  const app = createServer(settings, crossOrigin, deps);
  const connections = mount?.connections ?? new Connections(app.server, settings);
  app.decorate('connections', connections);
  decorateRequests(app);
  app.decorate('onTruncated', logTruncated(log));
  app.decorate('recordTurns', deps.recordTurns);
  logRequests(app, log);
  if (deps.tracing !== undefined) traceRequests(app, deps.tracing);
  app.addHook(
    'onRequest',
    admit({
      guards: [
        crossOrigin.addHeaders,
        connections.guard,
        keepPrivate,
        ...(refusalOf === undefined ? [] : [({ raw }: FastifyRequest) => refusalOf(raw)]),
        requireOneHost,
        ...(settings.access === 'open' ? [refuseForeignHosts] : []),
        crossOrigin.refuseChanges,
        refuseUnacceptable,
        crossOrigin.refuseNavigatedChanges,
      ],
      iterations: deps.iterations,
      identify: identifyActor(deps.authentication, shared.digestsOf),
      authorize: requirePermission(deps.access),
    }),
  );
  readRequestBodies(app);
  addRoutes(app, { ...deps, ...shared });
  if (deps.door !== undefined) addDoor(app, deps.door);
  return app;
}

function sharedParts(settings: HttpSettings, { mount, activity, ...deps }: SharedPartsDeps) {
  const rootOf = (request: FastifyRequest) => settings.publicUrl ?? `http://${request.headers.host ?? 'localhost'}`;
  const baseOf = mount === undefined ? rootOf : (request: FastifyRequest) => rootOf(request) + mount.path();
  const cookie =
    mount === undefined ? sessionCookie(settings.publicUrl) : mountedSessionCookie(settings.publicUrl, mount);
  const searchTurns = new NetworkTurns({ maxConcurrent: MAX_CONCURRENT_SEARCHES, waiting: WAITING_SEARCHES });
  if (mount === undefined) activity.waitingSearches = () => searchTurns.waiting;
  return {
    settings,
    /** The URL at which the client of a request reaches the service. */
    baseOf,
    /** The path of the service, for links. */
    basePath: () => basePathOf(settings.publicUrl) + (mount?.path() ?? ''),
    cookie,
    digestsOf: readCredentials(deps.authentication, cookie),
    receive: receiveUploads(deps.staging, settings.maxPhotoBytes),
    searchTurns,
    searchResponses: new SearchResponses({ ...deps, searchTurns }),
    siteOf: passkeySites(settings.publicUrl),
    onlyLoopbackLinks: settings.access === 'secured' && settings.publicUrl === undefined,
  };
}

function addRoutes(app: FastifyInstance, deps: AppDeps & SharedParts): void {
  const add = routesOf(app, new IdempotentRequests(deps));
  addOperations(add, app, deps);
  const http = { ...deps, app, hasPages: deps.web !== undefined };
  for (const feature of deps.features) feature.addTo(add, http);
  addOtherRoutes(add, app, deps);
  refuseOtherMethods(app);
}
