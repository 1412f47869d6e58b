import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureWebBuilt } from '../../support/web-build.ts';

/** The path of the script that has a source file of the application, such as `assets/3uTog6d.js`. */
export async function chunkOf(source: string): Promise<string> {
  const manifest = await readFile(join(await ensureWebBuilt(), '.vite/manifest.json'), 'utf8');
  const chunks = Object.entries(JSON.parse(manifest) as Record<string, { file: string }>);
  const [, chunk] = chunks.find(([name]) => `/${name}`.endsWith(`/${source}`)) ?? assert.fail(`${source} has no chunk`);
  return chunk.file;
}
