import type { FastifyReply, FastifyRequest } from 'fastify';
import { SentPhotoEdit, SentPhotoOrder } from '../../api/photos/photo-schemas.ts';
import { petPhotoViews, readPhotoEdit } from '../../api/photos/photo-texts.ts';
import type { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import type { PetPhotos } from '../../domain/photos/pet-photos.ts';
import type { StoredPet } from '../../domain/pets/pet.ts';
import { actorOf } from '../accounts/identify-actor.ts';
import { entityTagOf, etagOf, sendJson } from '../answer.ts';
import type { AddRoute } from '../routes.ts';
import { petIdOf } from './pet-id.ts';
import { digestOf } from './photo-routes.ts';
import { isUnchanged, preconditionOf } from './preconditions.ts';

export interface PetPhotoRoutesNeeds {
  catalogue: PetCatalogue;
  petPhotos: PetPhotos;
  /** Where the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
}

/** The pictures of one pet. Every change is answered with all of them, as they are then. */
export function addPetPhotoRoutes(add: AddRoute, { catalogue, petPhotos, baseOf }: PetPhotoRoutesNeeds): void {
  add('listPetPhotos', async (request, reply) => {
    const pet = await catalogue.getPet(actorOf(request), petIdOf(request));
    if (isUnchanged(request.headers, entityTagOf(pet, request)))
      return reply.code(304).header('etag', etagOf(pet, request)).send();
    return sendPhotos(request, reply, pet);
  });

  add(
    'arrangePetPhotos',
    async (request, reply) => {
      const { photos } = request.body;
      const precondition = preconditionOf(request.headers);
      const pet = await petPhotos.arrange(actorOf(request), petIdOf(request), photos, precondition);
      return sendPhotos(request, reply, pet);
    },
    SentPhotoOrder,
  );

  add(
    'updatePetPhoto',
    async (request, reply) => {
      const edit = { petId: petIdOf(request), digest: digestOf(request), ...readPhotoEdit(request.body) };
      const pet = await petPhotos.editPhoto(actorOf(request), edit, preconditionOf(request.headers));
      return sendPhotos(request, reply, pet);
    },
    SentPhotoEdit,
  );

  add('removePetPhoto', async (request, reply) => {
    const photo = { petId: petIdOf(request), digest: digestOf(request) };
    const pet = await petPhotos.deletePhoto(actorOf(request), photo, preconditionOf(request.headers));
    return sendPhotos(request, reply, pet);
  });

  async function sendPhotos(request: FastifyRequest, reply: FastifyReply, pet: StoredPet) {
    const { photos, isComplete } = await petPhotos.list(pet);
    // Without an entity tag, nobody holds on to what will be more in a moment.
    if (isComplete) reply.header('etag', etagOf(pet, request));
    return sendJson(reply, JSON.stringify(petPhotoViews(photos, baseOf(request))));
  }
}
