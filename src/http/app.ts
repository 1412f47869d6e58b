import type { IncomingMessage } from 'node:http';
import { LogController, fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Access, Permission } from '../domain/access.ts';
import type { AgentProtocol } from '../domain/agents/protocol.ts';
import type { BackupAdministration } from '../domain/backups.ts';
import type { PlaygroundAdministration } from '../domain/playgrounds/playground-administration.ts';
import type { WebhookAdministration } from '../domain/events/webhook-administration.ts';
import type { ChangeStream } from '../domain/events/change-stream.ts';
import type { HealthAdministration } from '../domain/health/health-administration.ts';
import type { SystemAdministration } from '../domain/system.ts';
import type { SiteRecords } from '../domain/organisation/site-records.ts';
import type { Idempotency } from '../domain/idempotency/idempotency.ts';
import type { EnquiryAdministration } from '../domain/enquiries/enquiry-administration.ts';
import type { EnquiryReception } from '../domain/enquiries/enquiry-reception.ts';
import type { ListingAdministration } from '../domain/listings/listing-administration.ts';
import type { ListingFeeds } from '../domain/listings/listing-feeds.ts';
import type { SiteId } from '../domain/listings/listing-site.ts';
import type { Administration } from '../domain/accounts/administration.ts';
import type { AccountEmail } from '../domain/accounts/account-email.ts';
import type { MailAdministration } from '../domain/mail/mail-administration.ts';
import type { AuthorizationServer } from '../domain/oauth/authorization-server.ts';
import type { OAuthClients } from '../domain/oauth/oauth-clients.ts';
import type { OwnAccount } from '../domain/accounts/own-account.ts';
import type { PasswordReset } from '../domain/accounts/password-reset.ts';
import type { AuditLog } from '../domain/accounts/audit-log.ts';
import type { PetSearch } from '../domain/search/pet-search.ts';
import type { PetCatalogue } from '../domain/pets/pet-catalogue.ts';
import type { PetExport } from '../domain/exports/pet-export.ts';
import type { PetPhotos } from '../domain/pets/pet-photos.ts';
import type { PetProfiles } from '../domain/pets/pet-profiles.ts';
import type { PetHistory } from '../domain/pets/pet-history.ts';
import type { PhotoFiles } from '../domain/photos/photo-files.ts';
import type { UploadStaging } from '../domain/photos/ports.ts';
import type { Iterations, MarkdownToHtml } from '../domain/ports.ts';
import type { ProviderAdministration } from '../domain/providers/provider-administration.ts';
import type { OwnProviders } from '../domain/providers/own-providers.ts';
import type { ProviderSignIn } from '../domain/providers/provider-sign-in.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { Authentication } from '../domain/accounts/authentication.ts';
import type { UserAccounts } from '../domain/accounts/user-accounts.ts';
import type { FactorAdministration } from '../domain/sign-in/factor-administration.ts';
import type { OwnFactors } from '../domain/sign-in/own-factors.ts';
import type { OwnPasskeys } from '../domain/sign-in/own-passkeys.ts';
import type { OwnerProof } from '../domain/sign-in/owner-proof.ts';
import type { SignIn } from '../domain/sign-in/sign-in.ts';
import type { PhotoSource } from '../transfer/photo-source.ts';
import { AccountRoutes } from './accounts/account-routes.ts';
import { AdminRoutes } from './accounts/admin-routes.ts';
import {
  identifyActor,
  mountedSessionCookie,
  readCredentials,
  requirePermission,
  sessionCookie,
  type ReadCredentials,
  type SessionCookie,
} from './pipeline/identify-actor.ts';
import { EmailRoutes } from './accounts/email-routes.ts';
import { UserRoutes } from './accounts/user-routes.ts';
import { admit, keepPrivate, refuseForeignHosts, requireOneHost } from './pipeline/admission.ts';
import { refuseUnacceptable } from './pipeline/negotiation.ts';
import { basePathOf, withoutBasePath } from './pipeline/base-path.ts';
import { BackupRoutes } from './service/backup-routes.ts';
import { PlaygroundRoutes } from './playgrounds/playground-routes.ts';
import { EnquiryRoutes } from './enquiries/enquiry-routes.ts';
import { ListingRoutes } from './listings/listing-routes.ts';
import type { FeatureRoutes } from './features/feature-routes.ts';
import { OrganisationRoutes } from './organisation/organisation-routes.ts';
import { commonHeaders, requestIds, responsesWith } from './pipeline/common-headers.ts';
import { Connections } from './pipeline/connections.ts';
import { CrossOrigin } from './pipeline/cross-origin.ts';
import { addDocsPage } from './documents/docs-page.ts';
import { addApiCatalog } from './discovery/api-catalog.ts';
import { addFeeds } from './discovery/feeds.ts';
import { addLlms } from './discovery/llms.ts';
import { addRobots, addSecurityContact } from './discovery/robots.ts';
import { Sitemap } from './discovery/sitemap.ts';
import { OAuthRoutes } from './oauth/oauth-routes.ts';
import { addResourceMetadata, addServerMetadata } from './oauth/server-metadata.ts';
import { AgentTools } from './agents/agent-tools.ts';
import { McpRoutes } from './agents/mcp-routes.ts';
import { addDocumentRoutes } from './documents/document-routes.ts';
import { EventRoutes } from './events/event-routes.ts';
import type { EventStreams } from './events/event-streams.ts';
import { WebhookRoutes } from './events/webhook-routes.ts';
import {
  respondToClientErrors,
  respondToFailures,
  refuseUnknownExpectations,
  logTruncated,
} from './pipeline/failure-responses.ts';
import { countResponses, type HttpActivity } from './pipeline/http-activity.ts';
import { IdempotentRequests } from './pipeline/idempotency.ts';
import { BulkRoutes } from './pets/bulk-routes.ts';
import { SearchResponses } from './pets/search-responses.ts';
import { SearchRoutes } from './pets/search-routes.ts';
import { ExportRoutes } from './exports/export-routes.ts';
import { HistoryRoutes } from './pets/history-routes.ts';
import { ProfileRoutes } from './pets/profile-routes.ts';
import { PetPhotoRoutes } from './pets/pet-photo-routes.ts';
import { PetRoutes } from './pets/pet-routes.ts';
import { PhotoRoutes } from './pets/photo-routes.ts';
import { addMetricsPage, type ReadMetrics, addServiceRoutes, type ServiceState } from './service/service-routes.ts';
import { receiveUploads } from './pipeline/upload.ts';
import { addDoor, type Door, type Mount } from './pipeline/mount.ts';
import { NetworkTurns, type WaitingLimits } from './pipeline/network-turns.ts';
import { readRequestBodies } from './pipeline/request-bodies.ts';
import { refuseOtherMethods, routesOf, SCHEMA_COMPILERS } from './pipeline/routes.ts';
import type { HttpSettings } from './pipeline/settings.ts';
import { logFieldsOf, traceRequests } from './pipeline/traced-requests.ts';
import { ProviderRoutes } from './providers/provider-routes.ts';
import { FactorRoutes } from './sign-in/factor-routes.ts';
import { passkeySites } from './sign-in/passkey-site.ts';
import { SignInRoutes } from './sign-in/sign-in-routes.ts';
import type { NewAccounts } from './web/bootstrap.ts';
import { addWebApplication } from './web/page-routes.ts';
import type { WebBuild } from './web/web-build.ts';

