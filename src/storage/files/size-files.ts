import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SIZE_NAMES, type SizeName } from '../../domain/photos/photo.ts';
import { ifExists } from './durable-file.ts';

/**
 * A stored size of a photo, such as `card.avif-20481-<sha256>`: its length and digest are in its name, so one rename
 * places them with the content, whichever nodes store the same size concurrently.
 */
export interface SizeFile {
  name: string;
  size: SizeName;
  byteLength: number;
  sha256: string;
}

const SIZE_FILE = /^([a-z.]+)-(\d+)-([0-9a-f]{64})$/;

export function sizeFileName(size: SizeName, bytes: Uint8Array): string {
  return `${size}-${bytes.byteLength}-${hash('sha256', bytes)}`;
}

/** The stored sizes in the folder of a photo. Nothing is known of those of earlier versions, which are left out. */
export async function listSizeFiles(folder: string): Promise<readonly SizeFile[]> {
  const names = (await ifExists(readdir(folder))) ?? [];
  return names.flatMap((name) => {
    const [, prefix, byteLength, sha256 = ''] = SIZE_FILE.exec(name) ?? [];
    const size = SIZE_NAMES.find((known) => known === prefix);
    return size === undefined ? [] : [{ name, size, byteLength: Number(byteLength), sha256 }];
  });
}

/** Whether the content is what was stored; also true if the file has been deleted meanwhile. */
export async function isSound(folder: string, { name, sha256 }: SizeFile): Promise<boolean> {
  const bytes = await ifExists(readFile(join(folder, name)));
  return bytes === undefined || hash('sha256', bytes) === sha256;
}
