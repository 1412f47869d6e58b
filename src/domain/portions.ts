/** So many characters of texts are read in one go, and one text more: what is asked for may be a thousand texts of a megabyte. */
export const MAX_CHARACTERS_READ = 1024 * 1024;

/** What is cleared away in one transaction, so that none grows long: changes wait for it, on PostgreSQL those of all nodes. */
const AT_ONCE = 1000;

/**
 * Clears something away, portion by portion.
 *
 * @param clear takes away so many at most, and tells how many there were
 * @param isStopping asked before each portion
 */
export async function inPortions(clear: (limit: number) => Promise<number>, isStopping: () => boolean): Promise<void> {
  let cleared = AT_ONCE;
  while (cleared >= AT_ONCE && !isStopping()) cleared = await clear(AT_ONCE);
}
