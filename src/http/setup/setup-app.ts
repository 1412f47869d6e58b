import { PAGES } from '../../api/pages.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import { jsonText } from '../../api/records/record-text.ts';
import { readSetup, SentSetup } from '../../api/records/setup.ts';
import type { Bootstrap } from '../../api/web/bootstrap.ts';
import { DEFAULT_NAME } from '../../api/web/site.ts';
import { LANGUAGES } from '../../api/web/languages.ts';
import { Failure, unusable } from '../../domain/failure.ts';
import type { Setup, SetupChoices } from '../../domain/setup/setup.ts';
import { isLoopbackHost, requireOneHost } from '../pipeline/admission.ts';
import { acceptsPage, languageOf } from '../pipeline/negotiation.ts';
import { sendApiResponse, sendJson } from '../pipeline/response.ts';
import { checkedBody } from '../pipeline/routes.ts';
import { createServer, decorateRequests } from '../pipeline/server.ts';
import { CrossOrigin } from '../pipeline/cross-origin.ts';
import { HttpActivity } from '../pipeline/http-activity.ts';
import { readRequestBodies } from '../pipeline/request-bodies.ts';
import type { HttpSettings } from '../pipeline/settings.ts';
import { addAssetRoutes } from '../web/asset-routes.ts';
import { filesOf, textChunks } from '../web/page-chunks.ts';
import { createPageWriter } from '../web/page.ts';
import { pagePolicy } from '../web/policy.ts';
import type { WebBuild } from '../web/web-build.ts';

interface SetupAppDeps {
  setup: Setup;
  choices: SetupChoices;
  version: string;
  minPasswordLength: number;
  /** Undefined if it has not been built: the page then says how to create an administrator. */
  web: WebBuild | undefined;
  /** Creates an administrator on the command line. */
  command: string;
  log: Logger;
}

const PATH = '/setup';
const RETRY_SECONDS = 10;

/** The service before its first administrator: the setup page, and 503 for everything else. */
export function createSetupApp(settings: HttpSettings, deps: SetupAppDeps): FastifyInstance {
  const crossOrigin = new CrossOrigin({ ...settings, baseOf: ({ headers }) => `http://${headers.host}` });
  const app = createServer(settings, crossOrigin, { activity: new HttpActivity(), log: deps.log });
  decorateRequests(app);
  app.addHook('onRequest', (request, reply, done) => {
    request.routeConfig = request.routeOptions.config;
    done(requireOneHost(request, reply, request.routeConfig) ?? refuseOthers(request));
  });
  readRequestBodies(app);
  app.get('/livez', (_request, reply) => sendApiResponse(reply.header('cache-control', 'no-store'), 'alive'));
  app.get(PATH, (request, reply) => sendPage(request, reply, deps));
  app.get('/', (request, reply) => (acceptsPage(request.headers) ? reply.redirect(PATH) : refusePending()));
  app.post(PATH, { config: { body: 'json' }, ...checkedBody(SentSetup) }, async (request, reply) => {
    const result = await deps.setup.complete(readSetup(request.body as SentSetup));
    // The service closes this server; the page connects again.
    return sendJson(reply.headers({ 'cache-control': 'no-store', connection: 'close' }), jsonText(result));
  });
  if (deps.web !== undefined) addAssetRoutes(app, deps.web);
  app.setNotFoundHandler(refusePending);
  return app;
}

function refusePending(): never {
  throw new Failure('unavailable', 'The setup is pending: the service has no administrator yet.', {
    retryAfterSeconds: RETRY_SECONDS,
  });
}

/**
 * The setup page is for this machine only. A proxy also connects from it, so requests that it forwards are refused; and
 * a page of another site could use a host name that resolves to this machine (DNS rebinding).
 */
function refuseOthers(request: FastifyRequest): Failure | undefined {
  // Of the route, because a path can be written in many ways, such as `/%73etup`.
  if (request.routeOptions.url !== PATH) return undefined;
  const { headers, socket } = request;
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => name in headers);
  const isOwn = headers.origin === undefined || headers.origin === `http://${headers.host}`;
  if (isLoopbackAddress(socket.remoteAddress) && !isForwarded && isLoopbackHost(request) && isOwn) return undefined;
  return new Failure('forbidden', 'The setup is only possible on the machine of the service, without a proxy.');
}

function isLoopbackAddress(address = ''): boolean {
  const bare = address.replace(/^::ffff:/, '');
  return bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

function sendPage(request: FastifyRequest, reply: FastifyReply, deps: SetupAppDeps): FastifyReply {
  const { web, choices, version, minPasswordLength, command } = deps;
  if (web === undefined) throw unusable(`The web application is not built. Create an administrator with: ${command}`);
  const language = languageOf(request.headers, LANGUAGES);
  const bootstrap: Bootstrap = {
    version,
    basePath: '',
    access: 'secured',
    signUp: false,
    minPasswordLength,
    maxPhotoBytes: 0,
    maxPhotoPixels: 0,
    currentUser: null,
    site: { name: DEFAULT_NAME },
    responses: {},
    setup: choices,
  };
  const chunks = [PAGES[PATH], ...textChunks(language, ['profile', 'others'])];
  const html = createPageWriter(web)({
    language,
    summary: { title: DEFAULT_NAME, description: DEFAULT_NAME, canonical: undefined, card: undefined },
    ...filesOf(web, chunks),
    view: undefined,
    bootstrap,
  });
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': pagePolicy(undefined),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    .send(html);
}
