/*
 * What can be said of a file before it is sent: nobody waits for an upload that is refused at its end.
 */

/** By what a browser calls them. With it a telephone gives its pictures as JPEG, whatever it keeps them as. */
export const ACCEPTED_TYPES = 'image/jpeg,image/png,image/webp,image/gif,image/avif';

export type FileTrouble = 'too-large' | 'empty' | 'heic' | 'no-picture';

/** As much of a file as tells what it is. */
const HEAD_BYTES = 32;

/** @param maxBytes the largest picture that the service takes */
export async function findFileTrouble(file: Blob, maxBytes: number): Promise<FileTrouble | undefined> {
  if (file.size === 0) return 'empty';
  // Cannot be read any more: it was moved, or its card was taken out. To send it would fail as well.
  const head = await file
    .slice(0, HEAD_BYTES)
    .arrayBuffer()
    .catch(() => new ArrayBuffer(0));
  return findHeadTrouble(new Uint8Array(head)) ?? (file.size > maxBytes ? 'too-large' : undefined);
}

/** By the content, as the service decides it: names and types are often wrong. */
export function findHeadTrouble(head: Uint8Array): FileTrouble | undefined {
  const text = String.fromCharCode(...head);
  const isKnown =
    text.startsWith('\u00ff\u00d8\u00ff') ||
    text.startsWith('\u0089PNG\r\n\u001a\n') ||
    /^GIF8[79]a/.test(text) ||
    (text.startsWith('RIFF') && text.startsWith('WEBP', 8));
  if (isKnown) return undefined;
  // ISO base media: what it is stands among its brands (ISO/IEC 14496-12, 4.3).
  if (!text.startsWith('ftyp', 4)) return 'no-picture';
  const brands = text.slice(8);
  if (/avif|avis/.test(brands)) return undefined;
  return /hei[cxms]|hev[cx]|mif1|msf1/.test(brands) ? 'heic' : 'no-picture';
}

const UNITS = [
  ['GiB', 2 ** 30],
  ['GB', 1e9],
  ['MiB', 2 ** 20],
  ['MB', 1e6],
  ['KiB', 2 ** 10],
  ['kB', 1000],
] as const;

/** A number of bytes in the largest unit of which it is a whole multiple, otherwise in the largest unit below it. */
export function sizeOf(bytes: number): { amount: number; unit: string } {
  const [unit, length] = UNITS.find((each) => bytes % each[1] === 0) ??
    UNITS.find((each) => bytes >= each[1]) ?? ['B', 1];
  return { amount: bytes / length, unit };
}
