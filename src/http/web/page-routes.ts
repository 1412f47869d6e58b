import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RESET_PATH } from '../../api/records/account.ts';
import type { FirstView } from '../../api/web/first-view.ts';
import type { Language } from '../../api/web/languages.ts';
import type { Bootstrap, CurrentUser } from '../../api/web/bootstrap.ts';
import { PAGE_PATHS, PAGES, type PagePath } from '../../api/pages.ts';
import { mayRole, type Access, type Actor } from '../../domain/access.ts';
import { neededTexts } from '../../api/web/page-texts.ts';
import type { Authentication } from '../../domain/accounts/authentication.ts';
import { languageOfSite } from '../../domain/organisation/organisation.ts';
import type { SiteRecords } from '../../domain/organisation/site-records.ts';
import type { ChangeStream } from '../../domain/events/change-stream.ts';
import { anonymousOf, type ReadCredentials } from '../pipeline/identify-actor.ts';
import { acceptsPage, requestsPage, localesFor, readerLanguageOf } from '../pipeline/negotiation.ts';
import { sendCompressed } from '../pipeline/compression.ts';
import { sendJson } from '../pipeline/response.ts';
import type { Door, Mount } from '../pipeline/mount.ts';
import { turnClientOf } from '../pipeline/network-turns.ts';
import type { HttpSettings } from '../pipeline/settings.ts';
import { basePathOf, isServicePath, searchParamsIn } from '../pipeline/base-path.ts';
import { addressOf as clientAddressOf } from '../pipeline/connections.ts';
import { refuseUnknownPath } from '../pipeline/failure-responses.ts';
import { greetingOf, type ServiceState } from '../service/service-routes.ts';
import { catalogLink } from '../discovery/api-catalog.ts';
import { siteOf } from '../discovery/site.ts';
import { addAssetRoutes } from './asset-routes.ts';
import { bootstrapOf, currentUserOf, type NewAccounts } from './bootstrap.ts';
import {
  FirstResponses,
  NO_CONTENTS,
  type PageClient,
  type FirstResponsesDeps,
  type PageContents,
} from './first-responses.ts';
import { filesOf, textChunks } from './page-chunks.ts';
import { createPageWriter } from './page.ts';
import { pageSiteOf, styleSource, type PageSite, type StoredSite } from './site.ts';
import { chosenLanguageIn, summaryOf } from './page-head.ts';
import { pagePolicy } from './policy.ts';
import { sendUnbuiltPage } from './unbuilt-page.ts';
import type { FeatureRoutes } from '../features/feature-routes.ts';
import type { WebBuild } from './web-build.ts';

interface WebApplicationDeps extends FirstResponsesDeps {
  access: Access;
  web: WebBuild | undefined;
  authentication: Authentication;
  changes: ChangeStream;
  digestsOf: ReadCredentials;
  state: Pick<ServiceState, 'version'>;
  newAccounts: () => NewAccounts;
  siteRecords: SiteRecords;
  features: readonly Pick<FeatureRoutes, 'form' | 'state' | 'alternatesOf' | 'pageWithFrame'>[];
  mount?: Pick<Mount, 'path'>;
  door?: Door;
  baseOf: (request: FastifyRequest) => string;
}

/** Serves the web application: its pages, its files, and the page for unknown paths. */
export function addWebApplication(app: FastifyInstance, settings: HttpSettings, deps: WebApplicationDeps): void {
  const { web, state } = deps;
  const greeting = greetingOf(state.version);
  const basePath = () => basePathOf(settings.publicUrl) + (deps.mount?.path() ?? '');
  const pages = web === undefined ? undefined : new Pages(settings, deps, web);
  if (web !== undefined) addAssetRoutes(app, web, deps);

  app.get('/', (request, reply) => {
    reply.header('link', catalogLink(deps.baseOf(request)));
    if (!acceptsPage(request.headers)) return sendJson(reply, greeting);
    return pages === undefined ? sendUnbuiltPage(reply, basePath()) : pages.send(request, reply, '/');
  });
  if (pages === undefined) {
    // Users with a reset link get an explanation instead of 404.
    app.get(RESET_PATH, (_request, reply) => sendUnbuiltPage(reply, basePath()));
    app.setNotFoundHandler(refuseUnknownPath);
    return;
  }
  for (const path of PAGE_PATHS)
    if (path !== '/')
      app.get(path.replaceAll('$', ':'), (request, reply) =>
        acceptsPage(request.headers) ? pages.send(request, reply, path) : refuseUnknownPath(),
      );
  app.setNotFoundHandler((request, reply) =>
    isForPage(request) ? pages.send(request, reply, undefined) : refuseUnknownPath(),
  );
}

