import { thumbHashToDataURL } from 'thumbhash';

/** Cards come and go while one scrolls: each placeholder is worked out once. */
const known = new Map<string, string | undefined>();
const MOST_KNOWN = 500;

/**
 * A few soft colours in the shape of a picture, as a picture in an address (`data:`), to be shown until the picture is there.
 *
 * @param hash a ThumbHash in Base64, as the interface tells it; undefined where it is none
 */
export function placeholderUrl(hash: string | null): string | undefined {
  if (hash === null) return undefined;
  if (!known.has(hash)) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(hash, decode(hash));
  }
  return known.get(hash);
}

function decode(hash: string): string | undefined {
  try {
    return thumbHashToDataURL(Uint8Array.from(atob(hash), (letter) => letter.charCodeAt(0)));
  } catch {
    // A picture without a placeholder is a picture all the same.
    return undefined;
  }
}
