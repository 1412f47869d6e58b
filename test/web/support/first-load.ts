import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface BuiltFile {
  file: string;
  gzippedBytes: number;
}

/** The fields used of Vite's manifest: a chunk of the application, by its source file. */
interface Piece {
  file: string;
  src?: string;
  imports?: readonly string[];
  css?: readonly string[];
}

/**
 * The files that a page loads before it is shown: the entry, the chunks of the page and its texts, and their imports.
 *
 * @param folder the built application
 * @param sources the source files of the page and of its texts, below src/web
 */
export async function firstFiles(
  folder: string,
  ...sources: readonly string[]
): Promise<{ scripts: readonly BuiltFile[]; styleSheets: readonly BuiltFile[] }> {
  const manifest = JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Piece>;
  const found = new Set<Piece>();
  for (const source of ['index.html', ...sources]) collect(manifest, source, found);
  const read = async (file: string) => ({ file, gzippedBytes: gzipSync(await readFile(join(folder, file))).length });
  const readAll = (files: readonly string[]) => Promise.all([...new Set(files)].map(read));
  return {
    scripts: await readAll([...found].map(({ file }) => file)),
    styleSheets: await readAll([...found].flatMap(({ css = [] }) => css)),
  };
}

function collect(manifest: Readonly<Record<string, Piece>>, name: string, found: Set<Piece>): void {
  const piece = manifest[name];
  if (piece === undefined) throw new Error(`The build has no piece for ${name}.`);
  if (found.has(piece)) return;
  found.add(piece);
  for (const imported of piece.imports ?? []) collect(manifest, imported, found);
}
