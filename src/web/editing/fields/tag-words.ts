import { tagKey } from '../merging/three-way.ts';
import type { FormLabel } from '../pet-fields.ts';

/** What stands between tags that are typed or pasted at once. */
const BETWEEN_TAGS = /[,;\n\r\t]+/;

export function isTagEnd(text: string): boolean {
  return BETWEEN_TAGS.test(text);
}

/**
 * The tags, and those that a text names; each once.
 *
 * @param known names that other pets have: one that differs from such a name in its case alone means that one
 */
export function withTags(
  tags: readonly FormLabel[],
  text: string,
  known: readonly string[] = [],
): readonly FormLabel[] {
  const result = [...tags];
  for (const word of text.split(BETWEEN_TAGS)) {
    const name = word.trim().replaceAll(/\s+/g, ' ');
    const tag = { name: known.find((each) => isSameWord(each, name)) ?? name };
    const isThere = result.some((each) => tagKey(each) === tag.name || isSameWord(each.name ?? '', name));
    if (name !== '' && !isThere) result.push(tag);
  }
  return result;
}

/** Without regard to case. */
export function isSameWord(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
