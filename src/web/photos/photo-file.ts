/*
 * Checks a file before its upload, so that no upload is refused at its end.
 */

/** Media types of the file input. With it, phones convert HEIC photos to JPEG. */
export const ACCEPTED_TYPES = 'image/jpeg,image/png,image/webp,image/gif,image/avif';

export type FileError = 'empty' | 'heic' | 'unsupported';

/** Enough bytes to recognize every format. */
const HEAD_BYTES = 32;

export async function findFileError(file: Blob): Promise<FileError | undefined> {
  if (file.size === 0) return 'empty';
  // The file cannot be read: it was moved, or its memory card was removed. An upload would fail as well.
  const head = await file
    .slice(0, HEAD_BYTES)
    .arrayBuffer()
    .catch(() => new ArrayBuffer(0));
  return findFormatError(new Uint8Array(head));
}

/** Recognizes the format by the content, as the service does: names and types are often wrong. */
export function findFormatError(head: Uint8Array): FileError | undefined {
  const text = String.fromCharCode(...head);
  const isKnown =
    text.startsWith('\u00ff\u00d8\u00ff') ||
    text.startsWith('\u0089PNG\r\n\u001a\n') ||
    /^GIF8[79]a/.test(text) ||
    (text.startsWith('RIFF') && text.startsWith('WEBP', 8));
  if (isKnown) return undefined;
  // ISO base media files name their format in the brands (ISO/IEC 14496-12, 4.3).
  if (!text.startsWith('ftyp', 4)) return 'unsupported';
  const brands = text.slice(8);
  if (/avif|avis/.test(brands)) return undefined;
  return /hei[cxms]|hev[cx]|mif1|msf1/.test(brands) ? 'heic' : 'unsupported';
}

const UNITS = [
  ['GiB', 2 ** 30],
  ['GB', 1e9],
  ['MiB', 2 ** 20],
  ['MB', 1e6],
  ['KiB', 2 ** 10],
  ['kB', 1000],
] as const;

/** A number of bytes in the largest unit that divides it, otherwise in the largest unit below it. */
export function sizeOf(bytes: number): { amount: number; unit: string } {
  const [unit, length] = UNITS.find((each) => bytes % each[1] === 0) ??
    UNITS.find((each) => bytes >= each[1]) ?? ['B', 1];
  return { amount: bytes / length, unit };
}
