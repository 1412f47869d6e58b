import { parseExactJson } from '../domain/int64.ts';
import type { Table } from './columns.ts';
import type { SourceRow } from './source-row.ts';
import type { TextBeginning } from './source-text.ts';
import { UnusableFile } from './unusable-file.ts';

/** A JSON document is parsed as a whole, so it must fit into memory. Lines need not. */
const MAX_DOCUMENT_LENGTH = 64 * 1024 * 1024;

/** Reads a file with one JSON object per line, or with a JSON array or object of several lines. @throws UnusableFile */
export async function* readJsonRows(text: TextBeginning, table: Table): AsyncGenerator<SourceRow> {
  const fields = new Set(table.columns.map(table.fieldOf));
  let number = 0;
  if (/^\s*(?:\[|\{\s*[\r\n])/.test(text.beginning)) {
    const document = await readDocument(text);
    for (const value of [document].flat()) yield { number: ++number, fields, ...readValue(value, table, 'The entry') };
    return;
  }
  for await (const line of linesIn(text.from(0))) {
    number++;
    if (line.trim() !== '') yield { number, fields, ...readLine(line, table) };
  }
}

async function readDocument(text: TextBeginning): Promise<unknown> {
  const parts: string[] = [];
  let length = 0;
  for await (const part of text.from(0)) {
    parts.push(part);
    length += part.length;
    if (length > MAX_DOCUMENT_LENGTH)
      throw new UnusableFile(
        'The JSON document is too large. Write each object into a line of its own.',
        'json-length',
      );
  }
  try {
    return parseExactJson(parts.join(''));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UnusableFile(`The file is not valid JSON: ${error.message}.`, 'json');
  }
}

function readLine(line: string, table: Table): ReturnType<Table['readObject']> {
  try {
    return readValue(parseExactJson(line), table, 'The line');
  } catch (error) {
    if (error instanceof SyntaxError) return notAnObject('The line');
    throw error;
  }
}

function readValue(value: unknown, table: Table, subject: string): ReturnType<Table['readObject']> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? table.readObject(value as SourceRow['value']) : notAnObject(subject);
}

function notAnObject(subject: string): Pick<SourceRow, 'value' | 'problems'> {
  return { value: {}, problems: [{ kind: 'not-json', message: `${subject} is not a JSON object.` }] };
}

async function* linesIn(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...others] = chunk.split('\n');
    rest.push(first);
    for (const line of others) {
      yield rest.join('');
      rest = [line];
    }
  }
  yield rest.join('');
}
