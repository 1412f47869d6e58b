import type { StoredPet } from '../../../domain/pets/pet.ts';
import type { PetChange } from '../../../domain/pets/pet-change.ts';
import type { CommonWrites } from '../../rows/writes.ts';

/** The kinds of changes, and the result of each. */
export interface Writes extends CommonWrites {
  pet: { change: PetChange; result: StoredPet };
}

export type WriteKind = keyof Writes;
