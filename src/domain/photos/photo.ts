/** The sizes that a picture is served in: the longer side is at most this many pixels. */
export const PHOTO_SIZES = { small: 320, card: 540, medium: 800, large: 1600 } as const;

export type PhotoSize = keyof typeof PHOTO_SIZES;

/** The most characters that may be said of a picture, for those who do not see it. */
export const ALT_LENGTH = 1000;

/** What a size is encoded as, the usual first. */
export const PHOTO_FORMATS = ['webp', 'avif', 'jpeg'] as const;

export type PhotoFormat = (typeof PHOTO_FORMATS)[number];

/** What a size is called where it is stored. WebP was first, and has the bare name. */
export type SizeName = PhotoSize | `${PhotoSize}.${Exclude<PhotoFormat, 'webp'>}`;

export function sizeName(size: PhotoSize, format: PhotoFormat): SizeName {
  return format === 'webp' ? size : `${size}.${format}`;
}

export const SIZE_NAMES: readonly SizeName[] = (Object.keys(PHOTO_SIZES) as PhotoSize[]).flatMap((size) =>
  PHOTO_FORMATS.map((format) => sizeName(size, format)),
);

export type PhotoMediaType = 'image/jpeg' | 'image/png' | 'image/webp';

/** What is known of a stored picture. The digest is the SHA-256 of the stored bytes, in hexadecimal. */
export interface Photo extends PixelSize {
  digest: string;
  mediaType: PhotoMediaType;
  byteLength: number;
  /** A picture in some 25 bytes (ThumbHash), in Base64, to be shown until the picture is there. Null for one that came before there were any. */
  placeholder: string | null;
}

export interface PixelSize {
  width: number;
  height: number;
}

/** How many pixels a picture has in a size; never more than it has itself. */
export function pixelsIn({ width, height }: PixelSize, size: PhotoSize): PixelSize {
  const shrink = Math.max(1, width / PHOTO_SIZES[size], height / PHOTO_SIZES[size]);
  return { width: Math.max(1, Math.round(width / shrink)), height: Math.max(1, Math.round(height / shrink)) };
}

/**
 * The path of a picture of ours, with a size or without. In the domain it stands after U+0000, which no client can send in a string: so what is
 * ours and what only looks like it are never mixed up.
 */
const OWN_PHOTO = /^\0(\/v2\/photo\/([0-9a-f]{64})(?:\/(?:small|card|medium|large))?)$/;
const PHOTO_PATH = /^\/v2\/photo\/([0-9a-f]{64})(?:\/(?:small|card|medium|large))?$/;

/** The form in which a pet refers to a picture of ours, wherever the service is reached. */
export function ownPhoto(digest: string): string {
  return `\0/v2/photo/${digest}`;
}

/** The digest of a picture of ours that a pet refers to; undefined for any other address. */
export function digestOfOwnPhoto(photoUrl: string): string | undefined {
  return OWN_PHOTO.exec(photoUrl)?.[2];
}

/** Where a picture of ours is found on any host; undefined for any other address. */
export function pathOfOwnPhoto(photoUrl: string): string | undefined {
  return OWN_PHOTO.exec(photoUrl)?.[1];
}

/**
 * The digest that an address names on this or any other host, if it looks like one of ours. Clients read a pet, get absolute addresses, and
 * write them back, perhaps after the service has moved: the picture is recognised by what it is, not by where it was.
 */
export function digestOfPhotoUrl(url: string): string | undefined {
  const at = url.lastIndexOf('/v2/photo/');
  return at === -1 ? undefined : PHOTO_PATH.exec(url.slice(at))?.[1];
}

/** An address that looks like one of ours, known to be it, in the form in which a pet refers to it. */
export function asOwnPhoto(url: string): string {
  return `\0${url.slice(url.lastIndexOf('/v2/photo/'))}`;
}

/** A picture as a pet has it. */
export interface PhotoOfPet {
  petId: bigint;
  digest: string;
}
