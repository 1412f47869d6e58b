import type { Failure } from '../../domain/failure.ts';
import { recordText } from './record-text.ts';
import { FAILURE_STATUS, unexpectedSentence } from './response-texts.ts';
import * as Type from './type.ts';
import { errors } from './api-response.ts';
import { absent, exactly, int64, SentInt64, text } from './fields.ts';
import { SentProfile, SentProfilePatch } from './profile.ts';
import { SentPet, SentPetPatch } from './sent-pet.ts';

/*
 * The lines of a bulk request and of its response.
 */

const MAX_TAGS_LENGTH = 1000;

const op = <Op extends string>(name: Op) => Type.Literal(name);
const ifMatch = { ifMatch: absent(text(MAX_TAGS_LENGTH)) };
const ifNoneMatch = { ifNoneMatch: absent(text(MAX_TAGS_LENGTH)) };
export const NOT_AN_OBJECT = 'must be a JSON object';
const message = NOT_AN_OBJECT;

export const SentCreate = Type.Object(
  { op: op('create'), pet: SentPet, profile: absent(SentProfile), ...ifMatch, ...ifNoneMatch },
  { title: 'SentCreate', message },
);
export const SentUpdate = Type.Object(
  { op: op('update'), pet: SentPet, profile: absent(SentProfile), ...ifMatch },
  { title: 'SentUpdate', message },
);
export const SentPatch = Type.Object(
  {
    op: op('patch'),
    id: SentInt64,
    patch: Type.Optional(SentPetPatch),
    profile: absent(SentProfilePatch),
    ...ifMatch,
  },
  { title: 'SentPatch', message },
);
export const SentDelete = Type.Object(
  { op: op('delete'), id: SentInt64, ...ifMatch },
  { title: 'SentDelete', message },
);

/** One line of a bulk request. */
export const SentBulkEntry = Type.Union([SentCreate, SentUpdate, SentPatch, SentDelete], { title: 'SentBulkEntry' });
export type SentBulkEntry = Type.Static<typeof SentBulkEntry>;

const line = Type.Unsafe<number>({
  type: 'integer',
  format: 'int32',
  minimum: 1,
  description: 'The number of the line of the request, from 1.',
});
const status = Type.Unsafe<number>({
  type: 'integer',
  format: 'int32',
  minimum: 200,
  maximum: 599,
  description: 'The status that the operation alone would have.',
});

const BulkDone = Type.Object(
  {
    line,
    status,
    id: int64('The id of the pet.'),
    etag: Type.Optional(Type.String({ description: 'The current entity tag of the pet.' })),
  },
  exactly('BulkDone'),
);
type BulkDone = Type.Static<typeof BulkDone>;

const BulkFailed = Type.Object(
  { line, status, message: Type.String({ description: 'One clear sentence.' }), errors },
  exactly('BulkFailed'),
);
type BulkFailed = Type.Static<typeof BulkFailed>;

/** One line of the response to a bulk request. */
export const BulkResult = Type.Union([BulkDone, BulkFailed], { title: 'BulkResult' });
export type BulkResult = Type.Static<typeof BulkResult>;

/** @param version of the pet; undefined if it was deleted */
export function bulkDoneText(line: number, id: bigint, version: bigint | undefined): string {
  const etag = version === undefined ? undefined : `"${version}"`;
  return `${recordText<BulkDone>({ line, status: 200, id, etag })}\n`;
}

export function bulkFailedText(line: number, { code, message, details }: Failure): string {
  return `${recordText<BulkFailed>({ line, status: FAILURE_STATUS[code], message, errors: details.problems })}\n`;
}

export function bulkUnexpectedText(line: number, requestId: string): string {
  return `${recordText<BulkFailed>({ line, status: 500, message: unexpectedSentence(requestId), errors: undefined })}\n`;
}
