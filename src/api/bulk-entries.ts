import type { Static } from 'typebox';
import { Failure, invalidInput, type FieldProblem } from '../domain/failure.ts';
import type { PetDetails } from '../domain/pets/pet.ts';
import type { PetEdit } from '../domain/pets/pet-change.ts';
import type { Profile } from '../domain/pets/profile.ts';
import { createStrictCheck } from './check.ts';
import { assignable, readId } from './read-bodies.ts';
import { readPet, readPetPatch } from './read-pet.ts';
import { readProfile, readProfileEdit } from './read-profile.ts';
import { NOT_AN_OBJECT as message, SentCreate, SentDelete, SentPatch, SentUpdate } from './records/bulk.ts';
import type { SentProfile } from './records/profile.ts';
import type { SentPet } from './records/sent-pet.ts';

/* The lines of a bulk request. Each is a change, as in the operation for a single pet. */

const checks = {
  create: createStrictCheck(SentCreate),
  update: createStrictCheck(SentUpdate),
  patch: createStrictCheck(SentPatch),
  delete: createStrictCheck(SentDelete),
} as const;

const OPS = Object.keys(checks);

/** Where a line has the profile, if not in the pet. */
const PROFILE = '/profile';

/** The entity tags are as in the headers If-Match and If-None-Match. */
interface Tags {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/** Without a profile, the profile of an existing pet stays. */
type SentWhole = PetDetails & { profile?: Profile };

interface WithProfile {
  /** The path of the object that has the profile. */
  profileIn: string;
}

export type BulkEntry = Tags &
  (
    | (WithProfile & { op: 'create'; id: bigint | undefined; pet: SentWhole })
    | (WithProfile & { op: 'update'; id: bigint; pet: SentWhole })
    | (WithProfile & { op: 'patch'; id: bigint; edit: PetEdit })
    | { op: 'delete'; id: bigint }
  );

/** @throws Failure `invalid-input` */
export function readBulkEntry(value: unknown): BulkEntry {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidInput([{ path: '', message }]);
  const named = 'op' in value ? value.op : undefined;
  if (named === 'create') return readCreate(checks.create(value));
  if (named === 'update') return readUpdate(checks.update(value));
  if (named === 'patch') return readPatch(checks.patch(value));
  if (named === 'delete') return readDelete(checks.delete(value));
  throw invalidInput([{ path: '/op', message: `must be one of ${OPS.join(', ')}` }]);
}

function readCreate(sent: Static<typeof SentCreate>): BulkEntry {
  const { id, ...whole } = readWhole(sent);
  return { op: 'create', id: assignable(id), ...whole, ...tagsOf(sent) };
}

function readUpdate(sent: Static<typeof SentUpdate>): BulkEntry {
  const { id: sentId, ...whole } = readWhole(sent);
  const id = assignable(sentId);
  if (id === undefined)
    throw invalidInput([{ path: '/pet/id', message: 'must be the positive ID of the pet to update' }]);
  return { op: 'update', id, ...whole, ...tagsOf(sent) };
}

function readWhole({ pet: sent, profile }: { pet: SentPet; profile?: SentProfile | null }) {
  const { id, pet } = within('/pet', () => readPet(sent));
  if (!profile) return { id, pet, profileIn: '/pet' };
  if (pet.profile !== undefined) throw twoProfiles();
  return { id, pet: { ...pet, profile: readProfile(profile, PROFILE) }, profileIn: '' };
}

function readPatch({ patch, profile, ...sent }: Static<typeof SentPatch>): BulkEntry {
  const id = requireId(sent.id);
  const edit = within('/patch', () => readPetPatch(patch ?? {}, id));
  const entry = { op: 'patch', id, edit, ...tagsOf(sent) } as const;
  if (!profile) return { ...entry, profileIn: '/patch' };
  if (edit.profile !== undefined) throw twoProfiles();
  edit.profile = { edit: readProfileEdit(profile, PROFILE) };
  return { ...entry, profileIn: '' };
}

function twoProfiles(): Failure {
  return invalidInput([{ path: PROFILE, message: 'must be in the pet or beside it, not in both places' }]);
}

function readDelete(sent: Static<typeof SentDelete>): BulkEntry {
  return { op: 'delete', id: requireId(sent.id), ...tagsOf(sent) };
}

function requireId(sent: number | string): bigint {
  const problems: FieldProblem[] = [];
  const id = readId(sent, '/id', problems);
  if (id === undefined) throw invalidInput(problems);
  return id;
}

function tagsOf(sent: { ifMatch?: string | null; ifNoneMatch?: string | null }): Tags {
  return { ifMatch: sent.ifMatch ?? undefined, ifNoneMatch: sent.ifNoneMatch ?? undefined };
}

function within<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw movedTo(path, error);
  }
}

/** An error with the paths of its problems prefixed with the path of the part in the entry. */
export function movedTo(path: string, error: unknown): unknown {
  if (!(error instanceof Failure) || error.details.problems === undefined) return error;
  return invalidInput(error.details.problems.map((problem) => ({ ...problem, path: path + problem.path })));
}
