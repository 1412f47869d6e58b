import { lastWrittenBy, type Access, type Actor, type Permission } from '../access.ts';
import { stampOf, type Stamp } from '../audit.ts';
import type { Awaitable, Clock, ListPage } from '../ports.ts';
import { storedForms } from '../text.ts';
import { recordOf, type PetDetails, type PetStatus, type StoredPet } from './pet.ts';
import { petNotFound, type PetEdit, type PutPet } from './pet-change.ts';
import { asOwnPhoto, digestOfPhotoUrl } from '../photos/photo.ts';
import type { PetProfiles } from './pet-profiles.ts';
import type { PetStore } from './ports.ts';
import type { Profile } from './profile.ts';
import type { PhotoIndex } from '../photos/ports.ts';
import type { Precondition } from '../precondition.ts';

interface PetCatalogueDeps {
  access: Access;
  may: Permission;
  pets: PetStore;
  photos: PhotoIndex;
  profiles: Pick<PetProfiles, 'requireValid'>;
  clock: Clock;
}

/** A pet to store. Without a profile, the profile of an existing pet stays. */
interface PetWithProfile extends PetDetails {
  profile?: Profile | undefined;
}

/** Where a request has the profile of a pet, as a JSON Pointer. */
const PROFILE_PATH = '/profile';

export class PetCatalogue {
  readonly #deps: PetCatalogueDeps;

  constructor(deps: PetCatalogueDeps) {
    this.#deps = deps;
  }

  /**
   * Stores a pet. As in Petstore, it replaces an existing pet with the same id.
   *
   * @throws Failure `precondition-failed`, `invalid-input`; `conflict` if another pet has the external id
   */
  addPet(actor: Actor, id: bigint | undefined, pet: PetWithProfile, precondition?: Precondition): Promise<StoredPet> {
    return this.#put(actor, { id, pet, mustExist: false, precondition });
  }

  /**
   * @throws Failure `not-found`, `precondition-failed`, `invalid-input`; `conflict` if another pet has the external id
   */
  replacePet(actor: Actor, id: bigint, pet: PetWithProfile, precondition?: Precondition): Promise<StoredPet> {
    return this.#put(actor, { id, pet, mustExist: true, precondition });
  }

  /**
   * Synchronous if the store is, because a promise costs as much as the read itself.
   * @throws Failure `not-found`, also for a draft if the actor may not change pets
   */
  getPet(actor: Actor, id: bigint): Awaitable<StoredPet> {
    const pet = this.#deps.pets.find(id, lastWrittenBy(actor));
    return pet instanceof Promise ? pet.then((found) => this.#visible(actor, found)) : this.#visible(actor, pet);
  }

  listByStatus(actor: Actor, statuses: readonly PetStatus[], page: ListPage): Promise<readonly StoredPet[]> {
    return this.#deps.pets.listByStatus(statuses, this.#pageFor(actor, page));
  }

  listByTags(actor: Actor, tagNames: readonly string[], page: ListPage): Promise<readonly StoredPet[]> {
    return this.#deps.pets.listByTags(tagNames.flatMap(storedForms), this.#pageFor(actor, page));
  }

  /**
   * Changes only the fields of the edit, so that concurrent edits of different fields both take effect.
   *
   * @throws Failure `not-found`, `precondition-failed`, `invalid-input`; `conflict` if another pet has the external id
   */
  async editPet(actor: Actor, id: bigint, edit: PetEdit, precondition?: Precondition): Promise<StoredPet> {
    this.#deps.access(actor, 'write pets');
    if (edit.profile !== undefined) await this.#deps.profiles.requireValid(edit.profile, PROFILE_PATH);
    const resolved = mayNameOwnPhotos(edit) ? await this.#withOwnPhotos(edit) : edit;
    return this.#deps.pets.apply({ kind: 'edit', id, edit: resolved, precondition, stamp: this.#stampOf(actor) });
  }

  /** @throws Failure `not-found`, `precondition-failed` */
  async deletePet(actor: Actor, id: bigint, precondition?: Precondition): Promise<void> {
    this.#deps.access(actor, 'write pets');
    await this.#deps.pets.apply({ kind: 'delete', id, precondition, stamp: this.#stampOf(actor) });
  }

  async #put(
    actor: Actor,
    { pet, ...put }: Pick<PutPet, 'id' | 'mustExist' | 'precondition'> & { pet: PetWithProfile },
  ): Promise<StoredPet> {
    this.#deps.access(actor, 'write pets');
    const profile = pet.profile && { replacedBy: pet.profile };
    if (profile !== undefined) await this.#deps.profiles.requireValid(profile, PROFILE_PATH);
    const record = recordOf(mayNameOwnPhotos(pet) ? await this.#withOwnPhotos(pet) : pet);
    const stamp = this.#stampOf(actor);
    return this.#deps.pets.apply({ kind: 'put', ...put, record, ...(profile && { profile }), stamp });
  }

  /**
   * Replaces absolute URLs of stored photos, which clients send back, with the internal form, so that they survive a
   * change of the host name.
   */
  async #withOwnPhotos<T extends NamingPhotos>(pet: T): Promise<T> {
    return { ...pet, photoUrls: await Promise.all((pet.photoUrls ?? []).map((url) => this.#ownPhotoUrl(url))) };
  }

  async #ownPhotoUrl(url: string): Promise<string> {
    const digest = digestOfPhotoUrl(url);
    return digest !== undefined && (await this.#deps.photos.find(digest)) !== undefined ? asOwnPhoto(url) : url;
  }

  #pageFor(actor: Actor, page: ListPage): ListPage {
    return { ...page, noOlderThan: lastWrittenBy(actor), withDrafts: this.#deps.may(actor, 'write pets') };
  }

  #visible(actor: Actor, pet: StoredPet | undefined): StoredPet {
    if (pet === undefined || (pet.isDraft && !this.#deps.may(actor, 'write pets'))) throw petNotFound();
    return pet;
  }

  #stampOf(actor: Actor): Stamp {
    return stampOf(actor, this.#deps.clock());
  }
}

interface NamingPhotos {
  photoUrls?: readonly string[] | undefined;
}

function mayNameOwnPhotos({ photoUrls = [] }: NamingPhotos): boolean {
  return photoUrls.some((url) => digestOfPhotoUrl(url) !== undefined);
}
