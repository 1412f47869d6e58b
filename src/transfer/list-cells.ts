import { parseExactJson } from '../domain/int64.ts';
import { jsonText } from '../api/records/record-text.ts';
import type { RowProblem } from './source-row.ts';

/* Lists in one cell: their entries with a separator, or JSON if that is not exact. */

export const SEPARATOR = '|';

export function listCell(texts: readonly string[]): string {
  return isPlainList(texts) ? texts.join(SEPARATOR) : jsonText(texts);
}

export function isPlainList(texts: readonly string[]): boolean {
  return texts.every((text) => isPlainText(text, '[') && !text.includes(SEPARATOR));
}

/** Whether the text is read back unchanged, and not as JSON. */
export function isPlainText(text: string, jsonBegin: string): boolean {
  return text !== '' && text === text.trim() && !text.startsWith(jsonBegin);
}

export function readList(column: string, text: string, problems: RowProblem[]): unknown {
  if (text.startsWith('[')) return readJsonCell(column, text, problems);
  return entriesOf(text);
}

export function entriesOf(text: string): readonly string[] {
  return text
    .split(SEPARATOR)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

export function readJsonCell(column: string, text: string, problems: RowProblem[]): unknown {
  try {
    return parseExactJson(text);
  } catch {
    problems.push({ kind: 'invalid', column, message: 'is not valid JSON' });
    return undefined;
  }
}
