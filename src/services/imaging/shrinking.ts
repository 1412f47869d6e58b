import { isAvif } from './avif-file.ts';
import { convertAvif } from './avif.ts';
import { encodeForStore, type Fitting } from './storing.ts';

/** The cameras of phones have up to 200 million. */
const MAX_SOURCE_PIXELS = 16_384 ** 2;

/**
 * Makes a photo smaller that a service refuses as too large: upright, in sRGB and without metadata, as JPEG or WebP.
 *
 * @throws Failure `unsupported-media-type` for anything but a photo, `too-large`
 */
export async function shrinkPhoto(file: Uint8Array, fitting: Fitting): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes } = isAvif(file) ? await convertAvif(file, MAX_SOURCE_PIXELS) : { bytes: file };
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (await encodeForStore(source, MAX_SOURCE_PIXELS, fitting)).bytes;
}
