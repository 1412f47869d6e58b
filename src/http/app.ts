import { LogController, fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Access } from '../domain/access.ts';
import type { WebhookAdministration } from '../domain/events/webhook-administration.ts';
import type { ChangeHub } from '../domain/events/change-hub.ts';
import type { ChangeStream } from '../domain/events/change-stream.ts';
import type { Idempotency } from '../domain/idempotency/idempotency.ts';
import type { Administration } from '../domain/accounts/administration.ts';
import type { OwnAccount } from '../domain/accounts/own-account.ts';
import type { PasswordReset } from '../domain/accounts/password-reset.ts';
import type { AuditTrail } from '../domain/audit-trail.ts';
import type { PetSearch } from '../domain/search/pet-search.ts';
import type { PetCatalogue } from '../domain/pets/pet-catalogue.ts';
import type { PetPhotos } from '../domain/photos/pet-photos.ts';
import type { PetHistory } from '../domain/pets/pet-history.ts';
import type { PhotoGallery } from '../domain/photos/photo-gallery.ts';
import type { UploadStaging } from '../domain/pets/ports.ts';
import type { Turns } from '../domain/ports.ts';
import type { Authentication } from '../domain/accounts/authentication.ts';
import type { UserAccounts } from '../domain/accounts/user-accounts.ts';
import { admit } from './admission.ts';
import { answersWith, commonHeaders } from './common-headers.ts';
import { Connections } from './connections.ts';
import { allowCrossOrigin, corsHeaders, corsRule, type CorsRule } from './cors.ts';
import { answerClientErrors, answerFailures, answerUnknownExpectations, logCutOff } from './failure-answers.ts';
import {
  demandOneHost,
  keepPrivate,
  refuseCrossSiteChanges,
  refuseForeignHosts,
  refuseNavigatedChanges,
  refuseUnacceptable,
} from './guards.ts';
import { identifyActor, readCredentials, refuseUnentitled, sessionCookie } from './accounts/identify-actor.ts';
import { addDocsPage } from './documents/docs-page.ts';
import { addDocumentRoutes } from './documents/document-routes.ts';
import { addBulkRoutes } from './pets/bulk-routes.ts';
import { addHistoryRoutes } from './pets/history-routes.ts';
import { onlyOnce } from './idempotency/only-once.ts';
import { createFindAnswers } from './pets/find-answers.ts';
import { addFindRoutes } from './pets/find-routes.ts';
import { addPetRoutes } from './pets/pet-routes.ts';
import { addPetPhotoRoutes } from './pets/pet-photo-routes.ts';
import { addPhotoRoutes } from './pets/photo-routes.ts';
import { addEventRoutes } from './events/event-routes.ts';
import { receiveUploads } from './pets/upload.ts';
import { addWebhookRoutes } from './events/webhook-routes.ts';
import { readRequestBodies } from './request-bodies.ts';
import { requestIds, logRequests } from './request-log.ts';
import { refuseOtherMethods, routesOf, SCHEMA_COMPILERS } from './routes.ts';
import type { HttpSettings } from './settings.ts';
import { addServiceRoutes, type ServiceState } from './service-routes.ts';
import { addAccountRoutes } from './accounts/account-routes.ts';
import { addAdminRoutes } from './accounts/admin-routes.ts';
import { addUserRoutes } from './accounts/user-routes.ts';
import type { NewAccounts } from './web/bootstrap.ts';
import { addWebApplication } from './web/page-routes.ts';
import type { WebBuild } from './web/web-build.ts';

export interface AppNeeds {
  access: Access;
  catalogue: PetCatalogue;
  petPhotos: PetPhotos;
  history: PetHistory;
  petSearch: PetSearch;
  gallery: PhotoGallery;
  idempotency: Idempotency;
  accounts: UserAccounts;
  ownAccount: OwnAccount;
  administration: Administration;
  passwordReset: PasswordReset;
  auditTrail: AuditTrail;
  changes: ChangeStream;
  hub: ChangeHub;
  webhookAdministration: WebhookAdministration;
  authentication: Authentication;
  staging: UploadStaging;
  turns: Turns;
  state: ServiceState;
  newAccounts: NewAccounts;
  /** The web application; undefined where it has not been built. */
  web: WebBuild | undefined;
  log: Logger;
}

/** Long enough for every user name, each character of it percent-encoded. What is longer still is refused by the limit on headers. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

/** How often Node looks for requests that are late. */
const TIMEOUT_CHECK_MS = 2000;

