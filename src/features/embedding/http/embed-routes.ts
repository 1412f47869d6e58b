import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readCatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { EMBED_PATH, EMBED_SCRIPT_PATH, readEmbedOptions, type EmbedOptions } from '../api/embed-options.ts';
import { LANGUAGES, type Language } from '../../../api/web/languages.ts';
import { FAILURE_STATUS } from '../../../api/records/response-texts.ts';
import { Failure } from '../../../domain/failure.ts';
import type { Embedding } from '../domain/embedding.ts';
import type { StoredOrganisation } from '../../../domain/organisation/site-records.ts';
import { nameOf, nameOfSearch, petUrl, searchUrl, titled } from '../../../http/discovery/descriptions.ts';
import { siteOf } from '../../../http/discovery/site.ts';
import { isUnchanged } from '../../../http/pets/pet-resource.ts';
import { searchParamsIn } from '../../../http/pipeline/base-path.ts';
import { sendCompressed } from '../../../http/pipeline/compression.ts';
import { languageOf } from '../../../http/pipeline/negotiation.ts';
import { sendText } from '../../../http/pipeline/response.ts';
import type { EmbeddingSettings } from '../domain/embedding-settings.ts';
import { embedPolicy, writeEmbedPage, type EmbedContent, type ShownPet } from './embed-page.ts';
import { EMBED_SCRIPT } from './embed-scripts.ts';
import { EMBED_TEXTS } from './embed-texts.ts';
import type { EmbeddedPets, EmbeddedPetsDeps } from './embedded-pets.ts';

export interface EmbedRoutesDeps extends Pick<EmbeddedPetsDeps, 'siteRecords' | 'baseOf'> {
  embeddingSettings: EmbeddingSettings;
  embeddedPets: EmbeddedPets;
  /** The path of the service, for links. */
  basePath: () => string;
}

/** Feeds are cached for the same time. */
export const MAX_AGE_SECONDS = 300;

const CACHED = `public, max-age=${MAX_AGE_SECONDS}`;

/** A website has the script for a long time, so that a correction must reach it soon. */
const SCRIPT_CACHED = 'public, max-age=3600';

const SCRIPT_TAG = `"${createHash('sha256').update(EMBED_SCRIPT).digest('base64url')}"`;

/** The pets that a page shows. */
interface Shown extends Pick<EmbedContent, 'title' | 'pets' | 'note' | 'allUrl'> {
  /** The columns instead of those of the request. */
  columns?: number;
  /** Why the page shows no pets. */
  failure?: Failure;
}

interface PageRequest {
  request: FastifyRequest;
  reply: FastifyReply;
  query: URLSearchParams;
  options: EmbedOptions;
  language: Language;
  organisation: StoredOrganisation;
}

/**
 * Pages for frames of other websites, and the script that adds the frames. They read no credentials: everyone gets the
 * same page.
 */
export class EmbedRoutes {
  readonly #deps: EmbedRoutesDeps;

  constructor(deps: EmbedRoutesDeps) {
    this.#deps = deps;
  }

  addTo(app: FastifyInstance): void {
    app.get(EMBED_SCRIPT_PATH, { config: { isForAllOrigins: true } }, (request, reply) => {
      reply.headers({
        etag: SCRIPT_TAG,
        'cache-control': SCRIPT_CACHED,
        'cross-origin-resource-policy': 'cross-origin',
        vary: 'Accept-Encoding',
      });
      const unchanged = isUnchanged(request.headers, SCRIPT_TAG.slice(1, -1));
      return unchanged ? reply.code(304).send() : sendText(reply, EMBED_SCRIPT, 'text/javascript; charset=utf-8');
    });
    app.get(EMBED_PATH, (request, reply) => this.#send(request, reply, (page) => this.#list(page)));
    app.get(`${EMBED_PATH}/:petId`, (request, reply) =>
      this.#send(request, reply, (page) => this.#one((request.params as { petId: string }).petId, page)),
    );
  }

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    show: (page: PageRequest) => Promise<Shown>,
  ): Promise<FastifyReply> {
    const { siteRecords, embeddingSettings, basePath } = this.#deps;
    const query = searchParamsIn(request.url);
    const options = readEmbedOptions(query);
    const language = options.language ?? languageOf(request.headers, LANGUAGES);
    const [organisation, embedding] = await Promise.all([siteRecords.getOrganisation(), embeddingSettings.get()]);
    const page = { request, reply, query, options, language, organisation };
    const {
      failure,
      columns = options.columns,
      ...shown
    } = await show(page).catch((error: unknown) => this.#failed(error, page));
    const { accentColour } = organisation.organisation;
    const { html, styleSource } = writeEmbedPage({
      ...shown,
      language,
      options: { ...options, columns },
      basePath: basePath(),
      accentColour,
    });
    const policy = embedPolicy(styleSource, ancestorsOf(embedding));
    reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy });
    const vary = 'Accept-Encoding, Accept-Language';
    if (failure !== undefined) {
      const { code, details } = failure;
      if (details.retryAfterSeconds !== undefined) reply.header('retry-after', details.retryAfterSeconds);
      return sendCompressed(request, reply.code(FAILURE_STATUS[code]).header('cache-control', 'no-store'), html, vary);
    }
    const entityTag = createHash('sha256').update(policy).update(html).digest('base64url');
    // A weak tag, because compressed and uncompressed bytes differ (RFC 9110, section 8.8.1).
    reply.headers({ etag: `W/"${entityTag}"`, 'cache-control': CACHED });
    if (isUnchanged(request.headers, entityTag)) return reply.header('vary', vary).code(304).send();
    return sendCompressed(request, reply, html, vary);
  }

  async #list({ request, reply, query, options, language, organisation }: PageRequest): Promise<Shown> {
    const { embeddedPets, baseOf, basePath } = this.#deps;
    const search = readCatalogueSearch(query);
    const pets = await embeddedPets.search(request, reply, search, options.limit);
    const site = siteOf(organisation, baseOf(request));
    const title = titled(nameOfSearch(search, language, site), site);
    return { title, pets, allUrl: searchUrl(basePath(), search) };
  }

  async #one(idText: string, { request, language, organisation }: PageRequest): Promise<Shown> {
    const { embeddedPets, baseOf, basePath } = this.#deps;
    const shown: ShownPet = await embeddedPets.get(request, idText);
    const title = titled(nameOf(shown.pet, language), siteOf(organisation, baseOf(request)));
    return { title, pets: [shown], columns: 1, allUrl: petUrl(basePath(), shown.pet.id) };
  }

  /** A frame shows a sentence instead of the JSON of an error. Bugs get the usual response. */
  #failed(error: unknown, { request, language, organisation }: PageRequest): Shown {
    if (!(error instanceof Failure)) throw error;
    const { notFound, failed } = EMBED_TEXTS[language];
    const { name } = siteOf(organisation, this.#deps.baseOf(request));
    const note = error.code === 'not-found' ? notFound : failed;
    return { failure: error, title: name, pets: [], note, allUrl: searchUrl(this.#deps.basePath(), {}) };
  }
}

/**
 * The pages of the service itself always may: administrators see a preview. Undefined allows all: `*` would leave out
 * programs and files, whose addresses have other schemes.
 */
function ancestorsOf({ sites, origins }: Embedding): string | undefined {
  if (sites === 'all') return undefined;
  return ["'self'", ...(sites === 'listed' ? origins : [])].join(' ');
}
