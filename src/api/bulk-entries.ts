import { Type } from 'typebox';
import { FAILURE_STATUS, unexpectedSentence } from './answers.ts';
import { Failure, invalidInput, type FieldProblem } from '../domain/failure.ts';
import type { PetDetails } from '../domain/pets/pet.ts';
import type { PetEdit } from '../domain/pets/pet-change.ts';
import { createCheck } from './check.ts';
import { absent, SentInt64, SentPet, SentPetPatch, text } from './pet-schemas.ts';
import { assignable, readId, readPet, readPetPatch } from './read-bodies.ts';

/*
 * The lines of a bulk request, each of which is one change as in the operation for a single pet, and the lines of its response.
 */

const MAX_TAGS_LENGTH = 1000;

const op = <Op extends string>(name: Op) => Type.Literal(name, { description: 'What is to be done.' });
const ifMatch = { ifMatch: absent(text(MAX_TAGS_LENGTH)) };
const ifNoneMatch = { ifNoneMatch: absent(text(MAX_TAGS_LENGTH)) };
const message = 'must be a JSON object';

export const SentCreate = Type.Object(
  { op: op('create'), pet: SentPet, ...ifMatch, ...ifNoneMatch },
  { title: 'SentCreate', message },
);
export const SentUpdate = Type.Object({ op: op('update'), pet: SentPet, ...ifMatch }, { title: 'SentUpdate', message });
export const SentPatch = Type.Object(
  { op: op('patch'), id: SentInt64, patch: SentPetPatch, ...ifMatch },
  { title: 'SentPatch', message },
);
export const SentDelete = Type.Object(
  { op: op('delete'), id: SentInt64, ...ifMatch },
  { title: 'SentDelete', message },
);

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

function readCreate(sent: Type.Static<typeof SentCreate>): BulkEntry {
  const { id, pet } = within('/pet', () => readPet(sent.pet));
  return { op: 'create', id: assignable(id), pet, ...tagsOf(sent) };
}

function readUpdate(sent: Type.Static<typeof SentUpdate>): BulkEntry {
  const { id: sentId, pet } = within('/pet', () => readPet(sent.pet));
  const id = assignable(sentId);
  if (id === undefined)
    throw invalidInput([{ path: '/pet/id', message: 'must be the positive id of the pet to update' }]);
  return { op: 'update', id, pet, ...tagsOf(sent) };
}

function readPatch(sent: Type.Static<typeof SentPatch>): BulkEntry {
  const id = requireId(sent.id);
  return { op: 'patch', id, edit: within('/patch', () => readPetPatch(sent.patch, id)), ...tagsOf(sent) };
}

function readDelete(sent: Type.Static<typeof SentDelete>): BulkEntry {
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

/** Where in the entry a problem is, that was found in a part of it. */
function within<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Failure) || error.details.problems === undefined) throw error;
    throw invalidInput(error.details.problems.map((problem) => ({ ...problem, path: path + problem.path })));
  }
}

/** @param version of the pet; undefined if it was deleted */
export function bulkDoneText(line: number, id: bigint, version: bigint | undefined): string {
  const etag = version === undefined ? '' : `,"etag":"\\"${version}\\""`;
  return `{"line":${line},"status":200,"id":${id}${etag}}\n`;
}

export function bulkFailedText(line: number, { code, message, details }: Failure): string {
  return `${JSON.stringify({ line, status: FAILURE_STATUS[code], message, errors: details.problems })}\n`;
}

export function bulkUnexpectedText(line: number, requestId: string): string {
  return `${JSON.stringify({ line, status: 500, message: unexpectedSentence(requestId) })}\n`;
}
