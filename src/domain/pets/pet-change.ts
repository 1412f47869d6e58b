import type { Stamp } from '../audit.ts';
import { Failure, invalidInput } from '../failure.ts';
import { PET_LIMITS, petText, readPetText, recordOf, type PetRecord, type PetStatus, type StoredPet } from './pet.ts';
import { digestOfOwnPhoto, ownPhoto, type Photo } from './photo.ts';
import { demand, existsAlready, type Precondition } from './precondition.ts';

/** One change of one pet. A store applies it whole, or not at all. */
export type PetChange = PutPet | EditPet | RemovePet;

interface ChangeBase {
  precondition?: Precondition | undefined;
  stamp: Stamp;
}

/** Stores a pet under its id, or under a new one where the id is absent. With `mustExist`, only in the place of an existing pet. */
export interface PutPet extends ChangeBase {
  kind: 'put';
  id: bigint | undefined;
  record: PetRecord;
  mustExist: boolean;
  /** Only under an id that was never in use, not even by a pet that is no more: else `precondition-failed`. */
  mustBeNew?: true;
  /** A picture that the record refers to, and that is entered with it. */
  photo?: Photo;
}

/** Changes the given fields of an existing pet, and leaves the others alone. */
export interface EditPet extends ChangeBase {
  kind: 'edit';
  id: bigint;
  edit: PetEdit;
}

export interface RemovePet extends ChangeBase {
  kind: 'remove';
  id: bigint;
}

export interface PetEdit {
  name?: string | undefined;
  status?: PetStatus | undefined;
  /** A picture to append; one that the pet has already is not appended again. */
  photo?: Photo | undefined;
}

/** How a version came to be, as the history tells it. */
export type PetAction = 'added' | 'replaced' | 'edited' | 'removed';

/** What a change comes to, given the pet as it is. */
export type PetDecision =
  | { kind: 'write'; action: PetAction; record: PetRecord }
  | { kind: 'remove'; current: StoredPet }
  | { kind: 'keep'; current: StoredPet };

/**
 * Decides what a change does to the pet that a store holds at that moment. Every engine calls this inside its transaction, so the rule is one.
 *
 * @throws Failure `not-found`, `precondition-failed`, `invalid-input`
 */
export function decide(current: StoredPet | undefined, change: PetChange): PetDecision {
  const mustExist = change.kind !== 'put' || change.mustExist;
  // RFC 9110, section 13.2.1: a precondition counts only where the request would succeed without it.
  if (current === undefined && mustExist) throw petNotFound();
  demand(change.precondition, current?.version);
  if (change.kind === 'put' && change.mustBeNew && current !== undefined) throw existsAlready();
  if (current === undefined) return decideNew(change);
  if (change.kind === 'remove') return { kind: 'remove', current };
  if (change.kind === 'edit') return decideEdit(current, change.edit);
  return writeUnlessSame(current, change.record, 'replaced');
}

/** The picture that a change brings along. */
export function photoOf(change: PetChange): Photo | undefined {
  if (change.kind === 'put') return change.photo;
  return change.kind === 'edit' ? change.edit.photo : undefined;
}

/** @throws Failure `precondition-failed` where a new id is needed, and this one was in use by a pet that is no more */
export function demandNeverUsed(change: PetChange, wasRemoved: boolean): void {
  if (change.kind === 'put' && change.mustBeNew && wasRemoved) throw existsAlready();
}

export function petNotFound(): Failure {
  return new Failure('not-found', 'Pet not found');
}

function decideNew(change: PetChange): PetDecision {
  if (change.kind !== 'put') throw petNotFound();
  return { kind: 'write', action: 'added', record: change.record };
}

function decideEdit(current: StoredPet, { name, status, photo }: PetEdit): PetDecision {
  const pet = readPetText(current.text);
  const photoUrls = photo === undefined ? pet.photoUrls : withPhoto(pet.photoUrls, photo);
  const edited = { ...pet, name: name ?? pet.name, photoUrls, ...(status !== undefined && { status }) };
  return writeUnlessSame(current, recordOf(edited), 'edited');
}

function withPhoto(photoUrls: readonly string[], photo: Photo): readonly string[] {
  if (photoUrls.some((url) => digestOfOwnPhoto(url) === photo.digest)) return photoUrls;
  if (photoUrls.length >= PET_LIMITS.photoUrls) {
    throw invalidInput([
      { path: '/photoUrls', message: `already holds ${PET_LIMITS.photoUrls} pictures; remove one first` },
    ]);
  }
  return [...photoUrls, ownPhoto(photo.digest)];
}

/** A change that changes nothing makes no version: the ETag stays, and nobody is told. */
function writeUnlessSame(current: StoredPet, record: PetRecord, action: PetAction): PetDecision {
  const same = current.text === petText(current.id, record);
  return same ? { kind: 'keep', current } : { kind: 'write', action, record };
}
