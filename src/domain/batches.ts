/*
 * The text of a pet usually has about three hundred characters, but may have a million. So batches and pages are limited by length as well as by number.
 */

/** Maximum length of the texts read in one batch, not counting the last one: a thousand texts of a megabyte may be requested. */
export const MAX_CHARACTERS_READ = 1024 * 1024;

/** Maximum length of a page, unless it has a single pet. */
export const MAX_PAGE_CHARACTERS = 4 * 1024 * 1024;

interface HasText {
  text: string;
}

/** Small enough if all texts have the maximum length. */
const FIRST_COUNT = 32;
const GROWTH = 4;

/** A batch of usual length delays other requests little, and the fixed cost of a read is small beside it. */
const MAX_COUNT = 100;

/** The number of pets to read in the next batch, by the length of those in the last one. */
export class BatchSize {
  #count = FIRST_COUNT;

  get count(): number {
    return this.#count;
  }

  learn(lastRead: readonly HasText[]): void {
    if (lastRead.length === 0) return;
    const characters = lastRead.reduce((sum, { text }) => sum + text.length, 0);
    const fitting = Math.floor((MAX_CHARACTERS_READ * lastRead.length) / Math.max(characters, 1));
    this.#count = Math.max(1, Math.min(fitting, this.#count * GROWTH, MAX_COUNT));
  }
}

/** How many of the first ones have at most `maxCharacters` together; at least one, whatever its length. */
export function countFitting(pets: readonly HasText[], maxCharacters: number): number {
  let characters = 0;
  const tooMany = pets.findIndex(({ text }, index) => {
    characters += text.length;
    return index > 0 && characters > maxCharacters;
  });
  return tooMany === -1 ? pets.length : tooMany;
}

/** Rows deleted in one transaction. Other changes wait for it, on PostgreSQL those of all nodes. */
const DELETED_AT_ONCE = 1000;

/**
 * Deletes in batches until nothing is left.
 *
 * @param deleteBatch deletes at most `limit`, and returns how many it deleted
 * @param isStopping asked before each batch
 */
export async function inBatches(
  deleteBatch: (limit: number) => Promise<number>,
  isStopping: () => boolean,
): Promise<void> {
  let deleted = DELETED_AT_ONCE;
  while (deleted >= DELETED_AT_ONCE && !isStopping()) deleted = await deleteBatch(DELETED_AT_ONCE);
}
