import type { Role } from '../../../domain/access.ts';
import type { Via } from '../../../domain/audit.ts';
import type { PetChange } from '../../../domain/pets/pet-change.ts';
import { petText, type PetStatus, type StoredPet } from '../../../domain/pets/pet.ts';
import type { Precondition } from '../../../domain/pets/precondition.ts';

/*
 * The form in which changes of pets are sent to the writer thread. Nearly all are puts, and cloning an array takes half
 * the time of cloning an object with names. The text is not sent back, because the sender has it.
 */

type PackedPut = [
  id: bigint | undefined,
  textAfterId: string,
  name: string,
  categoryName: string | null,
  status: PetStatus | null,
  tagNames: readonly string[],
  photoDigests: readonly string[],
  mustExist: boolean,
  precondition: Precondition | undefined,
  atMs: number,
  address: string | null,
  /** Undefined for an anonymous actor. */
  actor: PackedActor | undefined,
];

type PackedActor = [
  via: Via,
  actorId: bigint | null,
  actorName: string | null,
  actorRole: Role | null,
  credentialId: string | null,
];

/** Rare variants of puts are not packed. */
export type PackedPetChange = PackedPut | PetChange;

export type PackedPet = [id: bigint, version: bigint, text?: string];

export function pack(change: PetChange): PackedPetChange {
  const { stamp } = change;
  if (change.kind !== 'put' || change.mustBeNew || change.photo !== undefined || stamp.claim !== undefined)
    return change;
  const { id, record, mustExist, precondition } = change;
  const { textAfterId, name, categoryName, status, tagNames, photoDigests } = record;
  const { atMs, address, via, actorId, actorName, actorRole, credentialId } = stamp;
  const actor: PackedActor | undefined =
    via === 'anonymous' ? undefined : [via, actorId, actorName, actorRole, credentialId];
  return [
    id,
    textAfterId,
    name,
    categoryName,
    status,
    tagNames,
    photoDigests,
    mustExist,
    precondition,
    atMs,
    address,
    actor,
  ];
}

const ANONYMOUS: PackedActor = ['anonymous', null, null, null, null];

export function unpack(packed: PackedPetChange): PetChange {
  if (!Array.isArray(packed)) return packed;
  const [id, textAfterId, name, categoryName, status, tagNames, photoDigests, mustExist, precondition, ...stamped] =
    packed;
  const [atMs, address, actor] = stamped;
  const [via, actorId, actorName, actorRole, credentialId] = actor ?? ANONYMOUS;
  const stamp = { atMs, via, actorId, actorName, actorRole, credentialId, address };
  const record = { textAfterId, name, categoryName, status, tagNames, photoDigests };
  return { kind: 'put', id, record, mustExist, precondition, stamp };
}

export function unpackResult([id, version, text]: PackedPet, change: PetChange | undefined): StoredPet {
  return { id, version, text: text ?? (change?.kind === 'put' ? petText(id, change.record) : '') };
}
