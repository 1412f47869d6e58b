import { canonicalText } from '../../../api/web/catalogue-search.ts';
import { tagKey } from './three-way-merge.ts';
import type { FormLabel } from './pet-fields.ts';

/** Separators between tags that are typed or pasted together. */
const BETWEEN_TAGS = /[,;\n\r\t]+/;

export function isTagEnd(text: string): boolean {
  return BETWEEN_TAGS.test(text);
}

/**
 * Adds the tags in a text, each once.
 *
 * @param known names of existing tags: a name that differs from one only in case is replaced by it
 */
export function withTags(
  tags: readonly FormLabel[],
  text: string,
  known: readonly string[] = [],
): readonly FormLabel[] {
  const result = [...tags];
  for (const word of text.split(BETWEEN_TAGS)) {
    const name = canonicalText(word).replaceAll(/\s+/g, ' ');
    const tag = { name: known.find((each) => isSameWord(each, name)) ?? name };
    const isThere = result.some((each) => tagKey(each) === tag.name || isSameWord(each.name ?? '', name));
    if (name !== '' && !isThere) result.push(tag);
  }
  return result;
}

export function isSameWord(one: string, other: string): boolean {
  return canonicalText(one).toLowerCase() === canonicalText(other).toLowerCase();
}
