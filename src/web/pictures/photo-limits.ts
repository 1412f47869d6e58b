import { useFormatter } from 'use-intl';
import { bootstrap } from '../service/bootstrap.ts';
import { findFileTrouble, sizeOf, type FileTrouble } from './picture-file.ts';

export type PhotoTrouble = FileTrouble | 'too-many-pixels';

/** Why the service would refuse a photo, as far as the browser can say it; undefined for a photo that can be sent. */
export async function findPhotoTrouble(file: Blob): Promise<PhotoTrouble | undefined> {
  const trouble = await findFileTrouble(file, bootstrap.maxPhotoBytes);
  if (trouble !== undefined) return trouble;
  return (await countPixels(file)) > bootstrap.maxPhotoPixels ? 'too-many-pixels' : undefined;
}

/** Reads the head of the file only: an image is decoded when it is painted. Returns 0 for a format that the browser does not know. */
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

/** The limits of one photo, for a text of the page. */
export function usePhotoLimits(): { size: string; megapixels: string } {
  const format = useFormatter();
  const { amount, unit } = sizeOf(bootstrap.maxPhotoBytes);
  // Rounded down: a photo within the limit that is shown is always within the real one.
  const down = { maximumSignificantDigits: 4, roundingMode: 'floor' } as const;
  return {
    size: `${format.number(amount, down)}\u00a0${unit}`,
    megapixels: format.number(bootstrap.maxPhotoPixels / 1e6, down),
  };
}
