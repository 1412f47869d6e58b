import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface Script {
  file: string;
  gzippedBytes: number;
}

/** The fields used of Vite's manifest: a chunk of the application, by its source file. */
interface Piece {
  file: string;
  src?: string;
  imports?: readonly string[];
}

/**
 * The scripts that a page loads before it is shown: the entry, the chunks of the page and its texts, and their imports.
 *
 * @param folder the built application
 * @param sources the source files of the page and of its texts, below src/web
 */
export async function firstScripts(folder: string, ...sources: readonly string[]): Promise<readonly Script[]> {
  const manifest = JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Piece>;
  const found = new Set<string>();
  collect(manifest, 'index.html', found);
  for (const source of sources) collect(manifest, source, found);
  return Promise.all(
    [...found].map(async (file) => ({ file, gzippedBytes: gzipSync(await readFile(join(folder, file))).length })),
  );
}

function collect(manifest: Readonly<Record<string, Piece>>, name: string, found: Set<string>): void {
  const piece = manifest[name];
  if (piece === undefined) throw new Error(`The build has no piece for ${name}.`);
  if (found.has(piece.file)) return;
  found.add(piece.file);
  for (const imported of piece.imports ?? []) collect(manifest, imported, found);
}
