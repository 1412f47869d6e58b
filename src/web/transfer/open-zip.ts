import { NetworkError } from '../../client/failures.ts';
import { PhotoUnusable, type PhotoSource } from '../../transfer/photo-source.ts';
import { checkPhoto } from '../photos/photo-limits.ts';

/**
 * Opens a ZIP file with photos. Those above the limits of the service are made smaller, as in the form for photos. The
 * code is loaded when a ZIP file is chosen.
 *
 * @throws UnusableFile, and the reason of the signal
 */
export async function openZip(zip: File, signal: AbortSignal): Promise<PhotoSource> {
  const [{ ZipPhotos }, { shrinkPhoto }] = await Promise.all([
    import('../../transfer/zip-photos.ts'),
    import('../photos/shrink-photo.ts'),
  ]).catch((error: unknown) => {
    throw new NetworkError('The code for ZIP files cannot be loaded.', { cause: error });
  });
  const photos = await ZipPhotos.open(zip, signal);
  return {
    has: (name) => photos.has(name),
    problemOf: (name) => photos.problemOf(name),
    read: async (name) => {
      const bytes = await photos.read(name);
      const file = new File([bytes], name);
      // The service refuses a file that is no photo.
      if (!(await checkPhoto(file)).isTooLarge) return bytes;
      const smaller = await shrinkPhoto(file).catch(() => undefined);
      if (smaller === undefined) throw new PhotoUnusable('too-large', 'is too large, and cannot be made smaller');
      return new Uint8Array(await smaller.arrayBuffer());
    },
  };
}
