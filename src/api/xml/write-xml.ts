import { parseExactJson } from '../../domain/int64.ts';
import { writtenText } from './characters.ts';

/*
 * Responses in XML, in Petstore's shape. They are converted from JSON, so that both have the same fields in the same
 * order.
 */

/** The root of a successful response. An error is an ApiResponse. */
export type XmlRoot = 'Pet' | 'pets' | 'User' | 'ApiResponse' | 'string';

/** The element names of list items. */
const ITEM_NAMES: Readonly<Record<string, string>> = {
  pets: 'Pet',
  photoUrls: 'photoUrl',
  tags: 'tag',
  errors: 'error',
};

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

export function xmlDocument(root: XmlRoot, json: string): string {
  return DECLARATION + element(root, parseExactJson(json));
}

/** A list of pets in chunks. */
export const PETS_IN_XML = {
  begin: `${DECLARATION}<pets>`,
  /** @param json pets, separated by commas */
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
