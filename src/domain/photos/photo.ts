import { Failure } from '../failure.ts';

/** The sizes in which photos are served, as the maximum pixels of the longer side. */
export const PHOTO_SIZES = { small: 320, card: 540, medium: 800, large: 1600 } as const;

export type PhotoSize = keyof typeof PHOTO_SIZES;

/** Maximum length of an alternative text, in characters. */
export const ALT_LENGTH = 1000;

/** The formats of sizes, the default first. */
export const PHOTO_FORMATS = ['webp', 'avif', 'jpeg'] as const;

export type PhotoFormat = (typeof PHOTO_FORMATS)[number];

/** The name under which a size is stored. WebP, the oldest format, has no suffix. */
export type SizeName = PhotoSize | `${PhotoSize}.${Exclude<PhotoFormat, 'webp'>}`;

export function sizeName(size: PhotoSize, format: PhotoFormat): SizeName {
  return format === 'webp' ? size : `${size}.${format}`;
}

export const SIZE_NAMES: readonly SizeName[] = (Object.keys(PHOTO_SIZES) as PhotoSize[]).flatMap((size) =>
  PHOTO_FORMATS.map((format) => sizeName(size, format)),
);

export type PhotoMediaType = 'image/jpeg' | 'image/png' | 'image/webp';

/** The index entry of a stored photo. */
export interface Photo extends PixelSize {
  /** The SHA-256 of the stored bytes, in hexadecimal. */
  digest: string;
  mediaType: PhotoMediaType;
  byteLength: number;
  /**
   * A ThumbHash of about 25 bytes in Base64, shown while the photo loads. Null for a photo of an earlier version, until
   * it is created.
   */
  placeholder: string | null;
}

export interface PixelSize {
  width: number;
  height: number;
}

/** The pixels of a photo in a size, never more than those of the original. */
export function pixelsIn({ width, height }: PixelSize, size: PhotoSize): PixelSize {
  const shrink = Math.max(1, width / PHOTO_SIZES[size], height / PHOTO_SIZES[size]);
  return { width: Math.max(1, Math.round(width / shrink)), height: Math.max(1, Math.round(height / shrink)) };
}

/**
 * The internal form of a stored photo: its path, with or without a size, after U+0000. No client can send that
 * character, so the internal form cannot be forged.
 */
const OWN_PHOTO = /^\0\/v2\/photo\/([0-9a-f]{64})(?:\/(?:small|card|medium|large))?$/;
const PHOTO_PATH = /^\/v2\/photo\/([0-9a-f]{64})(?:\/(?:small|card|medium|large))?$/;

/** The internal form of a stored photo, independent of the origin of the service. */
export function ownPhoto(digest: string): string {
  return `\0/v2/photo/${digest}`;
}

/** The digest of a stored photo in internal form; undefined for any other URL. */
export function digestOfOwnPhoto(photoUrl: string): string | undefined {
  return OWN_PHOTO.exec(photoUrl)?.[1];
}

/**
 * The digest in a URL that has the path of a stored photo, on any host. Clients read a pet with absolute URLs and send
 * them back, possibly after the service has moved to another host.
 */
export function digestOfPhotoUrl(url: string): string | undefined {
  const at = url.lastIndexOf('/v2/photo/');
  return at === -1 ? undefined : PHOTO_PATH.exec(url.slice(at))?.[1];
}

/** The internal form of a URL that is known to be that of a stored photo. */
export function asOwnPhoto(url: string): string {
  return `\0${url.slice(url.lastIndexOf('/v2/photo/'))}`;
}

export interface PhotoOfPet {
  petId: bigint;
  digest: string;
}

/** A change refers to a photo that is marked for deletion, so its file may be incomplete. */
export function photoIsDoomed(): Failure {
  return new Failure('unavailable', 'This photo is being deleted at the moment. Send it again in a second.', {
    retryAfterSeconds: 1,
  });
}

export function photoNotFound(): Failure {
  return new Failure('not-found', 'Photo not found');
}
