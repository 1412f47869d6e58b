import { lastWrittenBy, type Access, type Actor } from '../access.ts';
import { stampOf } from '../audit.ts';
import type { Clock, ListPart } from '../ports.ts';
import { recordOf, type PetDetails, type PetStatus, type StoredPet } from './pet.ts';
import { petNotFound, type PetEdit } from './pet-change.ts';
import { asOwnPhoto, digestOfPhotoUrl } from '../photos/photo.ts';
import type { Imaging, PetStore, PhotoIndex, PhotoStore, StagedUpload } from './ports.ts';
import type { Precondition } from './precondition.ts';

export interface PetCatalogueNeeds {
  access: Access;
  pets: PetStore;
  photos: PhotoIndex;
  photoStore: PhotoStore;
  imaging: Imaging;
  clock: Clock;
}

export type PetCatalogue = ReturnType<typeof createPetCatalogue>;

/** The catalogue: what can be done with pets, and by whom. */
export function createPetCatalogue({ access, pets, photos, photoStore, imaging, clock }: PetCatalogueNeeds) {
  /** Recognises pictures of ours in addresses that a client once got from us, so that they survive a change of host. */
  async function withOwnPhotos<T extends NamingPhotos>(pet: T): Promise<T> {
    return { ...pet, photoUrls: await Promise.all((pet.photoUrls ?? []).map(ownPhotoUrl)) };
  }

  async function ownPhotoUrl(url: string): Promise<string> {
    const digest = digestOfPhotoUrl(url);
    return digest !== undefined && (await photos.find(digest)) !== undefined ? asOwnPhoto(url) : url;
  }

  return {
    /** Stores a pet: a new one, or, as Petstore does, in the place of the one that has its id. */
    async addPet(
      actor: Actor,
      id: bigint | undefined,
      pet: PetDetails,
      precondition?: Precondition,
    ): Promise<StoredPet> {
      access(actor, 'write pets');
      const record = recordOf(mayNameOwnPhotos(pet) ? await withOwnPhotos(pet) : pet);
      return pets.apply({ kind: 'put', id, record, mustExist: false, precondition, stamp: stampOf(actor, clock()) });
    },

    /** @throws Failure `not-found`, `precondition-failed` */
    async replacePet(actor: Actor, id: bigint, pet: PetDetails, precondition?: Precondition): Promise<StoredPet> {
      access(actor, 'write pets');
      const record = recordOf(mayNameOwnPhotos(pet) ? await withOwnPhotos(pet) : pet);
      return pets.apply({ kind: 'put', id, record, mustExist: true, precondition, stamp: stampOf(actor, clock()) });
    },

    /** The pet, if it can be told at once; else it is to be got. */
    peekPet: (id: bigint): StoredPet | undefined => pets.peek(id),

    /** @throws Failure `not-found` */
    async getPet(actor: Actor, id: bigint): Promise<StoredPet> {
      const pet = await pets.find(id, lastWrittenBy(actor));
      if (pet === undefined) throw petNotFound();
      return pet;
    },

    listByStatus: (actor: Actor, statuses: readonly PetStatus[], part: ListPart) =>
      pets.listByStatus(statuses, { ...part, noOlderThan: lastWrittenBy(actor) }),

    listByTags: (actor: Actor, tagNames: readonly string[], part: ListPart) =>
      pets.listByTags(tagNames, { ...part, noOlderThan: lastWrittenBy(actor) }),

    /** Changes only what the edit speaks of: two edits of different fields both hold. @throws Failure `not-found`, `precondition-failed`, `invalid-input` */
    async editPet(actor: Actor, id: bigint, edit: PetEdit, precondition?: Precondition): Promise<StoredPet> {
      access(actor, 'write pets');
      const recognised = mayNameOwnPhotos(edit) ? await withOwnPhotos(edit) : edit;
      return pets.apply({ kind: 'edit', id, edit: recognised, precondition, stamp: stampOf(actor, clock()) });
    },

    /** @throws Failure `not-found`, `precondition-failed` */
    async removePet(actor: Actor, id: bigint, precondition?: Precondition): Promise<void> {
      access(actor, 'write pets');
      await pets.apply({ kind: 'remove', id, precondition, stamp: stampOf(actor, clock()) });
    },

    /**
     * Appends a picture to a pet: checked, upright, without metadata, on disk before the pet tells of it. A text that comes with it is what the
     * pet says of it from then on; without one, what it says already stays.
     *
     * @throws Failure `not-found`, `precondition-failed`, `unsupported-media-type`, `too-large`, `unavailable`
     */
    async addPhoto(
      actor: Actor,
      id: bigint,
      { file, alt }: { file: StagedUpload; alt?: string | undefined },
      precondition?: Precondition,
    ): Promise<StoredPet> {
      access(actor, 'write pets');
      if ((await pets.find(id)) === undefined) throw petNotFound();
      const { bytes, ...photo } = await imaging.prepare(file.source);
      await photoStore.put(photo.digest, bytes);
      const edit = { photo, ...(alt !== undefined && { alt: { digest: photo.digest, text: alt } }) };
      const pet = await pets.apply({ kind: 'edit', id, edit, precondition, stamp: stampOf(actor, clock()) });
      // An unused copy of this very picture may have been cleared away in between. From now on the pet protects it.
      if ((await photoStore.open(photo.digest)) === undefined) await photoStore.put(photo.digest, bytes);
      return pet;
    },
  };
}

interface NamingPhotos {
  photoUrls?: readonly string[] | undefined;
}

function mayNameOwnPhotos({ photoUrls = [] }: NamingPhotos): boolean {
  return photoUrls.some((url) => digestOfPhotoUrl(url) !== undefined);
}
