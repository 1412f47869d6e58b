/** The sizes that a picture is served in: the longer side is at most this many pixels. */
export const PHOTO_SIZES = { small: 320, medium: 800, large: 1600 } as const;

export type PhotoSize = keyof typeof PHOTO_SIZES;

export type PhotoMediaType = 'image/jpeg' | 'image/png' | 'image/webp';

/** What is known of a stored picture. The digest is the SHA-256 of the stored bytes, in hexadecimal. */
export interface Photo {
  digest: string;
  mediaType: PhotoMediaType;
  byteLength: number;
  width: number;
  height: number;
}

const PHOTO_PATH = /^\/v2\/photo\/([0-9a-f]{64})$/;

/** Where a stored picture is found on any host: the form in which a pet keeps it. */
export function photoPath(digest: string): string {
  return `/v2/photo/${digest}`;
}

/** The digest that a photo path names, if the text is one. */
export function digestOfPhotoPath(text: string): string | undefined {
  return PHOTO_PATH.exec(text)?.[1];
}

/**
 * The digest that an address names on this or any other host, if it looks like one of ours. Clients read a pet, get absolute addresses, and
 * write them back, perhaps after the service has moved: the picture is recognised by what it is, not by where it was.
 */
export function digestOfPhotoUrl(url: string): string | undefined {
  const at = url.lastIndexOf('/v2/photo/');
  return at === -1 ? undefined : digestOfPhotoPath(url.slice(at));
}
