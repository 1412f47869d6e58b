import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { timeText } from '../../api/records/fields.ts';
import { isDescribed } from '../../api/web/site.ts';
import type { Actor } from '../../domain/access.ts';
import { coverDigestIn } from '../../domain/pets/pet.ts';
import { ALL_PETS, type PetCriteria } from '../../domain/search/criteria.ts';
import type { MatchBlock } from '../../domain/search/match-blocks.ts';
import type { MatchPosition } from '../../domain/search/matches.ts';
import type { SiteRecords } from '../../domain/organisation/site-records.ts';
import type { FoundPet, PetSearch } from '../../domain/search/pet-search.ts';
import { isUnchanged } from '../pets/pet-resource.ts';
import { refuseUnknownPath } from '../pipeline/failure-responses.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { turnClientOf, type NetworkTurns } from '../pipeline/network-turns.ts';
import { sendRecords, sendText } from '../pipeline/response.ts';
import { aboutUrl, petUrl } from './descriptions.ts';
import { XML_DECLARATION, xmlElement } from './xml.ts';

/*
 * The addresses of all pets for search engines (https://www.sitemaps.org/protocol.html): an index of files, each of
 * which is streamed.
 */

interface SitemapDeps {
  petSearch: PetSearch;
  siteRecords: Pick<SiteRecords, 'getOrganisation'>;
  searchTurns: NetworkTurns;
  baseOf: (request: FastifyRequest) => string;
  /** The version of the service: another one may write the files differently. */
  version: string;
}

export const SITEMAP_PATH = '/sitemap.xml';

const TYPE = 'application/xml; charset=utf-8';

/** Search engines read a sitemap once a day at most, and revalidate it. */
const CACHED = 'public, max-age=3600';

/** The limits of a file. The first one also has the catalogue, and the page of the organisation. */
const MAX_PETS = 50_000 - 2;
const MAX_BYTES = 50 * 1024 * 1024;

/** Maximum bytes of an entry without the URLs at which the service is reached, of which it has two. */
const ENTRY_BYTES = 400;

const PETS_READ_TOGETHER = 200;

/** Adopted pets have pages, but no visitor looks for them. */
const LISTED: PetCriteria = {
  ...ALL_PETS,
  statuses: ['available', 'pending', 'none'],
  // The files are the same for all clients.
  published: true,
};

interface SitemapFile {
  /** The pages that are not those of pets. */
  pages: readonly string[];
  before: MatchBlock | undefined;
  block: MatchBlock | undefined;
}

export class Sitemap {
  readonly #deps: SitemapDeps;

  constructor(deps: SitemapDeps) {
    this.#deps = deps;
  }

  addTo(app: FastifyInstance): void {
    app.get(SITEMAP_PATH, (request, reply) => this.#sendIndex(request, reply));
    // At the root, because a sitemap is for the paths below its own.
    app.get('/sitemap-:number(^\\d{1,6}$).xml', { config: { streams: 'records' } }, (request, reply) =>
      this.#sendFile(request, reply),
    );
  }

  async #sendIndex(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const base = this.#deps.baseOf(request);
    const blocks = await this.#blocks(request, reply, base);
    const files = blocks.length === 0 ? [undefined] : blocks;
    const entityTag = this.#entityTag(base, files);
    if (isUnchanged(request.headers, entityTag)) return notModified(reply, entityTag);
    const entries = files.map((block, index) => fileEntry(`${base}/sitemap-${index + 1}.xml`, block));
    const begin = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
    const text = `${XML_DECLARATION}${begin}${entries.join('')}</sitemapindex>\n`;
    return sendText(reply.headers({ etag: `"${entityTag}"`, 'cache-control': CACHED }), text, TYPE);
  }

