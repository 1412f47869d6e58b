import type { PetAction } from '../../domain/pets/pet-change.ts';
import type { PetVersion, DeletedPet } from '../../domain/pets/pet-version.ts';
import { textWithoutLists, type StoredPet } from '../../domain/pets/pet.ts';
import type { Photo, PhotoMediaType } from '../../domain/photos/photo.ts';
import { statement } from './statements.ts';
import { nameOfStored } from './stored-names.ts';

/* Pets, their versions and their photos as rows of both engines. */

export type PetRow = [id: bigint, version: bigint, text: string];

/** The ids of pets that were ever in use. */
export const USED_PET_IDS = {
  list: statement(
    'select id from pet where id >= $1 and id < $2 union all select id from removed_pet where id >= $1 and id < $2',
  ),
  count: statement(
    `select (select count(*) from pet where id >= $1 and id < $2) + (select count(*) from removed_pet where id >= $1 and id < $2)`,
  ),
};

export const PET_COLUMNS = 'id, version, text';

export function toStoredPet([id, version, text]: PetRow): StoredPet {
  return { id, version, text };
}

/** A version of a pet, with the user name of the account that wrote it. */
export type PetVersionRow = [
  version: bigint,
  previous: bigint | null,
  storedAction: string,
  atMs: bigint,
  actorId: bigint | null,
  actorName: string | null,
  text: string | null,
];

export function toPetVersion([version, previous, stored, atMs, actorId, name, text]: PetVersionRow): PetVersion {
  const action = nameOfStored(stored) as PetAction;
  return { version, previous: previous ?? undefined, action, atMs: Number(atMs), actor: actorOf(actorId, name), text };
}

/** A deletion, with the beginning and the end of the last text. */
export type DeletionRow = [
  version: bigint,
  atMs: bigint,
  actorId: bigint | null,
  actorName: string | null,
  head: string,
  end: string,
];

export function toDeletedPet([version, atMs, actorId, name, head, end]: DeletionRow): DeletedPet {
  return { version, atMs: Number(atMs), actor: actorOf(actorId, name), text: textWithoutLists(head, end) };
}

function actorOf(id: bigint | null, name: string | null): { id: bigint; name: string | null } | undefined {
  return id === null ? undefined : { id, name };
}

export type PhotoRow = [
  digest: string,
  mediaType: PhotoMediaType,
  byteLength: bigint,
  width: bigint,
  height: bigint,
  placeholder: string | null,
];

export const PHOTO_COLUMNS = 'digest, media_type, byte_length, width, height, placeholder';

export function toPhoto([digest, mediaType, byteLength, width, height, placeholder]: PhotoRow): Photo {
  const size = { width: Number(width), height: Number(height) };
  return { digest, mediaType, byteLength: Number(byteLength), ...size, placeholder };
}