/** The whole application on one screen: what every request passes, then every route. */
export function createApp(settings: HttpSettings, needs: AppNeeds): FastifyInstance {
  const { access, catalogue, petPhotos, petSearch, history, gallery, webhookAdministration } = needs;
  const { accounts, ownAccount, administration, passwordReset, auditTrail, authentication } = needs;
  const { changes, hub, idempotency, staging, turns, state, log } = needs;
  const cookie = sessionCookie(settings.publicUrl);
  const digestsOf = readCredentials(authentication, cookie);
  const baseOf = (request: FastifyRequest) => settings.publicUrl ?? `http://${request.headers.host ?? 'localhost'}`;
  const ruleOf = corsRule(settings.access, settings.corsOrigins);
  const originOf = (request: FastifyRequest) => new URL(baseOf(request)).origin;
  const findAnswers = createFindAnswers({ petSearch, petPhotos });
  const app = createServer(settings, ruleOf, log);
  const connections = new Connections(app.server, settings);

  app.decorateRequest('actor', null);
  app.decorateRequest('operation', null);
  app.decorateRequest('xml', null);
  app.decorateRequest('inHand', null);
  app.decorateRequest('bodyDigest', null);
  app.decorateRequest('upload', null);
  app.decorateRequest('wholeLines', null);
  app.decorate('onCutOff', logCutOff(log));
  logRequests(app, log);
  allowCrossOrigin(app, ruleOf);
  app.addHook(
    'onRequest',
    admit({
      atTheDoor: [
        connections.guard,
        keepPrivate,
        demandOneHost,
        ...(settings.access === 'open' ? [refuseForeignHosts] : []),
        refuseCrossSiteChanges(ruleOf, originOf),
        refuseUnacceptable,
        refuseNavigatedChanges(ruleOf, originOf),
      ],
      turns,
      identify: identifyActor(authentication, digestsOf),
      entitlement: refuseUnentitled(access),
    }),
  );
  readRequestBodies(app);

  const receive = receiveUploads(staging, settings.maxPhotoBytes);
  const add = routesOf(app, onlyOnce({ idempotency, receive, log }));
  addPetRoutes(add, { catalogue, receive, baseOf });
  addBulkRoutes(add, { catalogue, log });
  addHistoryRoutes(add, { history, baseOf });
  addFindRoutes(add, { petSearch, findAnswers, baseOf });
  addUserRoutes(add, { accounts, authentication, cookie, digestsOf });
  addAccountRoutes(add, { ownAccount, passwordReset });
  const onlyLoopbackLinks = settings.access === 'secured' && settings.publicUrl === undefined;
  addAdminRoutes(add, { administration, passwordReset, auditTrail, baseOf, onlyLoopbackLinks });
  addDocumentRoutes(add, { version: state.version, baseOf });
  addDocsPage(app);
  addPetPhotoRoutes(add, { catalogue, petPhotos, baseOf });
  addPhotoRoutes(add, gallery);
  addEventRoutes(app, add, { settings, changes, hub, authentication, digestsOf, baseOf, log });
  addWebhookRoutes(add, { webhookAdministration, baseOf });
  addServiceRoutes(app, state);
  addWebApplication(app, settings, { ...needs, findAnswers, digestsOf, baseOf });
  refuseOtherMethods(app);
  return app;
}

function createServer(settings: HttpSettings, ruleOf: CorsRule, log: Logger): FastifyInstance {
  const headers = commonHeaders(settings);
  const idOf = requestIds();
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
      ServerResponse: answersWith(headers, idOf),
    },
    bodyLimit: settings.maxBodyBytes,
    schemaController: { compilersFactory: SCHEMA_COMPILERS },
    // The peer is hop 0. Only what a trusted hop says of the one before it is believed.
    ...(settings.trustedProxies > 0 && { trustProxy: (_address, hop) => hop < settings.trustedProxies }),
    // While it stops, requests on open connections are still answered, and their connections closed after them.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH, ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => originForm(url),
    genReqId: idOf,
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: answerClientErrors(headers),
    frameworkErrors: (error, request, reply) => {
      // What cannot be routed passes no hook, so nothing limits the time of its body.
      reply.header('connection', 'close');
      if (request.headers.origin !== undefined) reply.headers(corsHeaders(request, ruleOf));
      void answerFailures(log)(error, request, reply);
    },
  });
  app.server.on('checkExpectation', answerUnknownExpectations);
  app.setErrorHandler(answerFailures(log));
  return app;
}

/** A request line may carry a whole address, as for a proxy (RFC 9112, section 3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}
