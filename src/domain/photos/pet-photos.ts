import type { Access, Actor } from '../access.ts';
import { stampOf } from '../audit.ts';
import type { Clock } from '../ports.ts';
import { coverDigestIn, readPetText, type StoredPet } from '../pets/pet.ts';
import type { PetEdit } from '../pets/pet-change.ts';
import { digestOfOwnPhoto, type Photo } from './photo.ts';
import type { Imaging, PetStore, PhotoIndex, PhotoStore } from '../pets/ports.ts';
import type { Precondition } from '../pets/precondition.ts';

export interface PetPhotosNeeds {
  access: Access;
  pets: PetStore;
  photos: PhotoIndex;
  photoStore: PhotoStore;
  imaging: Imaging;
  clock: Clock;
}

/** A picture of ours, with what a pet says of it. */
export interface OwnPhoto {
  photo: Photo;
  alt: string | null;
}

/** A picture of a pet: one of ours, or an address somewhere else. */
export type PetPhoto = OwnPhoto | { url: string };

/** The picture that stands for a pet in lists: its first one. */
export interface PetCover extends OwnPhoto {
  petId: bigint;
}

export interface PetPhotoList {
  photos: readonly PetPhoto[];
  /** Not where a placeholder could not be made at this moment. */
  isComplete: boolean;
}

/** What PATCH changes of one picture; what is absent stays. */
export interface PetPhotoEdit {
  alt?: string | null | undefined;
  first?: true | undefined;
}

export type PetPhotos = ReturnType<typeof createPetPhotos>;

/** The pictures of one pet: shown with all that is known of them, arranged, described, taken away. */
export function createPetPhotos({ access, pets, photos, photoStore, imaging, clock }: PetPhotosNeeds) {
  const inTheMaking = new Map<string, Promise<string | null>>();

  /** Pictures of before there were placeholders get theirs when they are first asked for; once, however many ask. */
  function placeholderOf(photo: Photo): Promise<string | null> {
    const { digest, placeholder } = photo;
    const started = placeholder === null ? inTheMaking.get(digest) : Promise.resolve(placeholder);
    if (started !== undefined) return started;
    const making = makePlaceholder(photo)
      // The list is worth more than one placeholder: a busy moment, or a file that is not there, do not keep it back.
      .catch(() => null)
      .finally(() => inTheMaking.delete(digest));
    inTheMaking.set(digest, making);
    return making;
  }

  async function makePlaceholder(photo: Photo): Promise<string | null> {
    const { digest } = photo;
    const original = (await imaging.accepts(photo)) ? await photoStore.read(digest) : undefined;
    if (original === undefined) return null;
    const placeholder = await imaging.placeholder(original);
    await photos.apply({ kind: 'set-placeholder', digest, placeholder });
    return placeholder;
  }

  async function describe(petId: bigint, url: string): Promise<PetPhoto> {
    const digest = digestOfOwnPhoto(url);
    return (digest === undefined ? undefined : await describeOwn(petId, digest)) ?? { url };
  }

  async function describeOwn(petId: bigint, digest: string): Promise<OwnPhoto | undefined> {
    const [photo, alt] = await Promise.all([photos.find(digest), photos.findAlt({ petId, digest })]);
    return photo && { photo, alt };
  }

  function edit(actor: Actor, id: bigint, change: PetEdit, precondition?: Precondition): Promise<StoredPet> {
    access(actor, 'write pets');
    return pets.apply({ kind: 'edit', id, edit: change, precondition, stamp: stampOf(actor, clock()) });
  }

  return {
    /** The pictures of a pet in its order, as it was read a moment ago: what is told of them is as new, or newer. */
    async list(pet: StoredPet): Promise<PetPhotoList> {
      const described = await Promise.all(readPetText(pet.text).photoUrls.map((url) => describe(pet.id, url)));
      const complete: PetPhoto[] = [];
      // One after the other: a pet with many old pictures does not fill the queue.
      for (const each of described) {
        if ('url' in each) complete.push(each);
        else complete.push({ ...each, photo: { ...each.photo, placeholder: await placeholderOf(each.photo) } });
      }
      const isComplete = complete.every((each) => 'url' in each || each.photo.placeholder !== null);
      return { photos: complete, isComplete };
    },

    /**
     * The covers of these pets, in their order, of those that have one of ours; what is told of them is as new as the pets, or newer. All are asked for
     * together, and none is looked into: a placeholder that is not there yet stays null.
     */
    async covers(found: readonly StoredPet[]): Promise<readonly PetCover[]> {
      const covers = await Promise.all(
        found.map(async ({ id: petId, text }) => {
          const digest = coverDigestIn(text);
          const own = digest === undefined ? undefined : await describeOwn(petId, digest);
          return own && { petId, ...own };
        }),
      );
      return covers.filter((cover) => cover !== undefined);
    },

    /**
     * Gives the pictures that a pet has another order, and lets go of those that are not named.
     *
     * @throws Failure `not-found`, `precondition-failed`, `invalid-input`
     */
    arrange: (actor: Actor, id: bigint, names: readonly string[], precondition?: Precondition) =>
      edit(actor, id, { photos: { kind: 'arrange', names } }, precondition),

    /** @throws Failure `not-found`, `precondition-failed` */
    takeOff: (actor: Actor, { petId, digest }: { petId: bigint; digest: string }, precondition?: Precondition) =>
      edit(actor, petId, { photos: { kind: 'remove', digest } }, precondition),

    /** @throws Failure `not-found`, `precondition-failed` */
    revise: (
      actor: Actor,
      { petId, digest, alt, first }: { petId: bigint; digest: string } & PetPhotoEdit,
      precondition?: Precondition,
    ) => {
      // Nothing to be changed is a question whether the picture is there, which is answered as for any change.
      const change: PetEdit = {
        photos: { kind: first === true ? 'put-first' : 'keep', digest },
        ...(alt !== undefined && { alt: { digest, text: alt } }),
      };
      return edit(actor, petId, change, precondition);
    },
  };
}