export interface AppDeps {
  access: Access;
  may: Permission;
  catalogue: PetCatalogue;
  petPhotos: PetPhotos;
  petExport: PetExport;
  history: PetHistory;
  profiles: PetProfiles;
  petSearch: PetSearch;
  photoFiles: PhotoFiles;
  siteRecords: SiteRecords;
  listingFeeds: ListingFeeds;
  enquiryReception: EnquiryReception;
  enquiryAdministration: EnquiryAdministration;
  listingAdministration: ListingAdministration;
  features: readonly FeatureRoutes[];
  uploadPlaceOf: (site: SiteId) => string | undefined;
  markdownToHtml: MarkdownToHtml;
  idempotency: Idempotency;
  accounts: UserAccounts;
  ownAccount: OwnAccount;
  accountEmail: AccountEmail;
  mailAdministration: MailAdministration;
  authorizationServer: AuthorizationServer;
  oauthClients: OAuthClients;
  administration: Administration;
  factorAdministration: FactorAdministration;
  providerAdministration: ProviderAdministration;
  signIn: SignIn;
  ownFactors: OwnFactors;
  ownPasskeys: OwnPasskeys;
  ownerProof: OwnerProof;
  passwordReset: PasswordReset;
  auditLog: AuditLog;
  health: HealthAdministration;
  system: SystemAdministration;
  changes: ChangeStream;
  streams: Pick<EventStreams, 'requireRoom' | 'start'>;
  recordTurns: NetworkTurns;
  webhookAdministration: WebhookAdministration;
  backupAdministration: BackupAdministration;
  playgrounds: PlaygroundAdministration;
  authentication: Authentication;
  providerSignIn: ProviderSignIn;
  ownProviders: OwnProviders;
  staging: UploadStaging;
  photoAddresses: Pick<PhotoSource, 'read'>;
  agentProtocol: AgentProtocol;
  iterations: Iterations;
  state: ServiceState;
  activity: HttpActivity;
  metrics: ReadMetrics;
  tracing: Tracing | undefined;
  newAccounts: NewAccounts;
  /** The web application; undefined if it has not been built. */
  web: WebBuild | undefined;
  log: Logger;
  /** The error to respond with, instead of handling the request: for faults on demand. */
  refusalOf?: (request: IncomingMessage) => Error | undefined;
  /** Undefined at the root of the service. */
  mount?: Mount;
  /** Passes requests to the application of another mount. */
  door?: Door;
}

