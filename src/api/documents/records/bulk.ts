import { Type } from 'typebox';
import { SentCreate, SentDelete, SentPatch, SentUpdate } from '../../bulk-entries.ts';
import { errors } from './api-response.ts';
import { int64 } from './int64.ts';

/** One line of a bulk request. */
export const SentBulkEntry = Type.Union([SentCreate, SentUpdate, SentPatch, SentDelete], { title: 'SentBulkEntry' });
export type SentBulkEntry = Type.Static<typeof SentBulkEntry>;

const line = Type.Unsafe<number>({
  type: 'integer',
  format: 'int32',
  minimum: 1,
  description: 'Which line of the request it answers, from 1 on.',
});
const status = Type.Unsafe<number>({
  type: 'integer',
  format: 'int32',
  minimum: 200,
  maximum: 599,
  description: 'What the status of the answer would be, had it come alone.',
});

const BulkDone = Type.Object(
  {
    line,
    status,
    id: int64('The id of the pet.'),
    etag: Type.Optional(Type.String({ description: 'The entity tag that the pet has now.' })),
  },
  { title: 'BulkDone', additionalProperties: false },
);

const BulkFailed = Type.Object(
  { line, status, message: Type.String({ description: 'One clear sentence.' }), errors },
  { title: 'BulkFailed', additionalProperties: false },
);

/** One line of the answer to a bulk request. */
export const BulkAnswer = Type.Union([BulkDone, BulkFailed], { title: 'BulkAnswer' });
export type BulkAnswer = Type.Static<typeof BulkAnswer>;
