import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { filtersOf, readCatalogueSearch, shownSearch, type CatalogueAddress } from '../../api/web/catalogue-search.ts';
import { LANGUAGES, type Language } from '../../api/web/languages.ts';
import type { PetCover } from '../../api/records/photo.ts';
import { languageOfSite } from '../../domain/organisation/organisation.ts';
import type { SiteRecords } from '../../domain/organisation/site-records.ts';
import { readPetText, tagNamesOf } from '../../domain/pets/pet.ts';
import type { FoundPet } from '../../domain/search/pet-search.ts';
import { isUnchanged } from '../pets/pet-resource.ts';
import type { SearchResponses } from '../pets/search-responses.ts';
import { searchParamsIn } from '../pipeline/base-path.ts';
import { languageOf } from '../pipeline/negotiation.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { turnClientOf } from '../pipeline/network-turns.ts';
import { sendText } from '../pipeline/response.ts';
import { describePet, nameOf, nameOfLabel, nameOfSearch, petUrl, searchUrl, titled } from './descriptions.ts';
import { FEED_FORMATS, type Feed, type FeedEntry } from './feed-formats.ts';
import { siteOf, type Site } from './site.ts';
import { TEXTS } from './texts.ts';

/* Feeds of the newest pets that a visitor finds with a search of the catalogue. */

interface FeedsDeps {
  searchResponses: SearchResponses;
  siteRecords: SiteRecords;
  baseOf: (request: FastifyRequest) => string;
}

const MAX_ENTRIES = '50';

/** Feed readers ask more often than pets arrive. */
const CACHED = 'public, max-age=300';

export function addFeeds(app: FastifyInstance, deps: FeedsDeps): void {
  for (const { path, mediaType, write } of FEED_FORMATS)
    app.get(path, async (request, reply) => {
      const base = deps.baseOf(request);
      const { sort: _order, ...search } = readCatalogueSearch(searchParamsIn(request.url));
      const feed = await readFeed(deps, request, reply, search);
      const text = write(feed, searchUrl(base, search, path));
      const entityTag = createHash('sha256').update(text).digest('base64url');
      const unchanged = isUnchanged(request.headers, entityTag);
      reply.headers({ etag: `"${entityTag}"`, 'cache-control': CACHED, vary: 'Accept, Accept-Language' });
      return unchanged ? reply.code(304).send() : sendText(reply, text, mediaType);
    });
}

async function readFeed(
  { searchResponses, siteRecords, baseOf }: FeedsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  search: CatalogueAddress,
): Promise<Feed> {
  const base = baseOf(request);
  const stored = await siteRecords.getOrganisation();
  const language = languageOf(request.headers, LANGUAGES, languageOfSite(stored.organisation));
  // The feeds are the same for all clients, and so without drafts.
  const shown = { ...filtersOf(shownSearch(search, false)), published: 'true' };
  const query = { ...shown, sort: 'newest', limit: MAX_ENTRIES, covers: 'true' };
  const site = siteOf(stored, base);
  const { pets, covers } = await searchResponses.pets(actorOf(request), query, turnClientOf(request, reply), base);
  const coverOf = new Map(covers.map((cover) => [cover.petId, cover]));
  return {
    title: feedTitle(search, language, site),
    language,
    author: site.name,
    pageUrl: searchUrl(base, search),
    entries: pets.map((pet) => entryOf(pet, coverOf.get(pet.id), { base, language, site })),
  };
}

/** Such as `Cats: Newest pets - Menagerie`. */
export function feedTitle(search: CatalogueAddress, language: Language, site: Site): string {
  const { catalogue, newest } = TEXTS[language];
  const name = search.text ?? nameOfSearch(search, language, site);
  return titled(name === catalogue ? newest : `${name}: ${newest}`, site);
}

function entryOf(
  { text, changedAtMs }: FoundPet,
  cover: PetCover | undefined,
  { base, language, site }: { base: string; language: Language; site: Site },
): FeedEntry {
  const pet = readPetText(text);
  const category = pet.category?.name ?? '';
  return {
    url: petUrl(base, pet.id),
    title: nameOf(pet, language),
    summary: describePet(pet, language, site),
    updatedMs: changedAtMs,
    labels: [category, ...tagNamesOf(pet)]
      .filter((label) => label !== '')
      .map((label) => nameOfLabel(label, language, site)),
    photo: cover && { url: `${cover.sizes.large.url}?format=jpeg`, mediaType: 'image/jpeg', alt: cover.alt },
  };
}
