import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'vite';

const ROOT = join(import.meta.dirname, '..');

/** A regular expression in the source code. */
export interface Pattern {
  /** Relative to the project: `src/http/pipeline/admission.ts`. */
  file: string;
  line: number;
  source: string;
  flags: string;
}

/** The regular expression literals in src/. Patterns that are composed at run time are not found. */
export function patternsInSource(): readonly Pattern[] {
  return globSync('src/**/*.{ts,tsx,js}', { cwd: ROOT }).toSorted().flatMap(patternsIn);
}

function patternsIn(file: string): readonly Pattern[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found: Pattern[] = [];
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return;
      const line = text.slice(0, node.start).split('\n').length;
      found.push({ file, line, source: node.regex.pattern, flags: node.regex.flags });
    },
  }).visit(parseSync(file, text).program);
  return found;
}
