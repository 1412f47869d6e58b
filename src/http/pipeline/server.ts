import { LogController, fastify, type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { basePathOf, withoutBasePath } from './base-path.ts';
import { commonHeaders, requestIds, responsesWith } from './common-headers.ts';
import type { CrossOrigin } from './cross-origin.ts';
import { refuseUnknownExpectations, respondToClientErrors, respondToFailures } from './failure-responses.ts';
import { countResponses, type HttpActivity } from './http-activity.ts';
import { SCHEMA_COMPILERS } from './routes.ts';
import type { HttpSettings } from './settings.ts';
import { logFieldsOf } from './traced-requests.ts';

/** Long enough for every user name with all characters percent-encoded. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

/** Interval at which Node checks for requests that exceed their timeout. */
const TIMEOUT_CHECK_MS = 2000;

/**
 * An idle connection waits this long for the next request. Longer than proxies and load balancers, usually 60 s: one of
 * them could otherwise send a request on a connection that is just being closed.
 */
const KEEP_ALIVE_MS = 72_000;

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
export function logRequests(app: FastifyInstance, log: Logger): void {
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
  { activity, log }: { activity: HttpActivity; log: Logger },
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
