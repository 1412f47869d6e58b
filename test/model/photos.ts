import { createHash } from 'node:crypto';
import { encodeForStore } from '../../src/services/imaging/storing.ts';
import { makePhoto } from '../support/photos.ts';

/* The photos of runs. */

export interface ModelPhoto {
  bytes: Uint8Array;
  /** SHA-256 of the stored photo, in hexadecimal: its name in URLs. */
  digest: string;
}

const WIDTHS = [8, 9];

export const PHOTOS: readonly ModelPhoto[] = await Promise.all(
  WIDTHS.map(async (width) => {
    const bytes = await makePhoto({ width, height: 8 });
    const stored = await encodeForStore(bytes, 100);
    return { bytes, digest: createHash('sha256').update(stored.bytes).digest('hex') };
  }),
);

export function digestAt(index: number): string {
  return PHOTOS[index]?.digest ?? '';
}
