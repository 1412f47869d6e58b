import type { Logger } from 'pino';
import { addressOf, type Input } from '../../client/requests.ts';
import { ENDPOINTS, type OperationId } from '../../api/endpoints.ts';
import { petPhotoViews, type OwnPhoto } from '../../api/records/photo.ts';
import type { Query } from '../../api/queries/query-values.ts';
import type { FirstResponse } from '../../api/web/bootstrap.ts';
import type { SiteRecords, StoredOrganisation } from '../../domain/organisation/site-records.ts';
import type { AboutPet, FoundPets, OrganisationView, PetWithPhotos } from '../../api/web/first-view.ts';
import { countInputOf, findInputOf, readCatalogueSearch, shownSearch } from '../../api/web/catalogue-search.ts';
import { isDescribed } from '../../api/web/site.ts';
import type { Actor } from '../../domain/access.ts';
import { Failure } from '../../domain/failure.ts';
import { parseInt64 } from '../../domain/int64.ts';
import type { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import type { PetPhotos } from '../../domain/pets/pet-photos.ts';
import type { PetProfiles } from '../../domain/pets/pet-profiles.ts';
import { readProfileText } from '../../domain/pets/profile.ts';
import { readPetText, withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import type { Awaitable, MarkdownToHtml } from '../../domain/ports.ts';
import { profileResponse, type ProfileResponse } from '../pets/profile-response.ts';
import { organisationResponse, ownFieldsResponse } from '../organisation/organisation-response.ts';
import type { TurnClient } from '../pipeline/network-turns.ts';
import type { SearchResponses } from '../pets/search-responses.ts';
import { searchParamsIn } from '../pipeline/base-path.ts';

export interface FirstResponsesDeps {
  catalogue: PetCatalogue;
  petPhotos: PetPhotos;
  profiles: PetProfiles;
  siteRecords: Pick<SiteRecords, 'getOwnFields'>;
  markdownToHtml: MarkdownToHtml;
  searchResponses: SearchResponses;
  log: Logger;
}

/** The responses that a page contains, and the content of its first view. */
export interface PageContents {
  responses: Readonly<Record<string, FirstResponse>>;
  /** Only on the page of the catalogue. */
  found?: FoundPets;
  /** Only on the page of the organisation. */
  organisation?: OrganisationView;
  /** Only on the pages of a pet. */
  subject?: PetWithPhotos;
}

export const NO_CONTENTS: PageContents = { responses: {} };

/** The actor of the page request, and the origin at which the client reaches the service. */
export interface PageClient {
  actor: Actor;
  origin: string;
  /** Whether the application lets the actor change pets. */
  managesPets: boolean;
  /** Undefined if it could not be read. */
  organisation: StoredOrganisation | undefined;
  /** The client that takes turns in searches. */
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
  readonly #responseOf: ProfileResponse;

  constructor(deps: FirstResponsesDeps) {
    this.#deps = deps;
    this.#responseOf = profileResponse(deps.markdownToHtml);
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

  async ofCatalogue(
    query: URLSearchParams,
    { actor, origin, managesPets, organisation, turns }: PageClient,
  ): Promise<PageContents> {
    const { searchResponses } = this.#deps;
    const search = shownSearch(readCatalogueSearch(query), managesPets);
    const petsUrl = urlOf('findPets', { ...findInputOf(search) });
    const facetsUrl = urlOf('countFacets', { ...countInputOf(search) });
    const [pets, facets] = await Promise.all([
      this.#orUndefinedIfLong(() => searchResponses.pets(actor, queryOf(petsUrl), turns, origin)),
      this.#orUndefinedIfLong(() => searchResponses.facets(actor, queryOf(facetsUrl), turns)),
    ]);
    const shelter =
      !managesPets && organisation && isDescribed(organisation.organisation)
        ? await this.ofOrganisation(organisation, origin)
        : undefined;
    const responses = {
      ...shelter?.responses,
      ...(pets !== undefined && { [petsUrl]: { text: pets.text } }),
      ...(facets !== undefined && { [facetsUrl]: { text: facets.text } }),
    };
    if (pets === undefined) return { responses };
    const found = {
      search,
      managesPets,
      pets: pets.pets.map(({ text }) => readPetText(text)),
      covers: pets.covers,
      profiles: pets.profiles.map(({ petId, text }) => ({ petId, profile: readProfileText(text) })),
      organisation: shelter?.organisation,
      known: facets?.known ?? { species: [], category: [], goodWith: [] },
    };
    return { responses, found };
  }

  /** @returns 'missing' if the pet does not exist */
  async ofPet(idText: string, client: PageClient): Promise<PageContents | 'missing'> {
    const { actor, origin, managesPets } = client;
    const petId = parseInt64(idText);
    if (petId === undefined) return 'missing';
    const stored = await this.orUndefined(() => this.#findPet(actor, petId));
    if (stored === undefined) return NO_CONTENTS;
    if (stored === 'missing') return stored;
    const [photos, about] = await Promise.all([
      this.orUndefined(() => this.#listPhotos(stored, origin)),
      this.orUndefined(() => this.#describe(petId, client)),
    ]);
    const responses = {
      ...petResponses([{ id: petId, pet: stored }], origin),
      ...(photos !== undefined && { [urlOf('listPetPhotos', { petId })]: photos.response }),
      ...about?.responses,
    };
    const subject = {
      pet: readPetText(stored.text),
      photos: photos?.own ?? [],
      elsewhere: photos?.elsewhere ?? [],
      about: about?.about,
      managesPets,
    };
    return { responses: shortOnes(responses), subject };
  }

  async ofOrganisation(stored: StoredOrganisation, origin: string): Promise<PageContents> {
    const { view, ...response } = await organisationResponse(stored, origin, this.#deps.markdownToHtml);
    return { responses: shortOnes({ [urlOf('getOrganisation', {})]: response }), organisation: view };
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

  /** The profile, and what it refers to: the pets that must stay together, the location, and own fields. */
  async #describe(petId: bigint, { actor, origin, organisation }: PageClient) {
    const response = await this.#responseOf(await this.#deps.profiles.getProfile(actor, petId));
    const profile = readProfileText(response.text);
    const bonded = await Promise.all(
      (profile.bondedWith ?? []).map(async ({ id }) => ({
        id,
        pet: await this.orUndefined(() => this.#findPet(actor, id)),
      })),
    );
    const own = profile.own && (await this.orUndefined(() => this.#deps.siteRecords.getOwnFields(actor)));
    const shelter =
      organisation && isDescribed(organisation.organisation)
        ? await this.ofOrganisation(organisation, origin)
        : undefined;
    const responses = {
      [urlOf('getPetProfile', { petId })]: response,
      ...petResponses(bonded, origin),
      ...shelter?.responses,
      ...(own && { [urlOf('getOwnFields', {})]: ownFieldsResponse(own) }),
    };
    const about: AboutPet = {
      profile,
      bonded: bonded.flatMap(({ pet }) => (pet === undefined || pet === 'missing' ? [] : readPetText(pet.text))),
      organisation: shelter?.organisation,
      location: shelter?.organisation?.locations?.find(({ id }) => id === profile.location),
      ownFields: own?.fields ?? [],
    };
    return { about, responses };
  }

  async #orUndefinedIfLong<T extends FirstResponse>(response: () => Promise<T>): Promise<T | undefined> {
    const found = await this.orUndefined(response);
    return found !== undefined && isLong(found) ? undefined : found;
  }
}

interface FoundById {
  id: bigint;
  /** Undefined if it could not be read. */
  pet: StoredPet | 'missing' | undefined;
}

function petResponses(found: readonly FoundById[], origin: string): PageContents['responses'] {
  const responses = found.flatMap(({ id, pet }) => {
    if (pet === undefined) return [];
    const response: FirstResponse =
      pet === 'missing' ? { text: '{}', status: 404 } : { text: withPhotoOrigin(pet.text, origin), etag: etagOf(pet) };
    return [[urlOf('getPetById', { petId: id }), response] as const];
  });
  return Object.fromEntries(responses);
}

/** The exact URL that the application would request. */
function urlOf(operation: OperationId, input: Input): string {
  return `/v2${addressOf(ENDPOINTS[operation], input)}`;
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

function shortOnes(responses: PageContents['responses']): PageContents['responses'] {
  return Object.fromEntries(Object.entries(responses).filter(([, response]) => !isLong(response)));
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
