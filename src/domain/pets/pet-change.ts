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
import { existsAlready, requirePrecondition, type Precondition } from '../precondition.ts';
import {
  changedProfile,
  EMPTY_PROFILE,
  profileRecordOf,
  readProfileText,
  type ProfileChange,
  type ProfileRecord,
  type StoredProfile,
} from './profile.ts';

/** A change of one pet, which stores apply atomically. */
export type PetChange = PutPet | EditPet | DeletePet | RestorePet;

interface ChangeBase {
  precondition?: Precondition | undefined;
  stamp: Stamp;
}

/**
 * Stores a pet under this id, or under a new one if it is undefined. With `mustExist`, it must replace an existing pet.
 */
export interface PutPet extends ChangeBase {
  kind: 'put';
  id: bigint | undefined;
  record: PetRecord;
  mustExist: boolean;
  /** The id must never have been used, not even by a deleted pet; otherwise `precondition-failed`. */
  mustBeNew?: true;
  /** Undefined to leave the profile unchanged. */
  profile?: ProfileChange | undefined;
  /** A new photo that the record refers to. Its index entry is written in the same transaction. */
  photo?: Photo;
}

/** Changes the given fields of an existing pet. */
export interface EditPet extends ChangeBase {
  kind: 'edit';
  id: bigint;
  edit: PetEdit;
  profilePrecondition?: Precondition | undefined;
}

export interface DeletePet extends ChangeBase {
  kind: 'delete';
  id: bigint;
}

/** Restores a version of a pet, which may be deleted. */
export interface RestorePet extends ChangeBase {
  kind: 'restore';
  id: bigint;
  /** Undefined for the last version of a deleted pet. */
  version: bigint | undefined;
}

/** The version to restore, as the store reads it in the transaction. */
export interface PastPet {
  /** Null if the version is a deletion. */
  text: string | null;
  /** JSON; null for an empty profile. */
  profile: string | null;
  /** Stored photos of the version that the pet does not refer to now, and whose files are deleted or about to be. */
  lostPhotos: ReadonlySet<string>;
}

/** Undefined fields stay unchanged; null deletes a field. */
export interface PetEdit {
  name?: string | undefined;
  status?: PetStatus | null | undefined;
  /** Merged into the current category, or into an empty one. */
  category?: LabelEdit | null | undefined;
  photoUrls?: readonly string[] | undefined;
  tags?: readonly Label[] | undefined;
  /** A photo to append, unless the pet already has it. */
  photo?: Photo | undefined;
  photos?: PhotosEdit | undefined;
  /** The alternative text of one photo, or null to delete it. It is not part of the text of the pet. */
  alt?: AltEdit | undefined;
  profile?: ProfileChange | undefined;
}

export interface AltEdit {
  digest: string;
  text: string | null;
}

export interface LabelEdit {
  id?: bigint | null | undefined;
  name?: string | null | undefined;
}

export const PET_ACTIONS = ['added', 'replaced', 'edited', 'restored', 'deleted'] as const;

export type PetAction = (typeof PET_ACTIONS)[number];

/** A pet with its profile: the state that a change begins with, and leads to. */
export interface PetState extends StoredPet {
  profile: StoredProfile;
}

/** The effect of a change on the current pet. */
export type PetDecision = WritePet | { kind: 'delete'; current: PetState } | { kind: 'keep'; current: PetState };

export interface WritePet {
  kind: 'write';
  action: PetAction;
  record: PetRecord;
  /** Undefined if it stays unchanged. */
  profile: ProfileRecord | undefined;
  alt?: AltEdit;
}

/** Data that `decide` needs, as the store reads it in the transaction. */
interface DecisionContext {
  /** The version to restore; undefined if it does not exist. */
  past?: PastPet | undefined;
  /** The current alternative text of the photo of `altEditOf`. */
  currentAlt?: string | null | undefined;
}

/**
 * Decides the effect of a change on the current pet. Every engine calls it inside its transaction, so that all follow
 * the same rules.
 *
 * @throws Failure `not-found`, `precondition-failed`, `invalid-input`, `conflict`
 */
export function decide(current: PetState | undefined, change: PetChange, context: DecisionContext = {}): PetDecision {
  if (change.kind === 'restore') return decideRestore(current, change, context.past);
  const mustExist = change.kind !== 'put' || change.mustExist;
  // RFC 9110, section 13.2.1: a precondition is evaluated only if the request would succeed without it.
  if (current === undefined && mustExist) throw petNotFound();
  requirePrecondition(change.precondition, current?.version);
  if (change.kind === 'put' && change.mustBeNew && current !== undefined) throw existsAlready();
  if (current === undefined) return decideNew(change);
  if (change.kind === 'delete') return { kind: 'delete', current };
  if (change.kind === 'put') return writeUnlessSame(current, change, 'replaced');
  requirePrecondition(change.profilePrecondition, current.profile.version);
  return decideEdit(current, change.edit, context.currentAlt ?? null);
}

/** The new photo of a change. */
export function photoOf(change: PetChange): Photo | undefined {
  if (change.kind === 'put') return change.photo;
  return change.kind === 'edit' ? change.edit.photo : undefined;
}