/** Long enough for every user name with all characters percent-encoded. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

/** Enough to keep the search thread busy while the pets of other searches are read. */
const MAX_CONCURRENT_SEARCHES = 4;

/**
 * A browser sends at most six requests at once to one service, and cancels the search for a text that is still being
 * typed. So a network can have ten tabs that search at the same moment, and a search waits for at most 68 others of its
 * network, about a second.
 */
const WAITING_SEARCHES: WaitingLimits = { noun: 'searches', perNetwork: 64, total: 512, maxMs: 10_000 };

/** Interval at which Node checks for requests that exceed their timeout. */
const TIMEOUT_CHECK_MS = 2000;

/**
 * An idle connection waits this long for the next request. Longer than proxies and load balancers, usually 60 s: one of
 * them could otherwise send a request on a connection that is just being closed.
 */
const KEEP_ALIVE_MS = 72_000;

/** Creates the server: the request pipeline in its order, and all routes. */
export function createApp(settings: HttpSettings, deps: AppDeps): FastifyInstance {
  const { authentication, log, mount, refusalOf } = deps;
  const rootOf = (request: FastifyRequest) => settings.publicUrl ?? `http://${request.headers.host ?? 'localhost'}`;
  const baseOf = mount === undefined ? rootOf : (request: FastifyRequest) => rootOf(request) + mount.path();
  const cookie =
    mount === undefined ? sessionCookie(settings.publicUrl) : mountedSessionCookie(settings.publicUrl, mount);
  const digestsOf = readCredentials(authentication, cookie);
  const crossOrigin = new CrossOrigin({ ...settings, baseOf });

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
      identify: identifyActor(authentication, digestsOf),
      authorize: requirePermission(deps.access),
    }),
  );
  readRequestBodies(app);
  addRoutes(app, settings, { ...deps, baseOf, cookie, digestsOf });
  if (deps.door !== undefined) addDoor(app, deps.door);
  return app;
}