function isForPage({ method, url, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && !isServicePath(url) && requestsPage(headers);
}

class Pages {
  readonly #settings: HttpSettings;
  readonly #deps: WebApplicationDeps;
  readonly #web: WebBuild;
  readonly #write: ReturnType<typeof createPageWriter>;
  readonly #first: FirstResponses;
  readonly #photoOrigin: string | undefined;

  constructor(settings: HttpSettings, deps: WebApplicationDeps, web: WebBuild) {
    this.#settings = settings;
    this.#deps = deps;
    this.#web = web;
    this.#write = createPageWriter(web);
    this.#first = new FirstResponses(deps);
    this.#photoOrigin = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl).origin;
  }

  /** @param path undefined for an unknown path, whose page says so */
  async send(request: FastifyRequest, reply: FastifyReply, path: PagePath | undefined): Promise<FastifyReply> {
    const origin = this.#deps.baseOf(request);
    const actor = await this.#actorOf(request);
    const position = await this.#first.orUndefined(() => this.#deps.changes.positionFor(actor));
    // The page includes every change up to this position, even if it is read from a standby.
    const reader = position === undefined ? actor : { ...actor, lastWritten: position };
    const organisation = await this.#first.orUndefined(() => this.#readSite());
    const pageSite = pageSiteOf(organisation, this.#basePath);
    const currentUser = currentUserOf(actor, this.#deps.access);
    const role = currentUser?.needsSecondFactor ? undefined : currentUser?.role;
    const found = await this.#contentsOf(path, request, {
      actor: reader,
      origin,
      managesPets: mayRole(role, 'write pets', this.#settings.access),
      turns: turnClientOf(request, reply),
      organisation,
    });
    const contents = found === 'missing' ? NO_CONTENTS : found;
    const language =
      chosenLanguageIn(searchParamsIn(request.url)) ??
      readerLanguageOf(request.headers, organisation && languageOfSite(organisation.organisation));
    reply.code(found === 'missing' ? 404 : 200).headers(this.#headersOf(path, pageSite, language));
    return sendCompressed(
      request,
      reply,
      this.#htmlOf(request, {
        path,
        language,
        contents,
        currentUser,
        position,
        organisation,
        closedForms: await this.#closedForms(request),
      }),
      'Accept, Accept-Encoding, Accept-Language, Cookie',
    );
  }

  /** Only for links: the files of the build are at the root. */
  get #basePath(): string {
    return this.#web.basePath + (this.#deps.mount?.path() ?? '');
  }

  async #readSite(): Promise<StoredSite> {
    const states = this.#deps.features.flatMap(({ state }) => state ?? []);
    const [organisation, ...areOn] = await Promise.all([
      this.#deps.siteRecords.getOrganisation(),
      ...states.map((state) => state.isOn()),
    ]);
    return { ...organisation, features: states.filter((_, index) => areOn[index]).map(({ name }) => name) };
  }

  /** While the database is unreachable, they count as open: the page tries them. */
  async #closedForms(request: FastifyRequest): Promise<readonly string[]> {
    const forms = this.#deps.features.flatMap(({ form }) => form ?? []);
    const client = anonymousOf(request);
    const states = forms.map(async (form) =>
      (await this.#first.orUndefined(() => form.isClosedFor(client))) === true ? [form.name] : [],
    );
    return (await Promise.all(states)).flat();
  }

  /** While the database is unreachable, the actor is anonymous, and the page shows the failure. */
  async #actorOf(request: FastifyRequest): Promise<Actor> {
    const { authentication, digestsOf } = this.#deps;
    const presented = digestsOf(request);
    if (presented.length === 0) return anonymousOf(request);
    const address = clientAddressOf(request);
    const known = await this.#first.orUndefined(() => authentication.identify(presented, address));
    return known ?? anonymousOf(request);
  }

  /** The contents of the page, or 'missing' if its pet does not exist or the path is unknown. */
  async #contentsOf(path: PagePath | undefined, request: FastifyRequest, client: PageClient) {
    const { organisation, origin } = client;
    if (path === undefined) return 'missing';
    if (path === '/about')
      return organisation === undefined ? NO_CONTENTS : this.#first.ofOrganisation(organisation, origin);
    if (path === '/') return this.#first.ofCatalogue(searchParamsIn(request.url), client);
    const { petId } = request.params as { petId?: string };
    if (petId === undefined) return NO_CONTENTS;
    const found = await this.#first.ofPet(petId, client);
    // A deleted pet still has a history.
    const mayHaveBeen = path === '/pets/$petId/history' && /^\d{1,19}$/.test(petId);
    return found === 'missing' && mayHaveBeen ? NO_CONTENTS : found;
  }

  #htmlOf(request: FastifyRequest, { path, language, contents, organisation, ...user }: PageParts): string {
    const { access } = this.#settings;
    const { newAccounts, state, baseOf, door } = this.#deps;
    const basePath = this.#basePath;
    const { site, styles } = pageSiteOf(organisation, basePath);
    const locales = localesFor(request.headers, organisation?.organisation.country);
    const base = baseOf(request);
    const shown = firstViewContent(path, contents);
    const hasPlaygrounds = door !== undefined;
    const { version } = state;
    const parts = {
      settings: this.#settings,
      basePath,
      newAccounts: newAccounts(),
      version,
      hasPlaygrounds,
      site,
      locales,
    };
    const bootstrap = bootstrapOf(parts, { ...user, responses: contents.responses });
    return this.#write({
      language,
      summary: summaryOf(contents, {
        path,
        query: searchParamsIn(request.url),
        base,
        language,
        site: siteOf(organisation, base),
        features: this.#deps.features,
      }),
      ...filesOf(this.#web, chunksFor(path, language, bootstrap)),
      inlineStyles: styles,
      view:
        shown &&
        this.#web.renderFirstView({ language, locale: locales[language], access, basePath, site, content: shown }),
      bootstrap,
    });
  }

  #headersOf(path: PagePath | undefined, { styles }: PageSite, language: Language): Record<string, string> {
    return {
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      'content-security-policy': pagePolicy(
        this.#photoOrigin,
        styles === undefined ? undefined : styleSource(styles),
        this.#deps.features.some(({ pageWithFrame }) => pageWithFrame !== undefined && pageWithFrame === path),
      ),
      // Only the browser may cache it, and must revalidate. `no-store` would disable the back/forward cache.
      'cache-control': path === RESET_PATH ? 'no-store' : 'private, no-cache',
      // A page uses the Referer to find the search that led to it (`web/routing/navigation-history.ts`). Other origins
      // get none.
      'referrer-policy': path === RESET_PATH ? 'no-referrer' : 'same-origin',
    };
  }
}

interface PageParts {
  path: PagePath | undefined;
  language: Language;
  contents: PageContents;
  currentUser: CurrentUser | null;
  position: bigint | undefined;
  closedForms: readonly string[];
  organisation: StoredSite | undefined;
}

/**
 * Undefined for pages without a first view, such as an empty catalogue, for which the application shows more than an
 * empty list.
 */
function firstViewContent(
  path: PagePath | undefined,
  { found, subject, organisation }: PageContents,
): FirstView['content'] | undefined {
  if (path === '/pets/$petId') return subject;
  if (organisation !== undefined) return { organisation };
  return path === '/' && found !== undefined && found.pets.length > 0 ? found : undefined;
}

function chunksFor(path: PagePath | undefined, language: Language, bootstrap: Bootstrap): readonly string[] {
  const texts = textChunks(language, neededTexts(path, bootstrap));
  return path === undefined ? texts : [PAGES[path], ...texts];
}
