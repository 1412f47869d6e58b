import type { Static } from 'typebox';
import { Failure, invalidInput, type FieldProblem } from '../domain/failure.ts';
import type { PetDetails } from '../domain/pets/pet.ts';
import type { PetEdit } from '../domain/pets/pet-change.ts';
import { createCheck } from './check.ts';
import { assignable, readId, readPet, readPetPatch } from './read-bodies.ts';
import { NOT_AN_OBJECT as message, SentCreate, SentDelete, SentPatch, SentUpdate } from './records/bulk.ts';

/* The lines of a bulk request. Each is a change, as in the operation for a single pet. */

const checks = {
  create: createCheck(SentCreate),
  update: createCheck(SentUpdate),
  patch: createCheck(SentPatch),
  delete: createCheck(SentDelete),
} as const;

const OPS = Object.keys(checks);

/** The entity tags are as in the headers If-Match and If-None-Match. */
interface Tags {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

export type BulkEntry = Tags &
  (
    | { op: 'create'; id: bigint | undefined; pet: PetDetails }
    | { op: 'update'; id: bigint; pet: PetDetails }
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

function readCreate(sent: Static<typeof SentCreate>): BulkEntry {
  const { id, pet } = within('/pet', () => readPet(sent.pet));
  return { op: 'create', id: assignable(id), pet, ...tagsOf(sent) };
}

function readUpdate(sent: Static<typeof SentUpdate>): BulkEntry {
  const { id: sentId, pet } = within('/pet', () => readPet(sent.pet));
  const id = assignable(sentId);
  if (id === undefined)
    throw invalidInput([{ path: '/pet/id', message: 'must be the positive ID of the pet to update' }]);
  return { op: 'update', id, pet, ...tagsOf(sent) };
}

function readPatch(sent: Static<typeof SentPatch>): BulkEntry {
  const id = requireId(sent.id);
  return { op: 'patch', id, edit: within('/patch', () => readPetPatch(sent.patch, id)), ...tagsOf(sent) };
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
