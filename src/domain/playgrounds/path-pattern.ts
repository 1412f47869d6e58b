/* Paths with wildcards, as filters of recorded requests and rules for faults have them. */

const BASE_PATH = '/v2';

const MAX_LENGTH = 1000;

/** One wildcard in each, so that the comparison takes linear time. */
const SEGMENT = /^[^*]*(?:\*[^*]*)?$/;

export function isPathPattern(text: string): boolean {
  return text.startsWith('/') && text.length <= MAX_LENGTH && text.split(/[/?&]/).every((each) => SEGMENT.test(each));
}

export const PATH_PATTERN_RULE =
  'must be a path below the base URL, such as /pet/1 or /pet/*, with at most one wildcard in a segment';

/**
 * Returns a function that tells whether a path, with or without a query, matches the pattern. In a pattern, `*` stands
 * for any characters of a segment or parameter. It may omit `/v2`, and without a query it matches all queries.
 */
export function pathMatcher(wanted: string): (path: string) => boolean {
  const below = (wanted.startsWith(`${BASE_PATH}/`) ? wanted.slice(BASE_PATH.length) : wanted).replace(/\/$/, '');
  const escaped = below.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '[^/?&]*');
  const end = below.includes('?') ? '' : String.raw`/?(?:\?.*)?`;
  const pattern = new RegExp(`^${BASE_PATH}${escaped}${end}$`, 's');
  return (path) => pattern.test(path);
}
