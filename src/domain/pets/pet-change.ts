import type { Stamp } from '../audit.ts';
import { Failure, invalidInput } from '../failure.ts';
import {
  PET_LIMITS,
  petText,
  readPetText,
  recordOf,
  type Label,
  type PetDetails,
  type PetRecord,
  type PetStatus,
  type StoredPet,
} from './pet.ts';
import { digestOfOwnPhoto, ownPhoto, type Photo } from '../photos/photo.ts';
import { petHasNoSuchPhoto, withPhotosEdited, type PhotosEdit } from '../photos/photos-edit.ts';
import type { PhotoOfPet } from '../photos/photo.ts';
import { existsAlready, requirePrecondition, type Precondition } from './precondition.ts';

/** One change of one pet. A store applies it whole, or not at all. */
export type PetChange = PutPet | EditPet | RemovePet | RestorePet;

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

/** Makes a pet what it was, whether it is there or was removed. */
export interface RestorePet extends ChangeBase {
  kind: 'restore';
  id: bigint;
  /** One of the pet's versions; undefined for what it was before it was removed. */
  version: bigint | undefined;
}

/** What a restore is to bring back, as a store finds it at that moment. */
export interface PastPet {
  /** Null where the version is a removal. */
  text: string | null;
  /** The pictures of ours in it whose files are gone or going, and that the pet does not hold now. */
  lostPhotos: ReadonlySet<string>;
}

/** What is undefined stays as it is, null removes. */
export interface PetEdit {
  name?: string | undefined;
  status?: PetStatus | null | undefined;
  /** Merged into the category that is there, or into an empty one. */
  category?: LabelEdit | null | undefined;
  photoUrls?: readonly string[] | undefined;
  tags?: readonly Label[] | undefined;
  /** A picture to append; one that the pet has already is not appended again. */
  photo?: Photo | undefined;
  /** What the pet does with the pictures that it has. */
  photos?: PhotosEdit | undefined;
  /** What is to be said of one of its pictures, for those who do not see it; null takes it away. The text of the pet does not tell of it. */
  alt?: AltEdit | undefined;
}

export interface AltEdit {
  digest: string;
  text: string | null;
}

export interface LabelEdit {
  id?: bigint | null | undefined;
  name?: string | null | undefined;
}

/** How a version came to be, as the history tells it. */
export const PET_ACTIONS = ['added', 'replaced', 'edited', 'restored', 'removed'] as const;

export type PetAction = (typeof PET_ACTIONS)[number];

/** What a change comes to, given the pet as it is. */
export type PetDecision =
  | { kind: 'write'; action: PetAction; record: PetRecord; alt?: AltEdit }
  | { kind: 'remove'; current: StoredPet }
  | { kind: 'keep'; current: StoredPet };

export interface KnownToStore {
  /** What a restore asks for; undefined where there is no such version of this pet, or none that was removed. */
  past?: PastPet | undefined;
  /** What the pet says at that moment of the picture of `altEditOf`. */
  altNow?: string | null | undefined;
}

/**
 * Decides what a change does to the pet that a store holds at that moment. Every engine calls this inside its transaction, so the rule is one.
 *
 * @param known what only the store knows, where the change asks for it
 * @throws Failure `not-found`, `precondition-failed`, `invalid-input`, `conflict`
 */
export function decide(current: StoredPet | undefined, change: PetChange, known: KnownToStore = {}): PetDecision {
  if (change.kind === 'restore') return decideRestore(current, change, known.past);
  const mustExist = change.kind !== 'put' || change.mustExist;
  // RFC 9110, section 13.2.1: a precondition counts only where the request would succeed without it.
  if (current === undefined && mustExist) throw petNotFound();
  requirePrecondition(change.precondition, current?.version);
  if (change.kind === 'put' && change.mustBeNew && current !== undefined) throw existsAlready();
  if (current === undefined) return decideNew(change);
  if (change.kind === 'remove') return { kind: 'remove', current };
  if (change.kind === 'edit') return decideEdit(current, change.edit, known.altNow ?? null);
  return writeUnlessSame(current, change.record, 'replaced');
}

