import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { failureText } from '../../../api/records/response-texts.ts';
import { readCatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { EMBED_PATH, embedQuery, readEmbedOptions } from '../api/embed-options.ts';
import { LANGUAGES } from '../../../api/web/languages.ts';
import { Failure } from '../../../domain/failure.ts';
import { nameOf, nameOfSearch, titled } from '../../../http/discovery/descriptions.ts';
import { startTag } from '../../../http/discovery/html.ts';
import { siteOf, type Site } from '../../../http/discovery/site.ts';
import { XML_DECLARATION, xmlElement } from '../../../http/discovery/xml.ts';
import { searchParamsIn } from '../../../http/pipeline/base-path.ts';
import { languageOf } from '../../../http/pipeline/negotiation.ts';
import { sendText } from '../../../http/pipeline/response.ts';
import type { FeatureRoutes } from '../../../http/features/feature-routes.ts';
import type { ShownPet } from './embed-page.ts';
import { MAX_AGE_SECONDS, type EmbedRoutesDeps } from './embed-routes.ts';

/*
 * oEmbed (https://oembed.com): an editor asks for the frame that belongs to the address of a page.
 */

const OEMBED_PATH = '/oembed';

type Format = 'json' | 'xml';

/** Sizes in pixels. A frame of a list has room for two columns, that of a pet for one. */
const LIST_WIDTH = 600;
const PET_WIDTH = 320;
const COLUMN_WIDTH = 220;
/** The texts of a card, and the button below all cards. */
const WORDS_HEIGHT = 125;
const BUTTON_HEIGHT = 70;
const MIN_HEIGHT = 150;

/** The page at an address. */
interface Target {
  title: string;
  pets: readonly ShownPet[];
  /** The address for the frame, below the service. */
  path: string;
  width: number;
}

interface Response {
  version: '1.0';
  type: 'rich';
  title: string;
  provider_name: string;
  provider_url: string;
  cache_age: number;
  thumbnail_url?: string;
  thumbnail_width?: number;
  thumbnail_height?: number;
  html: string;
  width: number;
  height: number;
}

/** Pages of staff and accounts. For other addresses without a frame, the response is 404. */
const PRIVATE_PAGE = /^\/(?:admin|account|requests|pets\/(?:new|deleted|transfer|\d+\/(?:edit|history)))(?:\/|$)/;

/** The links in a page by which editors find its frame. */
export function oembedLinks({ base, url, title }: Parameters<NonNullable<FeatureRoutes['alternatesOf']>>[0]) {
  return (['json', 'xml'] as const).map((format) => ({
    type: format === 'json' ? 'application/json+oembed' : 'text/xml+oembed',
    title,
    href: `${base}${OEMBED_PATH}?${new URLSearchParams({ url, format }).toString()}`,
  }));
}

export class OEmbed {
  readonly #deps: EmbedRoutesDeps;

  constructor(deps: EmbedRoutesDeps) {
    this.#deps = deps;
  }

  addTo(app: FastifyInstance): void {
    app.get(OEMBED_PATH, { config: { isForAllOrigins: true } }, async (request, reply) => {
      const query = searchParamsIn(request.url);
      const format = query.get('format') ?? 'json';
      if (!isFormat(format)) return refuseFormat(reply);
      const response = await this.#responseTo(request, reply, query);
      reply.headers({ 'cache-control': `public, max-age=${MAX_AGE_SECONDS}`, vary: 'Accept-Language' });
      return format === 'json'
        ? sendText(reply, JSON.stringify(response), 'application/json')
        : sendText(reply, xmlOf(response), 'text/xml; charset=utf-8');
    });
  }

  async #responseTo(request: FastifyRequest, reply: FastifyReply, query: URLSearchParams): Promise<Response> {
    const { baseOf, siteRecords, embeddingSettings } = this.#deps;
    const base = baseOf(request);
    const maxWidth = sizeIn(query, 'maxwidth');
    const maxHeight = sizeIn(query, 'maxheight');
    const url = localUrl(query.get('url'), base);
    const [organisation, { sites }] = await Promise.all([siteRecords.getOrganisation(), embeddingSettings.get()]);
    if (sites === 'none' || PRIVATE_PAGE.test(url.pathname))
      throw new Failure('unauthenticated', 'This page cannot be embedded. Link to it instead.');
    const site = siteOf(organisation, base);
    const { title, pets, path, width: usualWidth } = await this.#target(request, reply, url, site);
    const width = Math.min(usualWidth, maxWidth);
    const height = Math.min(heightOf(pets.length, width), maxHeight);
    return {
      version: '1.0',
      type: 'rich',
      title: titled(title, site),
      provider_name: site.name,
      provider_url: `${base}/`,
      cache_age: MAX_AGE_SECONDS,
      ...thumbnailOf(pets, maxWidth, maxHeight),
      html: frameOf(`${base}${path}`, { title: titled(title, site), width, height }),
      width,
      height,
    };
  }

  /** @throws Failure `not-found` if the address is neither a list of pets nor a pet */
  async #target(request: FastifyRequest, reply: FastifyReply, url: URL, site: Site): Promise<Target> {
    const { embeddedPets } = this.#deps;
    const options = readEmbedOptions(url.searchParams);
    const language = options.language ?? languageOf(request.headers, LANGUAGES);
    const [, id] = /^\/pets\/([^/]+)$/.exec(url.pathname) ?? [];
    if (id !== undefined) {
      const shown = await embeddedPets.get(request, id);
      const query = embedQuery({}, options).toString();
      const path = `${EMBED_PATH}/${shown.pet.id}${query === '' ? '' : `?${query}`}`;
      return { title: nameOf(shown.pet, language), pets: [shown], path, width: PET_WIDTH };
    }
    if (url.pathname !== '/') throw new Failure('not-found', 'This address is neither a list of pets nor a pet.');
    const search = readCatalogueSearch(url.searchParams);
    const pets = await embeddedPets.search(request, reply, search, options.limit);
    const query = embedQuery(search, options).toString();
    const path = `${EMBED_PATH}${query === '' ? '' : `?${query}`}`;
    return { title: nameOfSearch(search, language, site), pets, path, width: LIST_WIDTH };
  }
}

