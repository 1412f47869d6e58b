import type { PetAction, PetState } from '../../domain/pets/pet-change.ts';
import type { PetVersion, DeletedPet } from '../../domain/pets/pet-version.ts';
import { textWithoutLists, type StoredPet } from '../../domain/pets/pet.ts';
import type { Photo, PhotoMediaType } from '../../domain/photos/photo.ts';
import { statement } from './statements.ts';
import { nameOfStored } from './stored-names.ts';

/* Pets, their versions and their photos as rows of both engines. */

export type PetRow = [id: bigint, version: bigint, text: string, isDraft: bigint];

/** The ids of pets that were ever in use. */
export const USED_PET_IDS = {
  list: statement(
    'select id from pet where id >= $1 and id < $2 union all select id from removed_pet where id >= $1 and id < $2',
  ),
  count: statement(
    `select (select count(*) from pet where id >= $1 and id < $2) + (select count(*) from removed_pet where id >= $1 and id < $2)`,
  ),
};

export const PET_COLUMNS = 'id, version, text, is_draft';

export function toStoredPet([id, version, text, isDraft]: PetRow): StoredPet {
  return { id, version, text, isDraft: isDraft !== 0n };
}

/** A pet with its profile. */
export type PetStateRow = [...pet: PetRow, profileVersion: bigint, profile: string | null];

export const PET_STATE_COLUMNS = `${PET_COLUMNS}, profile_version, profile`;

export function toPetState([id, version, text, isDraft, profileVersion, profile]: PetStateRow): PetState {
  return { ...toStoredPet([id, version, text, isDraft]), profile: { version: profileVersion, text: profile } };
}

/** The columns of a version that are those of its pet. */
export const PET_OF_VERSION_COLUMNS = 'text, is_draft, profile_version, profile';

export type PetOfVersionRow = [text: string, isDraft: bigint, profileVersion: bigint, profile: string | null];

/** The pet in a version, for a change that is not applied again. */
export function toPetOfVersion(id: bigint, version: bigint, row: PetOfVersionRow | undefined): PetState {
  return toPetState([id, version, ...(row ?? (['', 0n, 0n, null] as const))]);
}

/** A pet as the writer thread of SQLite sends it: without an empty profile, as most pets have it. */
export type SentPetState = Omit<PetState, 'isDraft' | 'profile'> & Partial<Pick<PetState, 'isDraft' | 'profile'>>;

export type ProfileRow = [id: bigint, version: bigint, text: string];

/** The profiles of a list of pets. */
export const profilesOf = statement(
  (sql) =>
    `select id, profile_version, profile from pet where ${sql.isOneOf('id', '$1', 'int8')} and profile is not null`,
);

/** External ids are in a table of their own, so that a batch of changes may exchange them. */
export const ownersOfExternalIds = statement(
  (sql) => `select external_id, pet_id from pet_external_id where ${sql.isOneOf('external_id', '$1', 'text')}`,
);

/** A version of a pet, with the user name of the account that wrote it. */
export type PetVersionRow = [
  version: bigint,
  previous: bigint | null,
  storedAction: string,
  atMs: bigint,
  actorId: bigint | null,
  actorName: string | null,
  text: string | null,
  profile: string | null,
];

export function toPetVersion(row: PetVersionRow): PetVersion {
  const [version, previous, stored, atMs, actorId, name, text, profile] = row;
  const action = nameOfStored(stored) as PetAction;
  const actor = actorOf(actorId, name);
  return { version, previous: previous ?? undefined, action, atMs: Number(atMs), actor, text, profile };
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

/** The photos among these that a published pet or the organisation has. */
export const publicPhotos = statement(
  (sql) =>
    `select value from ${sql.each('$1', 'text')}
     where exists (select 1 from pet_photo join pet on pet.id = pet_id where digest = value and is_draft = 0)
       or exists (select 1 from site_record where kind = 'organisation' and photo = value)`,
);

export const PHOTO_COLUMNS = 'digest, media_type, byte_length, width, height, placeholder';

export function toPhoto([digest, mediaType, byteLength, width, height, placeholder]: PhotoRow): Photo {
  const size = { width: Number(width), height: Number(height) };
  return { digest, mediaType, byteLength: Number(byteLength), ...size, placeholder };
}
