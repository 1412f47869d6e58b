import { randomBytes } from 'node:crypto';
import { parseCookie } from 'cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RESET_PATH } from '../../api/account-views.ts';
import type { FirstView } from '../../api/web/first-view.ts';
import { isLanguage, LANGUAGE_COOKIE, LANGUAGES, type Language } from '../../api/web/languages.ts';
import { PAGE_PATHS, type PagePath } from '../../api/web/page-addresses.ts';
import type { Actor } from '../../domain/access.ts';
import type { Authentication } from '../../domain/accounts/authentication.ts';
import type { ChangeStream } from '../../domain/events/change-stream.ts';
import { anonymousOf, type ReadCredentials } from '../accounts/identify-actor.ts';
import { acceptsPage, asksForPage, languageOf, sendJson } from '../answer.ts';
import type { HttpSettings } from '../settings.ts';
import { addressOf as clientAddressOf } from '../connections.ts';
import { refuseUnknownPath } from '../failure-answers.ts';
import { greetingOf, type ServiceState } from '../service-routes.ts';
import { addAssetRoutes } from './asset-routes.ts';
import { bootstrapOf, type NewAccounts } from './bootstrap.ts';
import { sendCompressed } from './compressed-page.ts';
import {
  createFirstAnswers,
  NO_CONTENTS,
  type Asking,
  type FirstAnswersNeeds,
  type PageContents,
} from './first-answers.ts';
import { FIRST_PIECES, LANGUAGE_PIECES, preloadsOf } from './first-pieces.ts';
import { createPageWriter } from './page.ts';
import { summaryOf } from './page-head.ts';
import { pagePolicy } from './policy.ts';
import type { WebBuild } from './web-build.ts';
import { sendUnbuiltPage } from './unbuilt-page.ts';

export interface WebApplicationNeeds extends FirstAnswersNeeds {
  web: WebBuild | undefined;
  authentication: Authentication;
  changes: ChangeStream;
  digestsOf: ReadCredentials;
  state: Pick<ServiceState, 'version'>;
  newAccounts: NewAccounts;
  /** Where the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
}

/** What is not of the application, whoever asks. */
const NO_PAGES = /^\/(?:v2|docs|livez|readyz|metrics|assets)(?:[/?]|$)/;

/** The web application: its pages, its files, and what every address says to a browser where there is nothing else. */
export function addWebApplication(app: FastifyInstance, settings: HttpSettings, needs: WebApplicationNeeds): void {
  const { web, state } = needs;
  const greeting = greetingOf(state.version);
  const sendPage = web === undefined ? undefined : pageSender(settings, needs, web);
  if (web !== undefined) addAssetRoutes(app, web);

  app.get('/', (request, reply) => {
    if (!acceptsPage(request.headers)) return sendJson(reply, greeting);
    return sendPage === undefined ? sendUnbuiltPage(reply) : sendPage(request, reply, '/');
  });
  if (sendPage === undefined) {
    // Whoever has a link in hand is told more than that there is nothing.
    app.get(RESET_PATH, (_request, reply) => sendUnbuiltPage(reply));
    app.setNotFoundHandler(refuseUnknownPath);
    return;
  }
  for (const path of PAGE_PATHS)
    if (path !== '/')
      app.get(path.replaceAll('$', ':'), (request, reply) =>
        acceptsPage(request.headers) ? sendPage(request, reply, path) : refuseUnknownPath(),
      );
  app.setNotFoundHandler((request, reply) =>
    isForPage(request) ? sendPage(request, reply, undefined) : refuseUnknownPath(),
  );
}

function isForPage({ method, url, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && !NO_PAGES.test(url) && asksForPage(headers);
}

function pageSender(settings: HttpSettings, needs: WebApplicationNeeds, web: WebBuild) {
  const { authentication, changes, digestsOf, baseOf, newAccounts, state } = needs;
  const write = createPageWriter(web);
  const first = createFirstAnswers(needs);
  const parts = { settings, newAccounts, version: state.version };
  const photoOrigin = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl).origin;

  /** Also while the database is out of reach there is a page, which says so. */
  async function actorOf(request: FastifyRequest): Promise<Actor> {
    const presented = digestsOf(request);
    if (presented.length === 0) return anonymousOf(request);
    const address = clientAddressOf(request);
    const known =
      authentication.identifyAtOnce(presented, address) ??
      (await first.unlessItFails(() => authentication.identify(presented, address)));
    return known ?? anonymousOf(request);
  }

  /** What the page shows; 'missing' where it is about what is not there. */
  async function contentsOf(path: PagePath | undefined, request: FastifyRequest, asking: Asking) {
    if (path === undefined) return 'missing';
    if (path === '/') return first.ofCatalogue(new URL(request.url, 'http://localhost').searchParams, asking);
    const { petId } = request.params as { petId?: string };
    if (petId === undefined) return NO_CONTENTS;
    const found = await first.ofPet(petId, asking);
    // A pet that is not there any more has a history still.
    const mayHaveBeen = path === '/pets/$petId/history' && /^\d{1,19}$/.test(petId);
    return found === 'missing' && mayHaveBeen ? NO_CONTENTS : found;
  }

  /** @param path undefined for an address that the application does not know, and says so */
  return async (request: FastifyRequest, reply: FastifyReply, path: PagePath | undefined): Promise<FastifyReply> => {
    const origin = baseOf(request);
    const actor = await actorOf(request);
    const position = await first.unlessItFails(() => changes.positionFor(actor));
    // What the page shows knows of every change up to there, also where it is read from a copy.
    const asking = position === undefined ? actor : { ...actor, lastWritten: position };
    const found = await contentsOf(path, request, { actor: asking, origin });
    const contents = found === 'missing' ? NO_CONTENTS : found;
    const nonce = randomBytes(16).toString('base64');
    const language = pageLanguageOf(request);
    const shown = firstViewContent(path, contents);
    const html = write({
      language,
      nonce,
      summary: summaryOf(contents, `${origin}${request.url}`),
      preloads: preloadsOf(web, piecesFor(path, language)),
      view: shown && web.renderFirstView({ language, access: settings.access, content: shown }),
      bootstrap: bootstrapOf(parts, actor, { answers: contents.answers, position }),
    });
    reply.code(found === 'missing' ? 404 : 200).headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': pagePolicy(nonce, photoOrigin),
      // Kept by no cache but the reader's, and not used again without a request. `no-store` would disable the back/forward cache.
      'cache-control': path === RESET_PATH ? 'no-store' : 'private, no-cache',
      // A page learns which search led to it (`web/app/trail.ts`); other origins learn nothing.
      'referrer-policy': path === RESET_PATH ? 'no-referrer' : 'same-origin',
    });
    return sendCompressed(request, reply, html);
  };
}

/** Undefined for pages without a first view. An empty catalogue has none: the application says more than an empty list. */
function firstViewContent(
  path: PagePath | undefined,
  { found, subject }: PageContents,
): FirstView['content'] | undefined {
  if (path === '/pets/$petId') return subject;
  return path === '/' && found !== undefined && found.pets.length > 0 ? found : undefined;
}

function pageLanguageOf({ headers }: FastifyRequest): Language {
  const chosen = parseCookie(headers.cookie ?? '')[LANGUAGE_COOKIE];
  return isLanguage(chosen) ? chosen : languageOf(headers, LANGUAGES);
}

function piecesFor(path: PagePath | undefined, language: Language): readonly string[] {
  return [path && FIRST_PIECES[path], LANGUAGE_PIECES[language]].filter((piece) => piece !== undefined);
}
