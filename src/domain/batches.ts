/*
 * The text of a pet usually has about 300 characters, but may have a million. Batches and pages are therefore limited
 * by length as well as by number.
 */

/**
 * Maximum length of the texts read in one batch, not counting the last text. A client may request a thousand texts of a
 * megabyte each.
 */
export const MAX_CHARACTERS_READ = 1024 * 1024;

/** Maximum length of a page, unless it has a single pet. */
export const MAX_PAGE_CHARACTERS = 4 * 1024 * 1024;

interface HasText {
  text: string;
}

/** Small enough for the first batch even if all texts have the maximum length. */
const FIRST_COUNT = 32;
const GROWTH = 4;

/** Large enough to make the fixed cost of a read small, and small enough to hardly delay other requests. */
const MAX_COUNT = 100;

/** The number of pets to read in the next batch, derived from the length of those in the last one. */
export class BatchSize {
  readonly #maxCount: number;
  #count = FIRST_COUNT;

  constructor(maxCount = MAX_COUNT) {
    this.#maxCount = maxCount;
  }

  get count(): number {
    return this.#count;
  }

  learn(lastRead: readonly HasText[]): void {
    if (lastRead.length === 0) return;
    const characters = lastRead.reduce((sum, { text }) => sum + text.length, 0);
    const withinLimit = Math.floor((MAX_CHARACTERS_READ * lastRead.length) / Math.max(characters, 1));
    this.#count = Math.max(1, Math.min(withinLimit, this.#count * GROWTH, this.#maxCount));
  }
}

/** The number of leading pets whose texts have at most `maxCharacters` in total; at least one. */
export function countWithin(pets: readonly HasText[], maxCharacters: number): number {
  let characters = 0;
  const tooMany = pets.findIndex(({ text }, index) => {
    characters += text.length;
    return index > 0 && characters > maxCharacters;
  });
  return tooMany === -1 ? pets.length : tooMany;
}

/** Rows deleted in one transaction. Other changes wait for it; on PostgreSQL, those of all nodes. */
const DELETE_BATCH = 1000;

/**
 * Deletes in batches until no rows are left.
 *
 * @param deleteBatch deletes at most `limit` rows, and returns the number of deleted rows
 * @param isStopping called before each batch; true ends the deletion
 */
export async function inBatches(
  deleteBatch: (limit: number) => Promise<number>,
  isStopping: () => boolean,
): Promise<void> {
  let deleted = DELETE_BATCH;
  while (deleted >= DELETE_BATCH && !isStopping()) deleted = await deleteBatch(DELETE_BATCH);
}
