import { parseExactJson } from '../domain/int64.ts';
import { jsonText } from '../api/records/record-text.ts';
import type { RowProblem } from './source-row.ts';

/* Lists in one cell: their entries with a separator, or JSON if that is not exact. */

export const SEPARATOR = '|';

/** How the entries of a list are separated where no cell has the separator of exports. */
export type ListKind = 'names' | 'colours' | 'urls';

const SEPARATORS: Readonly<Record<ListKind, RegExp>> = {
  names: /[,;]/g,
  colours: /[,;/]| and | & | und /g,
  urls: /[\s,;]{1,5}(?=https?:)/g,
};

/** The parts between the separators that are not in parentheses, as in `Tricolor (Brown, Black & White)`. */
function partsOf(text: string, kind: ListKind): readonly string[] {
  const parts: string[] = [];
  let [start, place, depth] = [0, 0, 0];
  for (const { index, 0: separator } of text.matchAll(SEPARATORS[kind])) {
    for (; place < index; place++) depth += Number(text[place] === '(') - Number(text[place] === ')');
    if (depth > 0) continue;
    parts.push(text.slice(start, index));
    start = index + separator.length;
  }
  return [...parts, text.slice(start)];
}

/** Exact JSON if a separator is in an entry. */
export function listCell(texts: readonly string[], kind: ListKind = 'names'): string {
  return isPlainList(texts, kind) ? texts.join(SEPARATOR) : jsonText(texts);
}

export function isPlainList(texts: readonly string[], kind: ListKind = 'names'): boolean {
  return texts.every((text) => isPlainText(text, '[') && !text.includes(SEPARATOR) && partsOf(text, kind).length === 1);
}

/** Whether the text is read back unchanged, and not as JSON. */
export function isPlainText(text: string, jsonBegin: string): boolean {
  return text !== '' && text === text.trim() && !text.startsWith(jsonBegin);
}

export function readList(column: string, text: string, problems: RowProblem[], kind: ListKind = 'names'): unknown {
  if (text.startsWith('[')) return readJsonCell(column, text, problems);
  return entriesOf(text, kind);
}

export function entriesOf(text: string, kind: ListKind = 'names'): readonly string[] {
  const parts = text.includes(SEPARATOR) ? text.split(SEPARATOR) : partsOf(text, kind);
  const entries = parts.map((entry) => entry.trim()).filter((entry) => entry !== '');
  return kind === 'colours' ? [...new Set(entries)] : entries;
}

export function readJsonCell(column: string, text: string, problems: RowProblem[]): unknown {
  try {
    return parseExactJson(text);
  } catch {
    problems.push({ kind: 'invalid', column, message: 'is not valid JSON' });
    return undefined;
  }
}
