import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../domain/failure.ts';
import { PHOTO_FORMATS, type PhotoFormat } from '../../domain/photos/photo.ts';

/** What a client says of a media type, or of all pictures, or of everything. */
interface MediaRange {
  type: string;
  quality: number;
}

/**
 * What a picture is sent as. An address may say it (`?format=jpeg`); else it is what the client prefers by Accept (RFC 9110, section 12.5.1).
 *
 * Among what it likes as much, AVIF goes first, for it is the smallest: to clients that name it, for browsers without it say `image/*` all the same. Then
 * WebP, then JPEG.
 *
 * @throws Failure `invalid-input`, `not-acceptable`
 */
export function formatFor(query: unknown, { accept }: IncomingHttpHeaders): PhotoFormat {
  const { format } = query as { format?: string | string[] };
  if (format !== undefined) return demandFormat(format);
  const ranges = accept === undefined || accept.trim() === '' ? [{ type: '*/*', quality: 1 }] : readRanges(accept);
  const best = [
    { format: 'avif', quality: qualityOf('image/avif', ranges) },
    { format: 'webp', quality: qualityOf('image/webp', ranges, 'image/*', '*/*') },
    { format: 'jpeg', quality: qualityOf('image/jpeg', ranges, 'image/*', '*/*') },
  ] as const;
  const most = Math.max(...best.map(({ quality }) => quality));
  const chosen = best.find(({ quality }) => quality === most && quality > 0);
  if (chosen !== undefined) return chosen.format;
  throw new Failure(
    'not-acceptable',
    'The picture is there as AVIF, WebP and JPEG, which the Accept header of your request leaves out.',
  );
}

function demandFormat(format: string | readonly string[]): PhotoFormat {
  const known = PHOTO_FORMATS.find((name) => name === format);
  if (known !== undefined) return known;
  throw new Failure('invalid-input', `There is no such format. There are ${PHOTO_FORMATS.join(', ')}.`);
}

/** What is said of the type itself counts before what is said of all. */
function qualityOf(type: string, ranges: readonly MediaRange[], ...wider: readonly string[]): number {
  for (const name of [type, ...wider]) {
    const said = ranges.find((range) => range.type === name);
    if (said !== undefined) return said.quality;
  }
  return 0;
}

function readRanges(accept: string): readonly MediaRange[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.map((parameter) => /^q\s*=\s*([01](?:\.\d*)?)$/.exec(parameter)?.[1]).find(isThere);
    return { type, quality: Math.min(1, Number(quality ?? 1)) };
  });
}

function isThere(text: string | undefined): text is string {
  return text !== undefined;
}