/** The picture that a change brings along. */
export function photoOf(change: PetChange): Photo | undefined {
  if (change.kind === 'put') return change.photo;
  return change.kind === 'edit' ? change.edit.photo : undefined;
}

/** The pictures of ours that a change itself names, and those that it brings along. */
export function photoDigestsOf(change: PetChange): readonly string[] {
  const brought = photoOf(change);
  const urls = change.kind === 'edit' ? (change.edit.photoUrls ?? []) : [];
  const named =
    change.kind === 'put'
      ? change.record.photoDigests
      : urls.map(digestOfOwnPhoto).filter((digest) => digest !== undefined);
  return brought === undefined ? named : [...named, brought.digest];
}

/** The picture of which a change is to say something else: what is said of it now, `decide` has to be told. */
export function altEditOf(change: PetChange): PhotoOfPet | undefined {
  const alt = change.kind === 'edit' ? change.edit.alt : undefined;
  return alt && { petId: (change as EditPet).id, digest: alt.digest };
}

/** @throws Failure `precondition-failed` where a new id is needed, and this one was in use by a pet that is no more */
export function demandNeverUsed(change: PetChange, wasRemoved: boolean): void {
  if (change.kind === 'put' && change.mustBeNew && wasRemoved) throw existsAlready();
}

export function petNotFound(): Failure {
  return new Failure('not-found', 'Pet not found');
}

export function versionNotFound(): Failure {
  return new Failure('not-found', 'Version not found');
}

function decideRestore(current: StoredPet | undefined, change: RestorePet, past: PastPet | undefined): PetDecision {
  if (change.version === undefined) {
    if (current !== undefined) throw new Failure('conflict', 'The pet is there: there is nothing to bring back.');
    if (past === undefined) throw petNotFound();
  }
  if (past === undefined) throw versionNotFound();
  if (past.text === null)
    throw new Failure('conflict', 'This version is the removal of the pet. Restore the one before it.');
  requirePrecondition(change.precondition, current?.version);
  const pet = readPetText(past.text);
  const photoUrls = pet.photoUrls.filter((url) => !past.lostPhotos.has(digestOfOwnPhoto(url) ?? ''));
  const record = recordOf({ ...pet, photoUrls });
  return current === undefined
    ? { kind: 'write', action: 'restored', record }
    : writeUnlessSame(current, record, 'restored');
}

function decideNew(change: PetChange): PetDecision {
  if (change.kind !== 'put') throw petNotFound();
  return { kind: 'write', action: 'added', record: change.record };
}

/** As RFC 7396 merges; then the picture is appended, and what the pet does with its pictures is done. */
function decideEdit(current: StoredPet, edit: PetEdit, altNow: string | null): PetDecision {
  const { alt } = edit;
  const record = recordOf(edited(readPetText(current.text), edit));
  if (alt === undefined) return writeUnlessSame(current, record, 'edited');
  if (!record.photoDigests.includes(alt.digest)) throw petHasNoSuchPhoto();
  // The text of the pet stays; yet it is another version, so that whoever has the pet by its ETag learns of it.
  if (alt.text !== altNow) return { kind: 'write', action: 'edited', record, alt };
  return writeUnlessSame(current, record, 'edited');
}

function edited(pet: PetDetails, edit: PetEdit): PetDetails {
  const status = merged(pet.status, edit.status);
  const category = merged(pet.category, edit.category && mergeLabel(pet.category, edit.category));
  const photoUrls = edit.photoUrls ?? pet.photoUrls;
  const withNew = edit.photo === undefined ? photoUrls : withPhoto(photoUrls, edit.photo);
  return {
    ...(category !== undefined && { category }),
    name: edit.name ?? pet.name,
    photoUrls: edit.photos === undefined ? withNew : withPhotosEdited(withNew, edit.photos),
    tags: edit.tags ?? pet.tags,
    ...(status !== undefined && { status }),
  };
}

function mergeLabel(label: Label = {}, edit: LabelEdit): Label {
  const id = merged(label.id, edit.id);
  const name = merged(label.name, edit.name);
  return { ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
}

function merged<T>(now: T | undefined, edit: T | null | undefined): T | undefined {
  return edit === undefined ? now : (edit ?? undefined);
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