/**
 * The address with its path below the service. Only the host is compared: behind a proxy, the service may believe that
 * it is reached over http.
 *
 * @throws Failure `invalid-input`, `not-found`
 */
function localUrl(text: string | null, base: string): URL {
  if (text === null) throw new Failure('invalid-input', 'The parameter url is missing.');
  const [url, own] = [URL.parse(text), new URL(base)];
  const basePath = own.pathname.replace(/\/$/, '');
  const isOwn = url !== null && url.host === own.host && `${url.pathname}/`.startsWith(`${basePath}/`);
  if (!isOwn) throw new Failure('not-found', 'This address does not belong to this service.');
  url.pathname = url.pathname.slice(basePath.length);
  return url;
}

function isFormat(format: string): format is Format {
  return format === 'json' || format === 'xml';
}

function refuseFormat(reply: FastifyReply): FastifyReply {
  const failure = new Failure('invalid-input', 'The format must be json or xml.');
  return sendText(reply.code(501), failureText(failure), 'application/json');
}

/** @throws Failure `invalid-input` */
function sizeIn(query: URLSearchParams, name: string): number {
  const text = query.get(name);
  if (text === null) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new Failure('invalid-input', `The parameter ${name} must be a number of pixels.`);
}

/** Enough for the cards, whose photos have the ratio 4:3. */
function heightOf(count: number, width: number): number {
  const columns = count === 1 ? 1 : Math.max(1, Math.floor(width / COLUMN_WIDTH));
  const rows = Math.ceil(count / columns);
  return Math.max(MIN_HEIGHT, Math.ceil(rows * ((width / columns) * 0.75 + WORDS_HEIGHT) + BUTTON_HEIGHT));
}

/** The first photo, unless it is larger than allowed. */
function thumbnailOf([first]: readonly ShownPet[], maxWidth: number, maxHeight: number): Partial<Response> {
  const photo = first?.cover?.sizes.small;
  if (photo === undefined || photo.width > maxWidth || photo.height > maxHeight) return {};
  const { url, width, height } = photo;
  return { thumbnail_url: `${url}?format=jpeg`, thumbnail_width: width, thumbnail_height: height };
}

function frameOf(src: string, { title, width, height }: Pick<Response, 'title' | 'width' | 'height'>): string {
  const attributes = { src, title, width: String(width), height: String(height) };
  const looks = { loading: 'lazy', style: 'border:0;max-width:100%' };
  return `${startTag('iframe', { ...attributes, ...looks })}</iframe>`;
}

function xmlOf(response: Response): string {
  const elements = Object.entries(response).map(([name, value]) => xmlElement(name, { text: String(value) }));
  return `${XML_DECLARATION}<oembed>${elements.join('')}</oembed>\n`;
}
