import type { PetChange, PutPet } from '../domain/pets/pet-change.ts';
import { petText, type PetStatus, type StoredPet } from '../domain/pets/pet.ts';
import type { Precondition } from '../domain/pets/precondition.ts';

/*
 * How changes of pets cross to the writer thread. Nearly all are puts, and cloning an array without names takes half the time that the
 * object takes; the text, which the sender has already, does not come back at all.
 */

type PackedPut = [
  id: bigint | undefined,
  textAfterId: string,
  status: PetStatus | null,
  tagNames: readonly string[],
  photoDigests: readonly string[],
  mustExist: boolean,
  precondition: Precondition | undefined,
  by: bigint | null,
];

export type PackedPetChange = PackedPut | Exclude<PetChange, PutPet>;

export type PackedPet = [id: bigint, version: bigint, text?: string];

export function pack(change: PetChange): PackedPetChange {
  if (change.kind !== 'put') return change;
  const { id, record, mustExist, precondition, by } = change;
  return [id, record.textAfterId, record.status, record.tagNames, record.photoDigests, mustExist, precondition, by];
}

export function unpack(packed: PackedPetChange): PetChange {
  if (!Array.isArray(packed)) return packed;
  const [id, textAfterId, status, tagNames, photoDigests, mustExist, precondition, by] = packed;
  return { kind: 'put', id, record: { textAfterId, status, tagNames, photoDigests }, mustExist, precondition, by };
}

export function unpackResult([id, version, text]: PackedPet, change: PetChange | undefined): StoredPet {
  return { id, version, text: text ?? (change?.kind === 'put' ? petText(id, change.record) : '') };
}
