import { buffer } from 'node:stream/consumers';
import { BlobReader, ZipReader, type FileEntry } from '@zip.js/zip.js/lib/zip-core-native.js';
import { ZipFile } from 'yazl';

/** A ZIP file with these files. */
export async function zipWith(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(files)) zip.addBuffer(bytes, name);
  zip.end();
  return buffer(zip.outputStream);
}

/** The files in a ZIP file, by path. */
export async function openZip(zip: Buffer): Promise<Readonly<Record<string, Uint8Array>>> {
  const entries = (await new ZipReader(new BlobReader(new Blob([new Uint8Array(zip)])), {
    useWebWorkers: false,
  }).getEntries()) as FileEntry[];
  const files = entries.map(async (entry) => [entry.filename, new Uint8Array(await entry.arrayBuffer())] as const);
  return Object.fromEntries(await Promise.all(files));
}

/** The same ZIP file with another size for the files of this size, in the list of entries and before their data. */
export function withFalseSize(zip: Buffer, size: number, falseSize: number): Buffer {
  const changed = Buffer.from(zip);
  for (let at = 0; (at = changed.indexOf(bytesOf(size), at)) !== -1; at++) bytesOf(falseSize).copy(changed, at);
  return changed;
}

/** The same ZIP file with another name of the same length. */
export function withName(zip: Buffer, name: string, otherName: string): Buffer {
  return Buffer.from(zip.toString('latin1').replaceAll(name, otherName), 'latin1');
}

/** The same ZIP file without the flag that its names are UTF-8 (APPNOTE.TXT, 4.4.4). */
export function withoutUtf8(zip: Buffer): Buffer {
  const changed = Buffer.from(zip);
  for (const [signature, offset] of [
    ['PK\u0003\u0004', 6],
    ['PK\u0001\u0002', 8],
  ] as const)
    for (let at = 0; (at = changed.indexOf(signature, at, 'latin1')) !== -1; at += offset)
      changed.writeUInt16LE(changed.readUInt16LE(at + offset) & ~0x0800, at + offset);
  return changed;
}

function bytesOf(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(length);
  return bytes;
}
