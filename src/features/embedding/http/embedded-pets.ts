import type { FastifyReply, FastifyRequest } from 'fastify';
import { petCoverViews } from '../../../api/records/photo.ts';
import { filtersOf, shownSearch, usualSort, type CatalogueAddress } from '../../../api/web/catalogue-search.ts';
import { parseInt64 } from '../../../domain/int64.ts';
import type { SiteRecords } from '../../../domain/organisation/site-records.ts';
import type { PetCatalogue } from '../../../domain/pets/pet-catalogue.ts';
import { petNotFound } from '../../../domain/pets/pet-change.ts';
import type { PetPhotos } from '../../../domain/pets/pet-photos.ts';
import type { PetProfiles } from '../../../domain/pets/pet-profiles.ts';
import { readPetText } from '../../../domain/pets/pet.ts';
import { readProfileText } from '../../../domain/pets/profile.ts';
import type { SearchResponses } from '../../../http/pets/search-responses.ts';
import { anonymousOf } from '../../../http/pipeline/identify-actor.ts';
import { turnClientOf } from '../../../http/pipeline/network-turns.ts';
import type { ShownPet } from './embed-page.ts';

export interface EmbeddedPetsDeps {
  searchResponses: SearchResponses;
  catalogue: PetCatalogue;
  profiles: PetProfiles;
  petPhotos: PetPhotos;
  siteRecords: SiteRecords;
  baseOf: (request: FastifyRequest) => string;
}

/** Pets as everyone sees them: without drafts, also in open access, where everyone is staff. */
export class EmbeddedPets {
  readonly #deps: EmbeddedPetsDeps;

  constructor(deps: EmbeddedPetsDeps) {
    this.#deps = deps;
  }

  /** @throws Failure as searches do */
  async search(
    request: FastifyRequest,
    reply: FastifyReply,
    search: CatalogueAddress,
    limit: number,
  ): Promise<readonly ShownPet[]> {
    const { searchResponses, baseOf } = this.#deps;
    const query = {
      ...filtersOf(shownSearch(search, false)),
      sort: search.sort ?? usualSort(search.text ?? ''),
      limit: String(limit),
      published: 'true',
      covers: 'true',
      include: 'facts',
    };
    const client = turnClientOf(request, reply);
    const { pets, covers, profiles } = await searchResponses.pets(anonymousOf(request), query, client, baseOf(request));
    const coverOf = new Map(covers.map((cover) => [cover.petId, cover]));
    const profileOf = new Map(profiles.map(({ petId, text }) => [petId, readProfileText(text)]));
    return pets.map(({ id, text }) => ({
      pet: readPetText(text),
      cover: coverOf.get(id),
      profile: profileOf.get(id) ?? {},
    }));
  }

  /** @throws Failure `not-found` */
  async get(request: FastifyRequest, idText: string): Promise<ShownPet> {
    const { catalogue, profiles, petPhotos, baseOf } = this.#deps;
    const id = parseInt64(idText);
    if (id === undefined) throw petNotFound();
    const actor = anonymousOf(request);
    const [pet, { text }] = await Promise.all([catalogue.getPet(actor, id), profiles.getProfile(actor, id)]);
    const profile = readProfileText(text);
    if (profile.isPublished === false) throw petNotFound();
    const [cover] = petCoverViews(await petPhotos.covers([pet]), baseOf(request));
    return { pet: readPetText(pet.text), cover, profile };
  }
}
