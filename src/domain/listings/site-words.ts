import { wordKey } from '../word-key.ts';

/**
 * The words of a site by their keys. A word with slashes, such as `Orange / Red`, is found by each part
 * as well.
 *
 * @param list separated by semicolons, because words contain commas
 */
export function siteWords(list: string, synonyms: Readonly<Record<string, string>> = {}): ReadonlyMap<string, string> {
  const words = list.split('; ');
  const parts = words.flatMap((word) => word.split('/').map((part) => [wordKey(part), word] as const));
  const others = Object.entries(synonyms).map(([other, word]) => [wordKey(other), word] as const);
  const whole = words.map((word) => [wordKey(word), word] as const);
  // The last entry of a key wins: that of a whole word.
  return new Map([...parts.toReversed(), ...others, ...whole]);
}
