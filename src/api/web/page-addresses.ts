/** A base for resolving paths; it does not exist. */
const BASE = 'http://here.invalid';

/**
 * Returns the path of this site to open after a login, from an address such as `/login?to=/pets/1`. Undefined for
 * anything else: a link must not use our login to redirect to another site.
 */
export function readReturnAddress(to: unknown): string | undefined {
  if (typeof to !== 'string' || !/^\/(?![/\\])/.test(to)) return undefined;
  // Browsers ignore tabs and line ends: the rest may name another site.
  if (!URL.canParse(to, BASE)) return undefined;
  const url = new URL(to, BASE);
  // `/.//evil.example` resolves to a path with two slashes, which names another site when it is resolved again.
  if (url.origin !== BASE || url.pathname.startsWith('//')) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}