/** The digests of the stored photos that a change refers to, including its new photo. */
export function photoDigestsOf(change: PetChange): readonly string[] {
  const added = photoOf(change);
  const urls = change.kind === 'edit' ? (change.edit.photoUrls ?? []) : [];
  const named =
    change.kind === 'put'
      ? change.record.photoDigests
      : urls.map(digestOfOwnPhoto).filter((digest) => digest !== undefined);
  return added === undefined ? named : [...named, added.digest];
}

/** The photo whose alternative text a change edits: `decide` needs the current text. */
export function altEditOf(change: PetChange): PhotoOfPet | undefined {
  const alt = change.kind === 'edit' ? change.edit.alt : undefined;
  return alt && { petId: (change as EditPet).id, digest: alt.digest };
}

/** @throws Failure `precondition-failed` if the change requires a new id, and a deleted pet used this one */
export function requireNeverUsed(change: PetChange, wasDeleted: boolean): void {
  if (change.kind === 'put' && change.mustBeNew && wasDeleted) throw existsAlready();
}

export function petNotFound(): Failure {
  return new Failure('not-found', 'Pet not found');
}

export function versionNotFound(): Failure {
  return new Failure('not-found', 'Version not found');
}

function decideRestore(current: PetState | undefined, change: RestorePet, past: PastPet | undefined): PetDecision {
  if (change.version === undefined) {
    if (current !== undefined) throw new Failure('conflict', 'The pet is not deleted.');
    if (past === undefined) throw petNotFound();
  }
  if (past === undefined) throw versionNotFound();
  if (past.text === null)
    throw new Failure('conflict', 'This version is the deletion of the pet. Restore the version before it.');
  requirePrecondition(change.precondition, current?.version);
  const pet = readPetText(past.text);
  const photoUrls = pet.photoUrls.filter((url) => !past.lostPhotos.has(digestOfOwnPhoto(url) ?? ''));
  const record = recordOf({ ...pet, photoUrls });
  const profile = { replacedBy: readProfileText(past.profile), isExact: true } as const;
  if (current === undefined) return newPet('restored', record, profile);
  return writeUnlessSame(current, { record, profile }, 'restored');
}

function decideNew(change: PetChange): PetDecision {
  if (change.kind !== 'put') throw petNotFound();
  return newPet('added', change.record, change.profile);
}

function newPet(action: PetAction, record: PetRecord, change: ProfileChange | undefined): PetDecision {
  const profile = change && profileAfter(EMPTY_PROFILE, change);
  return { kind: 'write', action, record, profile };
}

/** Undefined if a change leaves the profile as it is. */
function profileAfter(current: StoredProfile, change: ProfileChange): ProfileRecord | undefined {
  const record = profileRecordOf(changedProfile(readProfileText(current.text), change));
  return record.text === current.text ? undefined : record;
}

/** Applies the fields as a merge patch (RFC 7396), then appends the new photo, then edits the photos. */
function decideEdit(current: PetState, edit: PetEdit, currentAlt: string | null): PetDecision {
  const { alt, profile } = edit;
  const record = recordOf(edited(readPetText(current.text), edit));
  if (alt === undefined) return writeUnlessSame(current, { record, profile }, 'edited');
  if (!record.photoDigests.includes(alt.digest)) throw petHasNoSuchPhoto();
  // The text of the pet stays the same, but a new version changes its ETag.
  if (alt.text !== currentAlt) return { kind: 'write', action: 'edited', record, profile: undefined, alt };
  return writeUnlessSame(current, { record, profile }, 'edited');
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
      { path: '/photoUrls', message: `already has ${PET_LIMITS.photoUrls} photos; delete one first` },
    ]);
  }
  return [...photoUrls, ownPhoto(photo.digest)];
}

/** A change without effect creates no version: the ETag stays the same, and no event is published. */
function writeUnlessSame(
  current: PetState,
  change: { record: PetRecord; profile?: ProfileChange | undefined },
  action: PetAction,
): PetDecision {
  const { record } = change;
  const profile = change.profile && profileAfter(current.profile, change.profile);
  const isSame = profile === undefined && current.text === petText(current.id, record);
  return isSame ? { kind: 'keep', current } : { kind: 'write', action, record, profile };
}

/** The external id that a pet has after a write, if the write gives it a new one. */
export function newExternalId({ profile }: WritePet): string | undefined {
  return profile?.externalId ?? undefined;
}

/** @throws Failure `conflict` if another pet has the external id */
export function requireFreeExternalId(externalId: string, owner: bigint | undefined, id: bigint | undefined): void {
  if (owner === undefined || owner === id) return;
  throw new Failure('conflict', `Pet ${owner} already has the externalId ${JSON.stringify(externalId)}.`);
}

/** Whether a write publishes a draft, which is its addition to the catalogue that everyone sees. */
export function isPublished(current: Pick<PetState, 'isDraft'> | undefined, { isDraft }: PetState): boolean {
  return current?.isDraft === true && !isDraft;
}

export function writtenPet(
  current: Pick<PetState, 'isDraft' | 'profile'> | undefined,
  { record, profile }: WritePet,
  { id, version }: { id: bigint; version: bigint },
): PetState {
  const before = current ?? { isDraft: false, profile: EMPTY_PROFILE };
  return {
    id,
    version,
    text: petText(id, record),
    isDraft: profile?.isDraft ?? before.isDraft,
    profile: profile === undefined ? before.profile : { version, text: profile.text },
  };
}
