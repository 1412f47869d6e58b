import { useFormatter } from 'use-intl';
import { bootstrap } from '../service/bootstrap.ts';
import { findFileError, sizeOf, type FileError } from './photo-file.ts';

export type PhotoError = FileError | 'too-many-pixels';

/** Why the service would refuse a photo, as far as the browser can tell; undefined if it can be sent. */
export async function findPhotoError(file: Blob): Promise<PhotoError | undefined> {
  const fileError = await findFileError(file, bootstrap.maxPhotoBytes);
  if (fileError !== undefined) return fileError;
  return (await countPixels(file)) > bootstrap.maxPhotoPixels ? 'too-many-pixels' : undefined;
}

/**
 * Reads only the head of the file: an image is decoded when it is painted. Returns 0 for a format that the browser does
 * not support.
 */
async function countPixels(file: Blob): Promise<number> {
  const image = new Image();
  const url = URL.createObjectURL(file);
  await new Promise((resolve) => {
    for (const type of ['load', 'error']) image.addEventListener(type, resolve);
    image.src = url;
  });
  URL.revokeObjectURL(url);
  return image.naturalWidth * image.naturalHeight;
}

/** The limits of one photo, formatted for the user. */
export function usePhotoLimits(): { size: string; megapixels: string } {
  const format = useFormatter();
  const { amount, unit } = sizeOf(bootstrap.maxPhotoBytes);
  // Rounded down, so that a photo within the displayed limit is always within the real one.
  const down = { maximumSignificantDigits: 4, roundingMode: 'floor' } as const;
  return {
    size: `${format.number(amount, down)}\u00a0${unit}`,
    megapixels: format.number(bootstrap.maxPhotoPixels / 1e6, down),
  };
}
