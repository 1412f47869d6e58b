/** Only to find out where a path leads; nothing is there. */
const HERE = 'http://here.invalid';

/**
 * Where to go on after logging in, of an address such as `/login?to=/pets/1`: a path of this site. Undefined for everything else: a link from elsewhere
 * must not lead through our login to a page of its own.
 */
export function readReturnAddress(to: unknown): string | undefined {
  if (typeof to !== 'string' || !/^\/(?![/\\])/.test(to)) return undefined;
  // Browsers leave out tabs and line ends: what is behind them may be another site after all.
  if (!URL.canParse(to, HERE)) return undefined;
  const url = new URL(to, HERE);
  // What comes of `/.//evil.example` begins with two slashes: read once more, it is another site.
  if (url.origin !== HERE || url.pathname.startsWith('//')) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}
