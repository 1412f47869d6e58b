import { join } from 'node:path';
import { findDroppedGenerators } from './dropped-generators.ts';

const dropped = findDroppedGenerators(join(import.meta.dirname, '../tsconfig.all.json'));
for (const { file, line, text } of dropped)
  process.stderr.write(`${file}:${line}: nothing runs this generator, write "yield*" or iterate over it: ${text}\n`);
if (dropped.length > 0) process.exitCode = 1;
