import { useFormatter } from 'use-intl';
import { bootstrap } from '../service/bootstrap.ts';
import { findFileError, sizeOf, type FileError } from './photo-file.ts';

export type PhotoError = FileError | 'too-large' | 'too-many-pixels';

export interface PixelSize {
  width: number;
  height: number;
}

export interface CheckedPhoto {
  /** Why the photo cannot be sent, as far as the browser can tell. */
  fileError?: PhotoError;
  /** Whether it must be made smaller, or converted, before it is sent (`shrink-photo.ts`). */
  isTooLarge: boolean;
}

/** The limit of the service for WebP and AVIF; other formats may have one pixel more. */
export const MAX_SIDE = 16_383;

export async function checkPhoto(file: Blob): Promise<CheckedPhoto> {
  const fileError = await findFileError(file);
  if (fileError === 'empty' || fileError === 'unsupported') return { fileError, isTooLarge: false };
  const { maxPhotoBytes, maxPhotoPixels } = bootstrap;
  const { width, height } = await sizeInPixels(file);
  const isShown = width > 0;
  if (fileError === 'heic') return isShown ? { isTooLarge: true } : { fileError, isTooLarge: false };
  const isTooLarge = file.size > maxPhotoBytes || width * height > maxPhotoPixels || Math.max(width, height) > MAX_SIDE;
  return isTooLarge && !isShown ? { fileError: 'too-large', isTooLarge } : { isTooLarge };
}

/** Why a photo cannot be sent that could not be made smaller. */
export function errorOfLarge(file: Blob): PhotoError {
  return file.size > bootstrap.maxPhotoBytes ? 'too-large' : 'too-many-pixels';
}

/**
 * Reads only the head of the file: an image is decoded when it is painted. Returns zeros for a format that the browser
 * does not support.
 */
export async function sizeInPixels(file: Blob): Promise<PixelSize> {
  const image = new Image();
  const url = URL.createObjectURL(file);
  await new Promise((resolve) => {
    for (const type of ['load', 'error']) image.addEventListener(type, resolve);
    image.src = url;
  });
  URL.revokeObjectURL(url);
  return { width: image.naturalWidth, height: image.naturalHeight };
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
