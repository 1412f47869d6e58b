import { writeFile } from 'node:fs/promises';
import { committedDocuments } from '../src/server/documents.ts';

/*
 * Writes docs/openapi.json and docs/swagger.json, for those who want them without a running service: `npm run documents`.
 */

for (const [name, text] of Object.entries(committedDocuments()))
  await writeFile(new URL(`../docs/${name}`, import.meta.url), text);
