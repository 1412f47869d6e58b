import type { FastifyRequest } from 'fastify';
import { createdKeyText, listingPetText, listingText, SentListedPet, SentListing } from '../api/listing.ts';
import { Failure } from '../../../domain/failure.ts';
import type { ListingAdministration } from '../domain/listing-administration.ts';
import type { ListingFeeds } from '../domain/listing-feeds.ts';
import { isFileOf } from '../domain/listing-files.ts';
import { SITE_IDS, type SiteId } from '../domain/listing-site.ts';
import { LISTING_TYPES, listingTexts } from '../transfer/listing-texts.ts';
import type { FeatureHttp, FeatureRoutes } from '../../../http/features/feature-routes.ts';
import { petIdOf } from '../../../http/pets/pet-resource.ts';
import { actorOf } from '../../../http/pipeline/identify-actor.ts';
import { turnClientOf } from '../../../http/pipeline/network-turns.ts';
import { linkNext, readPageOrFirst } from '../../../http/pipeline/paging.ts';
import { sendApiResponse, sendJson, sendRecords } from '../../../http/pipeline/response.ts';
import type { AddRoute, Handler } from '../../../http/pipeline/routes.ts';

interface ListingRoutesDeps {
  listingFeeds: ListingFeeds;
  listingAdministration: ListingAdministration;
  /** The server that the files of a site are uploaded to, without its credentials. */
  uploadPlaceOf: (site: SiteId) => string | undefined;
}

export class ListingRoutes implements FeatureRoutes {
  readonly #deps: ListingRoutesDeps;
  #baseOf: FeatureHttp['baseOf'] = () => '';

  constructor(deps: ListingRoutesDeps) {
    this.#deps = deps;
  }

  addTo(add: AddRoute, { baseOf }: FeatureHttp): void {
    this.#baseOf = baseOf;
    add('getListingFeed', this.#getListingFeed);
    add('listListings', this.#listListings);
    add('updateListing', this.#updateListing, SentListing);
    add('uploadListing', this.#uploadListing);
    add('createFeedKey', this.#createFeedKey);
    add('revokeFeedKey', this.#revokeFeedKey);
    add('listListingPets', this.#listListingPets);
    add('updateListingPet', this.#updateListingPet, SentListedPet);
  }

  readonly #getListingFeed: Handler = async (request, reply) => {
    const site = siteOf(request);
    const { file } = request.params as { file: string };
    if (!isFileOf(site, file)) throw new Failure('not-found', 'Unknown file');
    const { key } = request.query as { key?: string | string[] };
    const listed = await this.#deps.listingFeeds.open(site, String(key), this.#baseOf(request));
    reply.headers({ 'content-type': LISTING_TYPES[file], 'content-disposition': `attachment; filename="${file}"` });
    return sendRecords(request, reply, listingTexts(site, file, listed));
  };

  readonly #listListings: Handler = async (request, reply) => {
    const { listingAdministration, uploadPlaceOf } = this.#deps;
    const listings = await listingAdministration.list(actorOf(request));
    const texts = listings.map((listing) => listingText(listing, this.#baseOf(request), uploadPlaceOf(listing.site)));
    return sendJson(reply, `[${texts.join()}]`);
  };

  readonly #updateListing: Handler<{ on: boolean }> = async (request, reply) => {
    const { listingAdministration, uploadPlaceOf } = this.#deps;
    const site = siteOf(request);
    const listing = await listingAdministration.switch(actorOf(request), site, request.body.on);
    return sendJson(reply, listingText(listing, this.#baseOf(request), uploadPlaceOf(site)));
  };

  readonly #uploadListing: Handler = async (request, reply) => {
    const { listingAdministration, uploadPlaceOf } = this.#deps;
    const site = siteOf(request);
    const listing = await listingAdministration.requestUpload(actorOf(request), site);
    return sendJson(reply, listingText(listing, this.#baseOf(request), uploadPlaceOf(site)));
  };

  readonly #createFeedKey: Handler = async (request, reply) => {
    const { listingAdministration } = this.#deps;
    const site = siteOf(request);
    const key = await listingAdministration.createKey(actorOf(request), site);
    return sendJson(reply, createdKeyText(site, key, this.#baseOf(request)));
  };

  readonly #revokeFeedKey: Handler = async (request, reply) => {
    const site = siteOf(request);
    await this.#deps.listingAdministration.revokeKey(actorOf(request), site);
    return sendApiResponse(reply, site);
  };

  readonly #listListingPets: Handler = async (request, reply) => {
    const origin = this.#baseOf(request);
    const site = siteOf(request);
    const { limit, lastId = 0n } = readPageOrFirst(request.query);
    const { pets, last } = await reply.server.recordTurns.take(turnClientOf(request, reply), () =>
      this.#deps.listingAdministration.judgePets(actorOf(request), site, { lastId, limit, origin }),
    );
    if (last !== undefined) linkNext(request, reply, { limit, lastId: last, origin });
    return sendJson(reply, `[${pets.map(listingPetText).join()}]`);
  };

  readonly #updateListingPet: Handler<{ listed: boolean }> = async (request, reply) => {
    const petId = petIdOf(request);
    const { listingAdministration } = this.#deps;
    await listingAdministration.setListed(actorOf(request), siteOf(request), petId, request.body.listed);
    return sendApiResponse(reply, petId.toString());
  };
}

/** @throws Failure `not-found` */
function siteOf({ params }: FastifyRequest): SiteId {
  const { site } = params as { site: string };
  const known = SITE_IDS.find((id) => id === site);
  if (known === undefined) throw new Failure('not-found', `Unknown site; sites: ${SITE_IDS.join(', ')}`);
  return known;
}
