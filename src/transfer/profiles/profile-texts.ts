import { isPlainField, PROFILE_DEFINITIONS, type PlainField } from '../../domain/pets/profile.ts';
import { readBreeds } from './profile-breeds.ts';
import { isHtml } from './profile-html.ts';

/* Texts in cells. */

/** A number that a spreadsheet has rounded, such as 9.85112E+14. Its last digits are lost. */
const ROUNDED_NUMBER = /^\d(?:[.,]\d+)?E\+\d+$/i;

/** The columns with numbers whose digits all matter. */
const CODES: readonly string[] = ['microchip', 'externalId'] satisfies readonly PlainField[];

export function isRoundedCode(column: string, text: string): boolean {
  return CODES.includes(column) && ROUNDED_NUMBER.test(text);
}

/** A text that would not be read back exactly is a JSON string. */
export function textCell(text: string, column: string): string {
  const isPlain = text !== '' && text === text.trim() && jsonString(text) === undefined;
  return isPlain && !isInterpreted(text, column) ? text : JSON.stringify(text);
}

/** Whether an import reads the text as another program would have meant it. */
function isInterpreted(text: string, column: string): boolean {
  if (!isPlainField(column)) return false;
  const { type } = PROFILE_DEFINITIONS[column];
  if (type === 'text') return isHtml(text);
  if (type !== 'breed') return isRoundedCode(column, text);
  const { primary, isMixed } = readBreeds(text);
  return primary !== text || isMixed !== undefined;
}

export function readTextCell(cell: string): string {
  return jsonString(cell) ?? cell;
}

export function jsonString(text: string): string | undefined {
  if (!text.startsWith('"')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
