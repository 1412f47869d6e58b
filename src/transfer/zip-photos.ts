import { BlobReader, ERR_UNSAFE_FILENAME, ZipReader, type FileEntry } from '@zip.js/zip.js/lib/zip-core-native.js';
import { PhotoUnusable, type PhotoSource } from './photo-source.ts';
import { UnusableFile } from './unusable-file.ts';

const MAX_ENTRIES = 1_000_000;

/** A photo is decompressed into memory. Those of cameras have up to 80 MB. */
const MAX_PHOTO_BYTES = 100 * 1024 * 1024;

/** Reading a long list of entries without a pause would freeze the page. */
const ENTRIES_WITHOUT_PAUSE = 500;

/** An address has a scheme or begins with a slash, the name of a file in a ZIP file does not. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|\/)/i;

/**
 * The photos in a ZIP file, by name. Only the list of entries and the photo that is read are in memory. zip.js refuses
 * absolute names and names with `..`, and ends an entry that is longer than it says, so a bomb is not inflated.
 */
export class ZipPhotos implements PhotoSource {
  readonly #entries: ReadonlyMap<string, FileEntry>;
  /** By name in lower case; undefined for the names of several entries. */
  readonly #ignoringCase: ReadonlyMap<string, FileEntry | undefined>;

  private constructor(entries: ReadonlyMap<string, FileEntry>) {
    this.#entries = entries;
    const counts = Map.groupBy(entries, ([name]) => name.toLowerCase());
    this.#ignoringCase = new Map(
      Array.from(counts, ([name, [first, ...others]]) => [name, others.length === 0 ? first?.[1] : undefined]),
    );
  }

  /** @throws UnusableFile for a file that is not a ZIP file, or has an unsafe name; the reason of the signal */
  static async open(file: Blob, signal?: AbortSignal): Promise<ZipPhotos> {
    const entries = new Map<string, FileEntry>();
    let count = 0;
    try {
      for await (const entry of readerOf(file).getEntriesGenerator()) {
        if (++count > MAX_ENTRIES) throw new UnusableFile(`The ZIP file has more than ${MAX_ENTRIES} entries.`, 'zip');
        if (!entry.directory) entries.set(entry.filename, entry);
        if (count % ENTRIES_WITHOUT_PAUSE === 0) await new Promise((resolve) => setTimeout(resolve));
        signal?.throwIfAborted();
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof UnusableFile ? error : unusable(error);
    }
    return new ZipPhotos(entries);
  }

  has(entry: string): boolean {
    return !ADDRESS.test(entry);
  }

  problemOf(name: string): PhotoUnusable | undefined {
    const found = this.#find(name);
    return found instanceof PhotoUnusable ? found : undefined;
  }

  async read(name: string): Promise<Uint8Array<ArrayBuffer>> {
    const found = this.#find(name);
    if (found instanceof PhotoUnusable) throw found;
    try {
      return new Uint8Array(await found.arrayBuffer());
    } catch {
      throw new PhotoUnusable('damaged', 'is damaged in the ZIP file');
    }
  }

  #find(name: string): FileEntry | PhotoUnusable {
    // Cameras write ROT.JPG, and people rot.jpg.
    const entry = this.#entries.get(entryName(name)) ?? this.#ignoringCase.get(entryName(name).toLowerCase());
    if (entry === undefined) return new PhotoUnusable('missing', 'is not in the ZIP file');
    if (entry.encrypted) return new PhotoUnusable('encrypted', 'is encrypted');
    if (entry.uncompressedSize > MAX_PHOTO_BYTES)
      return new PhotoUnusable('too-large', `has more than ${MAX_PHOTO_BYTES} bytes`);
    return entry;
  }
}

function readerOf(file: Blob): ZipReader<Blob> {
  return new ZipReader(new BlobReader(file), {
    // The content security policy forbids workers from blob: addresses.
    useWebWorkers: false,
    checkCrc32: true,
    normalizeFilename: entryName,
  });
}

/** Some programs for Windows write backslashes, and macOS writes decomposed letters: in ZIP files and in tables. */
function entryName(name: string): string {
  const path = name.replaceAll('\\', '/').normalize('NFC');
  return path.startsWith('./') ? path.slice(2) : path;
}

function unusable(error: unknown): UnusableFile {
  if (error instanceof Error && error.message === ERR_UNSAFE_FILENAME && 'filename' in error) {
    const name = String(error.filename);
    return new UnusableFile(`The ZIP file cannot be used: it has the unsafe name ${name}.`, 'zip-name', name);
  }
  return new UnusableFile('The ZIP file cannot be used: it is not a ZIP file, or it is damaged.', 'zip');
}
