import { writeFile } from 'node:fs/promises';
import { committedDocuments } from './documents.ts';

/*
 * Writes the generated files of docs/: `npm run documents`.
 */

for (const [name, text] of Object.entries(committedDocuments()))
  await writeFile(new URL(`../docs/${name}`, import.meta.url), text);
