import { closestMatch } from 'leven';

/**
 * A question that names the known name that was probably meant, after a space; empty if none is similar.
 *
 * @param prefix of all names, for display
 */
export function didYouMean(name: string, known: readonly string[], prefix = ''): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : ` Did you mean ${prefix}${nearest}?`;
}

/**
 * Case and separators do not count: `dataDir` is `data-dir`. At most half of the other characters may differ, unless
 * the name is the beginning of a known one.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  const nearest = closestMatch(plain, known.map(plainName), { maxDistance: Math.floor(plain.length / 2) });
  return (
    known.find((each) => plainName(each) === nearest) ??
    (plain.length > 1 ? known.find((each) => plainName(each).startsWith(plain)) : undefined)
  );
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** The most similar name, however different. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  return closestMatch(name, [...known]);
}
