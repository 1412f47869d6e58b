import type { Logger } from 'pino';
import { prepareRequest, type Input } from '../../client/requests.ts';
import { ENDPOINTS, type OperationId } from '../../api/endpoints.ts';
import { petPhotoViews, type OwnPhoto } from '../../api/records/photo.ts';
import type { Query } from '../../api/queries/query-values.ts';
import type { FirstResponse } from '../../api/web/bootstrap.ts';
import { organisationView } from '../../api/records/organisation.ts';
import type { StoredOrganisation } from '../../domain/organisation/site-records.ts';
import type { FoundPets, OrganisationView, PetWithPhotos } from '../../api/web/first-view.ts';
import { countInputOf, findInputOf, readCatalogueSearch, shownSearch } from '../../api/web/catalogue-search.ts';
import type { Actor } from '../../domain/access.ts';
import { Failure } from '../../domain/failure.ts';
import { parseInt64 } from '../../domain/int64.ts';
import type { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import type { PetPhotos } from '../../domain/pets/pet-photos.ts';
import { readPetText, withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import type { Awaitable } from '../../domain/ports.ts';
import type { TurnClient } from '../pipeline/network-turns.ts';
import type { SearchResponses } from '../pets/search-responses.ts';
import { searchParamsIn } from '../pipeline/base-path.ts';

export interface FirstResponsesDeps {
  catalogue: PetCatalogue;
  petPhotos: PetPhotos;
  searchResponses: SearchResponses;
  log: Logger;
}

/** The responses that a page contains, and the content of its first view. */
export interface PageContents {
  responses: Readonly<Record<string, FirstResponse>>;
  /** On the page of the catalogue. */
  found?: FoundPets;
  /** On the page of the organisation. */
  organisation?: OrganisationView;
  /** On the pages of a pet. */
  subject?: PetWithPhotos;
}

export const NO_CONTENTS: PageContents = { responses: {} };

/** The actor of the page request, and the origin at which the client reaches the service. */
export interface PageClient {
  actor: Actor;
  origin: string;
  /** Whether the application lets the actor change pets. */
  managesPets: boolean;
  /** As a client of searches. */
  turns: TurnClient;
}

/**
 * Maximum characters of a response in a page. The catalogue usually has about 40,000. A pet may have a hundred long
 * URLs and tags, and a list of such pets five million characters. Embedding those would delay other requests, so the
 * application requests them itself.
 */
const MAX_RESPONSE_LENGTH = 150_000;

/** Produces the responses to the first requests of a page, with the use cases and formatting of the routes. */
export class FirstResponses {
  readonly #deps: FirstResponsesDeps;

  constructor(deps: FirstResponsesDeps) {
    this.#deps = deps;
  }

  /**
   * Returns undefined after an error: the application then sends the request itself, and shows the error. Bugs are
   * logged.
   */
  async orUndefined<T>(response: () => Awaitable<T>): Promise<T | undefined> {
    try {
      return await response();
    } catch (error) {
      if (!(error instanceof Failure)) this.#deps.log.error({ err: error }, 'failed to embed a response into a page');
      return undefined;
    }
  }

  async ofCatalogue(query: URLSearchParams, { actor, origin, managesPets, turns }: PageClient): Promise<PageContents> {
    const { searchResponses } = this.#deps;
    const search = shownSearch(readCatalogueSearch(query), managesPets);
    const petsUrl = addressOf('findPets', { ...findInputOf(search) });
    const facetsUrl = addressOf('countFacets', { ...countInputOf(search) });
    const [pets, facets] = await Promise.all([
      this.#orUndefinedIfLong(() => searchResponses.pets(actor, queryOf(petsUrl), turns, origin)),
      this.#orUndefinedIfLong(() => searchResponses.facets(actor, queryOf(facetsUrl), turns)),
    ]);
    const responses = {
      ...(pets !== undefined && { [petsUrl]: { text: pets.text } }),
      ...(facets !== undefined && { [facetsUrl]: { text: facets.text } }),
    };
    if (pets === undefined) return { responses };
    const found = {
      search,
      managesPets,
      pets: pets.pets.map(({ text }) => readPetText(text)),
      covers: pets.covers,
      categories: facets?.categories.map(({ name }) => name) ?? [],
    };
    return { responses, found };
  }

  /** @returns 'missing' if the pet does not exist */
  async ofPet(
    idText: string,
    { actor, origin }: Pick<PageClient, 'actor' | 'origin'>,
  ): Promise<PageContents | 'missing'> {
    const petId = parseInt64(idText);
    if (petId === undefined) return 'missing';
    const stored = await this.orUndefined(() => this.#findPet(actor, petId));
    if (stored === undefined) return NO_CONTENTS;
    if (stored === 'missing') return stored;
    const photos = await this.orUndefined(() => this.#listPhotos(stored, origin));
    const pet = { text: withPhotoOrigin(stored.text, origin), etag: etagOf(stored) };
    const responses = {
      ...(!isLong(pet) && { [addressOf('getPetById', { petId })]: pet }),
      ...(photos !== undefined &&
        !isLong(photos.response) && { [addressOf('listPetPhotos', { petId })]: photos.response }),
    };
    return {
      responses,
      subject: { pet: readPetText(stored.text), photos: photos?.own ?? [], elsewhere: photos?.elsewhere ?? [] },
    };
  }

  /** The page of the organisation. */
  ofOrganisation(stored: StoredOrganisation, origin: string): PageContents {
    const organisation = organisationView(stored.organisation, stored.logo, origin);
    const response = { text: JSON.stringify(organisation), etag: etagOf(stored) };
    const responses = isLong(response) ? {} : { [addressOf('getOrganisation', {})]: response };
    return { responses, organisation };
  }

  async #findPet(actor: Actor, petId: bigint): Promise<StoredPet | 'missing'> {
    try {
      return await this.#deps.catalogue.getPet(actor, petId);
    } catch (error) {
      if (error instanceof Failure && error.code === 'not-found') return 'missing';
      throw error;
    }
  }

  async #listPhotos(pet: StoredPet, origin: string) {
    const { photos, isComplete } = await this.#deps.petPhotos.list(pet);
    const views = petPhotoViews(photos, origin);
    const response = { text: JSON.stringify(views), ...(isComplete && { etag: etagOf(pet) }) };
    const elsewhere = views.filter((view) => !isOwn(view)).map(({ url }) => url);
    return { response, own: views.filter(isOwn), elsewhere };
  }

  async #orUndefinedIfLong<T extends FirstResponse>(response: () => Promise<T>): Promise<T | undefined> {
    const found = await this.orUndefined(response);
    return found !== undefined && isLong(found) ? undefined : found;
  }
}

/** The exact URL that the application would request. */
function addressOf(operation: OperationId, input: Input): string {
  const target = { base: '/v2', endpoint: ENDPOINTS[operation], accept: 'application/json' };
  return prepareRequest(target, input, { options: {}, abilities: { reportsProgress: false } }).url;
}

/** The query as Fastify parses it for routes. */
function queryOf(url: string): Query {
  const searchParams = searchParamsIn(url);
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function isLong({ text }: FirstResponse): boolean {
  return text.length > MAX_RESPONSE_LENGTH;
}

function isOwn(photo: OwnPhoto | { url: string }): photo is OwnPhoto {
  return 'sizes' in photo;
}

function etagOf({ version }: Pick<StoredPet, 'version'>): string {
  return `"${version}"`;
}
