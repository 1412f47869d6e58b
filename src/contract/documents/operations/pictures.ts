import { Type } from 'typebox';
import { answer, KEPT_NOT_MODIFIED, type OperationDescription } from '../format.ts';
import { DIGEST, IF_NONE_MATCH, SIZE } from '../parameters.ts';

const bytes = Type.Unsafe<Blob>({ type: 'string', format: 'binary' });

const picture = answer(
  { 'image/jpeg': bytes, 'image/png': bytes, 'image/webp': bytes },
  'The picture. It never changes, and may be kept for ever.',
  'ETag',
  'Cache-Control',
);

/** The pictures that pets refer to. */
export const PICTURE_OPERATIONS = {
  getPhoto: {
    group: 'pictures',
    summary: 'A picture as it is stored',
    path: DIGEST,
    headers: IF_NONE_MATCH,
    answers: { 200: picture, 304: KEPT_NOT_MODIFIED },
    failures: { 404: 'Picture not found' },
  },
  getPhotoInSize: {
    group: 'pictures',
    summary: 'A picture in one of a few sizes',
    path: { ...DIGEST, ...SIZE },
    headers: IF_NONE_MATCH,
    answers: { 200: picture, 304: KEPT_NOT_MODIFIED },
    failures: { 404: 'Picture not found, or there is no such size' },
  },
} as const satisfies Record<string, OperationDescription>;
