import { DatabaseSync } from 'node:sqlite';

/*
 * Reads the rows of a list, and does nothing else.
 * Usage: node bare-list.ts DATABASE
 */

const db = new DatabaseSync(process.argv[2] ?? '', { readOnly: true });
const rows = db.prepare("select text from pet where status = 'available' order by id");
const startedMs = performance.now();
let bytes = 0;
for (const { text } of rows.iterate() as Iterable<{ text: string }>) bytes += Buffer.byteLength(text);
console.log(`RESULT ${JSON.stringify({ bytes, ms: performance.now() - startedMs })}`);
