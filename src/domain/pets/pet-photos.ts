import type { Access, Actor } from '../access.ts';
import { stampOf } from '../audit.ts';
import type { Clock } from '../ports.ts';
import { coverDigestIn, readPetText, type StoredPet } from './pet.ts';
import { petNotFound, type PetEdit } from './pet-change.ts';
import { digestOfOwnPhoto, type Photo, type PhotoOfPet } from '../photos/photo.ts';
import type { PetStore } from './ports.ts';
import type { Imaging, PhotoIndex, PhotoStore, StagedUpload } from '../photos/ports.ts';
import type { Precondition } from '../precondition.ts';

interface PetPhotosDeps {
  access: Access;
  pets: PetStore;
  photos: PhotoIndex;
  photoStore: PhotoStore;
  imaging: Imaging;
  clock: Clock;
}

/** A stored photo, and the alternative text that a pet has for it. */
export interface OwnPhoto {
  photo: Photo;
  alt: string | null;
}

/** A photo of a pet: a stored one, or an external URL. */
export type PetPhoto = OwnPhoto | { url: string };

/** The first photo of a pet, which represents it in lists. */
export interface PetCover extends OwnPhoto {
  petId: bigint;
}

interface PetPhotoList {
  photos: readonly PetPhoto[];
  /** False if a placeholder is missing and could not be created now. */
  isComplete: boolean;
}

/** A PATCH of one photo. Absent fields stay unchanged. */
export interface PetPhotoEdit {
  alt?: string | null | undefined;
  first?: true | undefined;
}

export class PetPhotos {
  readonly #deps: PetPhotosDeps;
  readonly #pendingPlaceholders = new Map<string, Promise<string | null>>();

  constructor(deps: PetPhotosDeps) {
    this.#deps = deps;
  }

  /** Lists the photos of a pet that was just read, in their order. Alternative texts may be newer than the pet. */
  async list(pet: StoredPet): Promise<PetPhotoList> {
    const described = await Promise.all(readPetText(pet.text).photoUrls.map((url) => this.#describe(pet.id, url)));
    const photos: PetPhoto[] = [];
    // Sequentially, so that a pet with many old photos does not fill the imaging queue.
    for (const each of described) {
      if ('url' in each) photos.push(each);
      else photos.push({ ...each, photo: { ...each.photo, placeholder: await this.#placeholderOf(each.photo) } });
    }
    const isComplete = photos.every((each) => 'url' in each || each.photo.placeholder !== null);
    return { photos, isComplete };
  }

  /**
   * Reads the covers of the pets whose first photo is a stored one, in one batch. Missing placeholders are not created.
   */
  async covers(pets: readonly StoredPet[]): Promise<readonly PetCover[]> {
    const covers = await Promise.all(
      pets.map(async ({ id: petId, text }) => {
        const digest = coverDigestIn(text);
        const own = digest === undefined ? undefined : await this.#describeOwn(petId, digest);
        return own && { petId, ...own };
      }),
    );
    return covers.filter((cover) => cover !== undefined);
  }

  /**
   * Checks an uploaded photo, rotates it upright, strips its metadata, stores it, and appends it to the pet. If the pet
   * already has the photo, `alt` replaces its alternative text.
   *
   * @throws Failure `not-found`, `precondition-failed`, `unsupported-media-type`, `too-large`, `unavailable`,
   *   `insufficient-storage`
   */
  async addPhoto(
    actor: Actor,
    id: bigint,
    { file, alt }: { file: StagedUpload; alt?: string | undefined },
    precondition?: Precondition,
  ): Promise<StoredPet> {
    const { pets, photoStore, imaging } = this.#deps;
    this.#requirePermission(actor);
    if ((await pets.find(id)) === undefined) throw petNotFound();
    const { bytes, ...photo } = await imaging.prepare(file.source);
    await photoStore.put(photo.digest, bytes);
    const edit = { photo, ...(alt !== undefined && { alt: { digest: photo.digest, text: alt } }) };
    const pet = await this.#edit(actor, id, edit, precondition);
    // An unused copy of the same photo may have been deleted meanwhile. From now on the pet refers to it.
    if ((await photoStore.open(photo.digest)) === undefined) await photoStore.put(photo.digest, bytes);
    return pet;
  }

  /**
   * Reorders the photos of a pet, and deletes those not listed.
   *
   * @param names digests or URLs of photos of the pet
   * @throws Failure `not-found`, `precondition-failed`, `invalid-input`
   */
  async arrange(actor: Actor, id: bigint, names: readonly string[], precondition?: Precondition): Promise<StoredPet> {
    return this.#edit(actor, id, { photos: { kind: 'arrange', names } }, precondition);
  }

  /** Deletes a photo from a pet. @throws Failure `not-found`, `precondition-failed` */
  async deletePhoto(actor: Actor, { petId, digest }: PhotoOfPet, precondition?: Precondition): Promise<StoredPet> {
    return this.#edit(actor, petId, { photos: { kind: 'remove', digest } }, precondition);
  }

  /** @throws Failure `not-found`, `precondition-failed` */
  async editPhoto(
    actor: Actor,
    { petId, digest, alt, first }: PhotoOfPet & PetPhotoEdit,
    precondition?: Precondition,
  ): Promise<StoredPet> {
    // Even an empty edit checks that the pet has the photo.
    const change: PetEdit = {
      photos: { kind: first === true ? 'put-first' : 'keep', digest },
      ...(alt !== undefined && { alt: { digest, text: alt } }),
    };
    return this.#edit(actor, petId, change, precondition);
  }

  #edit(actor: Actor, id: bigint, edit: PetEdit, precondition: Precondition | undefined): Promise<StoredPet> {
    const { pets, clock } = this.#deps;
    this.#requirePermission(actor);
    return pets.apply({ kind: 'edit', id, edit, precondition, stamp: stampOf(actor, clock()) });
  }

  #requirePermission(actor: Actor): void {
    this.#deps.access(actor, 'write pets');
  }

  async #describe(petId: bigint, url: string): Promise<PetPhoto> {
    const digest = digestOfOwnPhoto(url);
    return (digest === undefined ? undefined : await this.#describeOwn(petId, digest)) ?? { url };
  }

  async #describeOwn(petId: bigint, digest: string): Promise<OwnPhoto | undefined> {
    const { photos } = this.#deps;
    const [photo, alt] = await Promise.all([photos.find(digest), photos.findAlt({ petId, digest })]);
    return photo && { photo, alt };
  }

  /** Creates a missing placeholder (photos of earlier versions have none), once for concurrent requests. */
  #placeholderOf(photo: Photo): Promise<string | null> {
    const { digest, placeholder } = photo;
    if (placeholder !== null) return Promise.resolve(placeholder);
    const pending = this.#pendingPlaceholders.get(digest);
    if (pending !== undefined) return pending;
    const started = this.#createPlaceholder(photo)
      // A busy imaging queue or a missing file must not fail the whole list.
      .catch(() => null)
      .finally(() => this.#pendingPlaceholders.delete(digest));
    this.#pendingPlaceholders.set(digest, started);
    return started;
  }

  async #createPlaceholder(photo: Photo): Promise<string | null> {
    const { photos, photoStore, imaging } = this.#deps;
    const { digest } = photo;
    const original = (await imaging.accepts(photo)) ? await photoStore.read(digest) : undefined;
    if (original === undefined) return null;
    const placeholder = await imaging.placeholder(original);
    await photos.apply({ kind: 'set-placeholder', digest, placeholder });
    return placeholder;
  }
}
