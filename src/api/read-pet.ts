import { invalidInput, type FieldProblem } from '../domain/failure.ts';
import { PET_LIMITS, type Label, type PetDetails } from '../domain/pets/pet.ts';
import type { LabelEdit, PetEdit } from '../domain/pets/pet-change.ts';
import type { Profile } from '../domain/pets/profile.ts';
import { canonicalText } from '../domain/text.ts';
import { isThere, readId } from './read-bodies.ts';
import { readProfile, readProfileEdit } from './read-profile.ts';
import type { SentPet, SentPetForm, SentPetPatch } from './records/sent-pet.ts';

/*
 * Converts pets in bodies, in which tags may be strings, to domain objects. The bodies have passed their schemas; rules
 * that a schema cannot express are checked here.
 */

/** Where a body has the profile, as a JSON Pointer. */
const PROFILE_PATH = '/profile';

const NOT_IN_FORMS = 'must be sent as JSON, with PATCH /v2/pet/{petId}';

/** Without a profile, the profile of an existing pet stays. */
type ReadPet = PetDetails & { profile?: Profile };

/** @throws Failure `invalid-input` */
export function readPet({ id, category, name, photoUrls, tags, status, profile }: SentPet): {
  id: bigint | undefined;
  pet: ReadPet;
} {
  const problems: FieldProblem[] = [];
  const read = {
    id: readId(id, '/id', problems),
    pet: {
      ...(isThere(category) && { category: readLabel(category, '/category', problems) }),
      name: readName(name, '/name', problems),
      photoUrls: photoUrls ?? [],
      tags: readTags(tags ?? [], problems),
      ...(isThere(status) && { status }),
      ...(isThere(profile) && { profile: readProfile(profile, PROFILE_PATH) }),
    },
  };
  if (problems.length > 0) throw invalidInput(problems);
  return read;
}

/**
 * A merge patch of the pet with this id.
 *
 * @throws Failure `invalid-input`
 */
export function readPetPatch(sent: SentPetPatch, ofId: bigint): PetEdit {
  const { id, category, name, photoUrls, tags, status, profile } = sent;
  const problems: FieldProblem[] = [];
  const edit: PetEdit = {
    category: category && readLabelEdit(category, problems),
    name: name === undefined ? undefined : readName(name, '/name', problems),
    // A pet always has its lists: null empties them.
    photoUrls: photoUrls === null ? [] : photoUrls,
    tags: tags === undefined ? undefined : readTags(tags ?? [], problems),
    status,
    ...(profile && { profile: { edit: readProfileEdit(profile, PROFILE_PATH) } }),
  };
  const sentId = readId(id, '/id', problems);
  if (sentId !== undefined && sentId !== ofId)
    problems.push({
      path: '/id',
      message: 'must be omitted or equal to the ID in the path; the ID of a pet never changes',
    });
  if (problems.length > 0) throw invalidInput(problems);
  return edit;
}

function readLabelEdit({ id, name }: SentLabel, problems: FieldProblem[]): LabelEdit {
  return {
    id: id === null ? null : readId(id, '/category/id', problems),
    name: isThere(name) ? readName(name, '/category/name', problems) : name,
  };
}

function readTags(tags: readonly (string | SentLabel)[], problems: FieldProblem[]): readonly Label[] {
  return tags.map((tag, index) => readLabel(typeof tag === 'string' ? { name: tag } : tag, `/tags/${index}`, problems));
}

/** Omitted and empty fields are unchanged. @throws Failure `invalid-input` */
export function readPetForm({ name, status, ...others }: SentPetForm): PetEdit {
  const problems = profilesIn(others);
  const edit = {
    name: name === '' || name === undefined ? undefined : readName(name, '/name', problems),
    status: status === '' ? undefined : status,
  };
  if (problems.length > 0) throw invalidInput(problems);
  return edit;
}

/** `profile`, `profile[isPublished]` and `profile.isPublished`: clients differ in how they write nested fields. */
function profilesIn(fields: Readonly<Record<string, unknown>>): FieldProblem[] {
  const isSent = Object.entries(fields).some(([name, value]) => /^profile(?![^.[])/.test(name) && value !== '');
  return isSent ? [{ path: PROFILE_PATH, message: NOT_IN_FORMS }] : [];
}

/**
 * A few characters have a longer form in NFC, such as some of Hebrew. A name, a category and a tag have the same
 * maximum length.
 */
function readName(sent: string, path: string, problems: FieldProblem[]): string {
  const name = canonicalText(sent);
  const { nameLength } = PET_LIMITS;
  if (name.length > nameLength && Array.from(name).length > nameLength)
    problems.push({ path, message: `must have at most ${nameLength} characters in Unicode normalization form C` });
  return name;
}

interface SentLabel {
  id?: number | string | null;
  name?: string | null;
}

function readLabel({ id, name }: SentLabel, path: string, problems: FieldProblem[]): Label {
  const labelId = readId(id, `${path}/id`, problems);
  return {
    ...(labelId !== undefined && { id: labelId }),
    ...(isThere(name) && { name: readName(name, `${path}/name`, problems) }),
  };
}