interface RoutesDeps extends AppDeps {
  /** The URL at which the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
  cookie: SessionCookie;
  digestsOf: ReadCredentials;
}

function addRoutes(app: FastifyInstance, settings: HttpSettings, deps: RoutesDeps): void {
  const receive = receiveUploads(deps.staging, settings.maxPhotoBytes);
  const searchTurns = new NetworkTurns({ maxConcurrent: MAX_CONCURRENT_SEARCHES, waiting: WAITING_SEARCHES });
  if (deps.mount === undefined) deps.activity.waitingSearches = () => searchTurns.waiting;
  const searchResponses = new SearchResponses({ ...deps, searchTurns });
  const onlyLoopbackLinks = settings.access === 'secured' && settings.publicUrl === undefined;
  const siteOf = passkeySites(settings.publicUrl);
  const add = routesOf(app, new IdempotentRequests({ ...deps, receive }));
  new PetRoutes(deps).addTo(add);
  new ExportRoutes(deps).addTo(add);
  new PetPhotoRoutes({ ...deps, receive }).addTo(add);
  new PhotoRoutes(deps).addTo(add);
  new BulkRoutes(deps).addTo(add);
  new HistoryRoutes(deps).addTo(add);
  new ProfileRoutes(deps).addTo(add);
  new SearchRoutes({ ...deps, searchResponses, searchTurns }).addTo(add);
  new OrganisationRoutes({ ...deps, receive }).addTo(add);
  new EnquiryRoutes(deps).addTo(add);
  new ListingRoutes(deps).addTo(add);
  new UserRoutes(deps).addTo(add);
  new AccountRoutes(deps).addTo(add);
  new ProviderRoutes({ ...deps, settings, siteOf }).addTo(app, add);
  new SignInRoutes({ ...deps, siteOf }).addTo(add);
  new FactorRoutes({ ...deps, siteOf }).addTo(add);
  new EmailRoutes(deps).addTo(add);
  new OAuthRoutes(deps).addTo(add);
  addServerMetadata(app, deps.baseOf);
  new AdminRoutes({ ...deps, onlyLoopbackLinks }).addTo(add);
  new WebhookRoutes(deps).addTo(add);
  new BackupRoutes(deps).addTo(add);
  new PlaygroundRoutes(deps).addTo(add);
  new EventRoutes({ ...deps, settings }).addTo(add);
  const basePath = () => basePathOf(settings.publicUrl) + (deps.mount?.path() ?? '');
  const featureHttp = { app, searchResponses, baseOf: deps.baseOf, basePath, hasPages: deps.web !== undefined };
  for (const feature of deps.features) feature.addTo(add, featureHttp);
  addAgents(app, settings, { ...deps, searchResponses });
  addDocumentRoutes(add, { ...deps, version: deps.state.version });
  addDocsPage(app, { web: deps.web, access: settings.access, hasPlaygrounds: deps.door !== undefined });
  addServiceRoutes(app, deps.state);
  addLlms(app, settings, deps);
  addApiCatalog(app, settings, deps.baseOf);
  if (deps.web !== undefined) addFeeds(app, { ...deps, searchResponses });
  if (deps.mount === undefined) addRootRoutes(app, settings, { ...deps, searchTurns });
  addWebApplication(app, settings, { ...deps, searchResponses });
  refuseOtherMethods(app);
}

function addAgents(
  app: FastifyInstance,
  { mcp: mode, maxPhotoBytes }: HttpSettings,
  deps: RoutesDeps & { searchResponses: SearchResponses },
): void {
  if (mode === 'off') return;
  const agentTools = new AgentTools({ ...deps, maxPhotoBytes });
  new McpRoutes({ ...deps, mode, agentTools, version: deps.state.version }).addTo(app);
  addResourceMetadata(app, deps.baseOf);
}

/** The routes of the service that crawlers and monitoring use. */
function addRootRoutes(
  app: FastifyInstance,
  settings: HttpSettings,
  deps: RoutesDeps & { searchTurns: NetworkTurns },
): void {
  addMetricsPage(app, deps.metrics);
  addSecurityContact(app, settings);
  if (deps.web === undefined) return;
  addRobots(app, settings, deps.baseOf);
  new Sitemap({ ...deps, version: deps.state.version }).addTo(app);
}

/** Declares the properties of requests, so that all request objects have the same shape. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('actor', null);
  app.decorateRequest('routeConfig', null);
  app.decorateRequest('spanIds', null);
  app.decorateRequest('xml', null);
  app.decorateRequest('claimed', null);
  app.decorateRequest('bodyDigest', null);
  app.decorateRequest('upload', null);
  app.decorateRequest('wholeLines', null);
}

/** Logs one line per request at level debug. */
function logRequests(app: FastifyInstance, log: Logger): void {
  if (!log.isLevelEnabled('debug')) return;
  app.addHook('onResponse', (request, reply, done) => {
    // The application that it is passed to logs it.
    if (request.routeOptions.config.passOn !== undefined) return done();
    log.debug(
      {
        ...logFieldsOf(request),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
      },
      'request',
    );
    done();
  });
}

export function createServer(
  settings: HttpSettings,
  crossOrigin: CrossOrigin,
  { activity, log }: Pick<AppDeps, 'activity' | 'log'>,
): FastifyInstance {
  const headers = commonHeaders(settings);
  const idOf = requestIds();
  const routed = withoutBasePath(basePathOf(settings.publicUrl));
  const app = fastify({
    // Fastify disables Node's timeouts for slow clients, so all of them are set here.
    connectionTimeout: settings.idleTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: settings.requestTimeoutMs,
    http: {
      headersTimeout: settings.headersTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // `requireOneHost` checks it, and responds in the format of the API.
      requireHostHeader: false,
      ServerResponse: countResponses(responsesWith(headers, idOf), activity),
    },
    bodyLimit: settings.maxBodyBytes,
    schemaController: { compilersFactory: SCHEMA_COMPILERS },
    // The peer is hop 0. Each trusted hop reports the address of the one before it.
    ...(settings.trustedProxies > 0 && { trustProxy: (_address, hop) => hop < settings.trustedProxies }),
    // While the server is stopping, requests on open connections still get responses. Then their connections are
    // closed.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH, ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => routed(originForm(url)),
    genReqId: idOf,
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: respondToClientErrors(headers),
    frameworkErrors: (error, request, reply) => {
      // A request that cannot be routed passes no hook, so no timeout applies to its body.
      reply.header('connection', 'close');
      if (request.headers.origin !== undefined) reply.headers(crossOrigin.headersFor(request));
      void respondToFailures(log)(error, request, reply);
    },
  });
  app.decorate('requestIdOf', idOf);
  app.server.on('checkExpectation', refuseUnknownExpectations);
  app.setErrorHandler(respondToFailures(log));
  return app;
}

/** A request line may contain an absolute URL, as for a proxy (RFC 9112, section 3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}
