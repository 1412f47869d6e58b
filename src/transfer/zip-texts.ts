import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js';

/** Entries of the same files are the same bytes. The first date that ZIP files can have. */
const DATE = new Date(1980, 0, 1);

/** A ZIP file with these texts, by path. */
export async function zipTexts(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const zip = new ZipWriter(new BlobWriter('application/zip'), { useWebWorkers: false });
  for (const [name, text] of Object.entries(files))
    await zip.add(name, new TextReader(text), { lastModDate: DATE, extendedTimestamp: false });
  return new Uint8Array(await (await zip.close()).arrayBuffer());
}
