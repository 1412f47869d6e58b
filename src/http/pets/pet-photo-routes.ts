import type { FastifyReply, FastifyRequest } from 'fastify';
import { altOfUpload, readPhotoEdit } from '../../api/read-bodies.ts';
import { petPhotoViews, SentPhotoEdit, SentPhotoOrder } from '../../api/records/photo.ts';
import type { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import type { PetPhotos } from '../../domain/pets/pet-photos.ts';
import type { StoredPet } from '../../domain/pets/pet.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { sendApiResponse, sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import { entityTagOf, etagOf, isUnchanged, petIdOf, preconditionOf } from './pet-resource.ts';
import { digestOf } from './photo-routes.ts';
import type { ReceiveUpload } from '../pipeline/upload.ts';

interface PetPhotoRoutesDeps {
  catalogue: PetCatalogue;
  petPhotos: PetPhotos;
  receive: ReceiveUpload;
  baseOf: (request: FastifyRequest) => string;
}

/** The photos of a pet. Responses to changes list all photos, except the response to an upload. */
export class PetPhotoRoutes {
  readonly #catalogue: PetCatalogue;
  readonly #petPhotos: PetPhotos;
  readonly #receive: ReceiveUpload;
  readonly #baseOf: PetPhotoRoutesDeps['baseOf'];

  constructor({ catalogue, petPhotos, receive, baseOf }: PetPhotoRoutesDeps) {
    this.#catalogue = catalogue;
    this.#petPhotos = petPhotos;
    this.#receive = receive;
    this.#baseOf = baseOf;
  }

  addTo(add: AddRoute): void {
    add('uploadFile', this.#uploadFile);
    add('listPetPhotos', this.#listPetPhotos);
    add('reorderPetPhotos', this.#reorderPetPhotos, SentPhotoOrder);
    add('updatePetPhoto', this.#updatePetPhoto, SentPhotoEdit);
    add('deletePetPhoto', this.#deletePetPhoto);
  }

  readonly #uploadFile: Handler = async (request, reply) => {
    const id = petIdOf(request);
    const actor = actorOf(request);
    const precondition = preconditionOf(request.headers);
    const { file, fileName, additionalMetadata } = await this.#receive(request);
    try {
      const photo = { file, alt: altOfUpload(additionalMetadata) };
      const pet = await this.#petPhotos.addPhoto(actor, id, photo, precondition);
      reply.header('etag', etagOf(pet, request));
    } finally {
      // Before the response, on success and on failure.
      await file.discard();
    }
    const message = `additionalMetadata: ${additionalMetadata ?? 'null'}\nFile uploaded to ./${fileName}, ${file.byteLength} bytes`;
    return sendApiResponse(reply, message);
  };

  readonly #listPetPhotos: Handler = async (request, reply) => {
    const pet = await this.#catalogue.getPet(actorOf(request), petIdOf(request));
    if (isUnchanged(request.headers, entityTagOf(pet, request)))
      return reply.code(304).header('etag', etagOf(pet, request)).send();
    return this.#sendPhotos(request, reply, pet);
  };

  readonly #reorderPetPhotos: Handler<SentPhotoOrder> = async (request, reply) => {
    const { photos } = request.body;
    const precondition = preconditionOf(request.headers);
    const pet = await this.#petPhotos.arrange(actorOf(request), petIdOf(request), photos, precondition);
    return this.#sendPhotos(request, reply, pet);
  };

  readonly #updatePetPhoto: Handler<SentPhotoEdit> = async (request, reply) => {
    const edit = { petId: petIdOf(request), digest: digestOf(request), ...readPhotoEdit(request.body) };
    const pet = await this.#petPhotos.editPhoto(actorOf(request), edit, preconditionOf(request.headers));
    return this.#sendPhotos(request, reply, pet);
  };

  readonly #deletePetPhoto: Handler = async (request, reply) => {
    const photo = { petId: petIdOf(request), digest: digestOf(request) };
    const pet = await this.#petPhotos.deletePhoto(actorOf(request), photo, preconditionOf(request.headers));
    return this.#sendPhotos(request, reply, pet);
  };

  async #sendPhotos(request: FastifyRequest, reply: FastifyReply, pet: StoredPet): Promise<FastifyReply> {
    const { photos, isComplete } = await this.#petPhotos.list(pet);
    // No entity tag for an incomplete list, so that clients do not cache it.
    if (isComplete) reply.header('etag', etagOf(pet, request));
    return sendJson(reply, JSON.stringify(petPhotoViews(photos, this.#baseOf(request))));
  }
}
