import { buffer } from 'node:stream/consumers';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { Failure } from '../../domain/failure.ts';
import { PhotoUnusable, type PhotoSource } from '../../transfer/photo-source.ts';

/** A photo is decompressed into memory. The service accepts 10 MiB by default. */
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_ENTRIES = 1_000_000;

/** An address has a scheme or begins with a slash, the name of a file in a ZIP file does not. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|\/)/i;

/**
 * The photos in a ZIP file, by name. Nothing is written to disk. yauzl refuses names with `..` and absolute ones, and ends an entry that is longer than it
 * says, so a bomb takes at most `MAX_BYTES`.
 */
export class ZipPhotos implements PhotoSource {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  /** @throws Failure `invalid-input` for a file that is not a ZIP file, or has an unsafe name */
  static async open(path: string): Promise<ZipPhotos> {
    let zip: ZipFile | undefined;
    try {
      zip = await openPromise(path, { lazyEntries: true, autoClose: false });
      if (zip.entryCount > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} entries`);
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName.normalize('NFC'), entry);
      return new ZipPhotos(zip, entries);
    } catch (error) {
      zip?.close();
      const reason = error instanceof Error ? error.message : String(error);
      throw new Failure('invalid-input', `The ZIP file cannot be used: ${reason}.`);
    }
  }

  has(entry: string): boolean {
    return !ADDRESS.test(entry);
  }

  problemOf(name: string): string | undefined {
    const entry = this.#entries.get(name.normalize('NFC'));
    if (entry === undefined) return `has ${name}, which is not in the ZIP file`;
    if (entry.isEncrypted()) return `has ${name}, which is encrypted`;
    if (entry.uncompressedSize > MAX_BYTES) return `has ${name}, which has more than ${MAX_BYTES} bytes`;
    return undefined;
  }

  async read(name: string): Promise<Uint8Array> {
    const entry = this.#entries.get(name.normalize('NFC'));
    if (entry === undefined) throw new PhotoUnusable('is not in the ZIP file');
    try {
      return await buffer(await this.#zip.openReadStreamPromise(entry));
    } catch {
      throw new PhotoUnusable('is damaged in the ZIP file');
    }
  }

  close(): void {
    this.#zip.close();
  }
}
