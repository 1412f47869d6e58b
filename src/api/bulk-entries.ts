import type { Static } from 'typebox';
import { Failure, invalidInput, type FieldProblem } from '../domain/failure.ts';
import type { PetDetails } from '../domain/pets/pet.ts';
import type { PetEdit } from '../domain/pets/pet-change.ts';
import type { Profile } from '../domain/pets/profile.ts';
import { createCheck } from './check.ts';
import { assignable, readId, readPet, readPetPatch } from './read-bodies.ts';
import { readProfile, readProfileEdit } from './read-profile.ts';
import { absent } from './records/fields.ts';
import { createSchema, NOT_AN_OBJECT as message, patchSchema, SentDelete, updateSchema } from './records/bulk.ts';
import type { SentPet } from './records/pet.ts';
import { SentProfile } from './records/profile.ts';

/* The lines of a bulk request. Each is a change, as in the operation for a single pet. */

const checks = {
  create: createCheck(createSchema(absent(SentProfile))),
  update: createCheck(updateSchema(absent(SentProfile))),
  patch: createCheck(patchSchema(absent(SentProfile))),
  delete: createCheck(SentDelete),
} as const;

const OPS = Object.keys(checks);

const PROFILE = '/profile';

/** The entity tags are as in the headers If-Match and If-None-Match. */
interface Tags {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/** Without a profile, that of an existing pet stays. */
type SentWhole = PetDetails & { profile: Profile | undefined };

export type BulkEntry = Tags &
  (
    | { op: 'create'; id: bigint | undefined; pet: SentWhole }
    | { op: 'update'; id: bigint; pet: SentWhole }
    | { op: 'patch'; id: bigint; edit: PetEdit }
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

function readCreate(sent: Static<ReturnType<typeof createSchema>>): BulkEntry {
  const { id, pet } = readWhole(sent);
  return { op: 'create', id: assignable(id), pet, ...tagsOf(sent) };
}

function readUpdate(sent: Static<ReturnType<typeof updateSchema>>): BulkEntry {
  const { id: sentId, pet } = readWhole(sent);
  const id = assignable(sentId);
  if (id === undefined)
    throw invalidInput([{ path: '/pet/id', message: 'must be the positive ID of the pet to update' }]);
  return { op: 'update', id, pet, ...tagsOf(sent) };
}

function readWhole({ pet: sent, profile }: { pet: SentPet; profile?: SentProfile | null }) {
  const { id, pet } = within('/pet', () => readPet(sent));
  return { id, pet: { ...pet, profile: profile ? within(PROFILE, () => readProfile(profile)) : undefined } };
}

function readPatch({ patch, profile, ...sent }: Static<ReturnType<typeof patchSchema>>): BulkEntry {
  const id = requireId(sent.id);
  const edit = within('/patch', () => readPetPatch(patch ?? {}, id));
  if (profile) edit.profile = { edit: within(PROFILE, () => readProfileEdit(profile)) };
  return { op: 'patch', id, edit, ...tagsOf(sent) };
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

/** Prefixes the paths of problems with the path of the part in the entry. */
function within<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Failure) || error.details.problems === undefined) throw error;
    throw invalidInput(error.details.problems.map((problem) => ({ ...problem, path: path + problem.path })));
  }
}
