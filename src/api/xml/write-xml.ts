import { parseExactJson } from '../../domain/int64.ts';
import { writtenText } from './characters.ts';

/*
 * Answers in XML, in Petstore's shape. They are made of the JSON that everybody else gets, so that both say the same, in the same order.
 */

/** What a success may be. An error is an ApiResponse, too. */
export type XmlRoot = 'Pet' | 'pets' | 'User' | 'ApiResponse' | 'string';

/** How each item of a list is called. */
const ITEM_NAMES: Readonly<Record<string, string>> = {
  pets: 'Pet',
  photoUrls: 'photoUrl',
  tags: 'tag',
  errors: 'error',
};

/** The beginning of every document. */
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

export function xmlDocument(root: XmlRoot, json: string): string {
  return DECLARATION + element(root, parseExactJson(json));
}

/** A list of pets in chunks. */
export const PETS_IN_XML = {
  begin: `${DECLARATION}<pets>`,
  /** @param json some pets, with commas between them */
  chunk: (json: string): string => contentOf('pets', parseExactJson(`[${json}]`)),
  between: '',
  end: '</pets>',
};

function element(name: string, value: unknown): string {
  return `<${name}>${contentOf(name, value)}</${name}>`;
}

function contentOf(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => element(ITEM_NAMES[name] ?? 'item', item)).join('');
  if (typeof value !== 'object' || value === null) return writtenText(String(value));
  return Object.entries(value)
    .map(([field, content]) => element(field, content))
    .join('');
}