  async #sendFile(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const base = this.#deps.baseOf(request);
    const number = Number((request.params as { number: string }).number);
    const blocks = await this.#blocks(request, reply, base);
    const block = blocks[number - 1];
    if (block === undefined && number !== 1) refuseUnknownPath();
    const pages = number === 1 ? await this.#pages(base) : [];
    const entityTag = this.#entityTag(base, [block], pages);
    if (isUnchanged(request.headers, entityTag)) return notModified(reply, entityTag);
    reply.headers({ etag: `"${entityTag}"`, 'cache-control': CACHED, 'content-type': TYPE });
    return sendRecords(
      request,
      reply,
      this.#textOf(actorOf(request), base, { pages, before: blocks[number - 2], block }),
    );
  }

  /** The catalogue, and the page of an organisation that says something about itself. */
  async #pages(base: string): Promise<readonly string[]> {
    const { organisation } = await this.#deps.siteRecords.getOrganisation();
    return [`${base}/`, ...(isDescribed(organisation) ? [aboutUrl(base)] : [])];
  }

  #blocks(request: FastifyRequest, reply: FastifyReply, base: string): Promise<readonly MatchBlock[]> {
    const { petSearch, searchTurns } = this.#deps;
    const byLength = Math.floor(MAX_BYTES / (ENTRY_BYTES + 2 * Buffer.byteLength(base)));
    const length = Math.min(MAX_PETS, byLength);
    return searchTurns.take(turnClientOf(request, reply), () => petSearch.blocks(actorOf(request), LISTED, length));
  }

  /**
   * A block with the same ends, count and highest version has the same pets: every change of a pet has a new, higher
   * version.
   */
  #entityTag(base: string, blocks: readonly (MatchBlock | undefined)[], pages: readonly string[] = []): string {
    const parts = blocks.map((block) => block && [block.firstId, block.lastId, block.count, block.version].join('-'));
    const text = [this.#deps.version, base, ...pages, ...parts].join();
    return createHash('sha256').update(text).digest('base64url');
  }

  async *#textOf(actor: Actor, base: string, { pages, before, block }: SitemapFile): AsyncGenerator<string> {
    yield `${XML_DECLARATION}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n`;
    yield pages.map((url) => `<url>${xmlElement('loc', { text: url })}</url>\n`).join('');
    for await (const pets of this.#petsOf(actor, before, block)) yield pets.map((pet) => petEntry(base, pet)).join('');
    yield '</urlset>\n';
  }

  /** The pets of a block. New ones may have been added since, but a file has a limit. */
  async *#petsOf(
    actor: Actor,
    before: MatchBlock | undefined,
    block: MatchBlock | undefined,
  ): AsyncGenerator<readonly FoundPet[]> {
    if (block === undefined) return;
    let after = before && endOf(before);
    let left = block.count;
    while (left > 0) {
      const limit = Math.min(left, PETS_READ_TOGETHER);
      const { pets, last } = await this.#deps.petSearch.search(actor, LISTED, { after, limit });
      yield pets.filter(({ id }) => id <= block.lastId);
      if (last === undefined || last.id >= block.lastId) return;
      left -= pets.length;
      after = last;
    }
  }
}

/** The position after a block, in the order by id. */
function endOf({ lastId }: MatchBlock): MatchPosition {
  return { id: lastId, rank: 0, addedVersion: 0, intakeDay: 0, nameKey: '' };
}

function fileEntry(url: string, block: MatchBlock | undefined): string {
  const changed = block === undefined ? '' : xmlElement('lastmod', { text: timeText(block.changedAtMs) });
  return `<sitemap>${xmlElement('loc', { text: url })}${changed}</sitemap>\n`;
}

function petEntry(base: string, { id, text, changedAtMs }: FoundPet): string {
  const digest = coverDigestIn(text);
  const photo = digest === undefined ? '' : xmlElement('image:loc', { text: `${base}/v2/photo/${digest}/large` });
  const changed = xmlElement('lastmod', { text: timeText(changedAtMs) });
  const image = photo === '' ? '' : `<image:image>${photo}</image:image>`;
  return `<url>${xmlElement('loc', { text: petUrl(base, id) })}${changed}${image}</url>\n`;
}

function notModified(reply: FastifyReply, entityTag: string): FastifyReply {
  return reply
    .headers({ etag: `"${entityTag}"`, 'cache-control': CACHED })
    .code(304)
    .send();
}
