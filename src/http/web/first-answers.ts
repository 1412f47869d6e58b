import type { Logger } from 'pino';
import { prepareRequest, type Input } from '../../client/requests.ts';
import { ENDPOINTS, type OperationId } from '../../api/endpoints.ts';
import { petPhotoViews, type OwnPhoto } from '../../api/records/photo.ts';
import type { Query } from '../../api/query-values.ts';
import type { FirstAnswer } from '../../api/web/bootstrap.ts';
import type { FoundPets, PetWithPhotos } from '../../api/web/first-view.ts';
import { countInputOf, findInputOf, readCatalogueSearch } from '../../api/web/catalogue-search.ts';
import type { Actor } from '../../domain/access.ts';
import { Failure } from '../../domain/failure.ts';
import { parseInt64 } from '../../domain/int64.ts';
import type { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import type { PetPhotos } from '../../domain/photos/pet-photos.ts';
import { readPetText, withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import type { Awaitable } from '../../domain/ports.ts';
import type { FindAnswers } from '../pets/find-answers.ts';

export interface FirstAnswersDeps {
  catalogue: PetCatalogue;
  petPhotos: PetPhotos;
  findAnswers: FindAnswers;
  log: Logger;
}

/** The responses that a page contains, and what its first view shows. */
export interface PageContents {
  answers: Readonly<Record<string, FirstAnswer>>;
  /** On the page of the catalogue. */
  found?: FoundPets;
  /** On the pages of a pet. */
  subject?: PetWithPhotos;
}

export const NO_CONTENTS: PageContents = { answers: {} };

/** The actor of the page's request, and the origin at which the client reaches the service. */
export interface Asking {
  actor: Actor;
  origin: string;
}

/**
 * In characters; those of the catalogue are some 40,000. A pet may have a hundred long URLs and tags, and a page of such pets five million characters, which
 * would be read, written and compressed while other requests wait: the application requests those itself.
 */
const MAX_ANSWER_LENGTH = 150_000;

/** The responses to the requests that a page would send first, made by the use cases and the presentation of the routes. */
export class FirstAnswers {
  readonly #deps: FirstAnswersDeps;

  constructor(deps: FirstAnswersDeps) {
    this.#deps = deps;
  }

  /** Returns undefined after an error: then the application sends the request itself and shows what is wrong. Bugs are logged. */
  async unlessItFails<T>(answer: () => Awaitable<T>): Promise<T | undefined> {
    try {
      return await answer();
    } catch (error) {
      if (!(error instanceof Failure))
        this.#deps.log.error({ err: error }, 'a page went out without what it asks for first');
      return undefined;
    }
  }

  async ofCatalogue(query: URLSearchParams, { actor, origin }: Asking): Promise<PageContents> {
    const { findAnswers } = this.#deps;
    const search = readCatalogueSearch(query);
    const petsUrl = addressOf('findPets', { ...findInputOf(search) });
    const choicesUrl = addressOf('countChoices', { ...countInputOf(search) });
    const [pets, choices] = await Promise.all([
      this.#unlessLong(() => findAnswers.pets(actor, queryOf(petsUrl), origin)),
      this.#unlessLong(() => findAnswers.choices(actor, queryOf(choicesUrl))),
    ]);
    const answers = {
      ...(pets !== undefined && { [petsUrl]: { text: pets.text } }),
      ...(choices !== undefined && { [choicesUrl]: { text: choices.text } }),
    };
    if (pets === undefined) return { answers };
    const found = {
      search,
      pets: pets.pets.map(({ text }) => readPetText(text)),
      covers: pets.covers,
      categories: choices?.categories.map(({ name }) => name) ?? [],
    };
    return { answers, found };
  }

  /** @returns 'missing' if there is no such pet */
  async ofPet(idText: string, { actor, origin }: Asking): Promise<PageContents | 'missing'> {
    const petId = parseInt64(idText);
    if (petId === undefined) return 'missing';
    const stored = await this.unlessItFails(() => this.#findPet(actor, petId));
    if (stored === undefined) return NO_CONTENTS;
    if (stored === 'missing') return stored;
    const photos = await this.unlessItFails(() => this.#listPhotos(stored, origin));
    const pet = { text: withPhotoOrigin(stored.text, origin), etag: etagOf(stored) };
    const answers = {
      ...(!isLong(pet) && { [addressOf('getPetById', { petId })]: pet }),
      ...(photos !== undefined && !isLong(photos.answer) && { [addressOf('listPetPhotos', { petId })]: photos.answer }),
    };
    return { answers, subject: { pet: readPetText(stored.text), photos: photos?.own ?? [] } };
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
    const answer = { text: JSON.stringify(views), ...(isComplete && { etag: etagOf(pet) }) };
    return { answer, own: views.filter(isOwn) };
  }

  async #unlessLong<T extends FirstAnswer>(answer: () => Promise<T>): Promise<T | undefined> {
    const answered = await this.unlessItFails(answer);
    return answered !== undefined && isLong(answered) ? undefined : answered;
  }
}

/** The exact URL of the client's request. */
function addressOf(operation: OperationId, input: Input): string {
  const where = { base: '/v2', endpoint: ENDPOINTS[operation], accept: 'application/json' };
  return prepareRequest(where, input, { options: {}, abilities: { tellsProgress: false } }).url;
}

/** The query as the routes get it. */
function queryOf(url: string): Query {
  const { searchParams } = new URL(url, 'http://localhost');
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function isLong({ text }: FirstAnswer): boolean {
  return text.length > MAX_ANSWER_LENGTH;
}

function isOwn(photo: OwnPhoto | { url: string }): photo is OwnPhoto {
  return 'sizes' in photo;
}

function etagOf({ version }: StoredPet): string {
  return `"${version}"`;
}
