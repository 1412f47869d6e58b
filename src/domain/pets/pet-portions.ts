import { MAX_CHARACTERS_READ } from '../portions.ts';
import type { StoredPet } from './pet.ts';

/*
 * The text of a pet may have a million characters, and mostly has three hundred: how many pets are read at once, and kept, goes by how long they are.
 */

/** A page has no more, or one pet. */
export const MAX_PAGE_CHARACTERS = 4 * 1024 * 1024;

/** Few enough where all are as long as can be, and with the next portion it is as many as there ever are. */
const FIRST_COUNT = 32;
const GROWTH = 4;

/** Other requests hardly wait while so many usual ones are read, and the fixed cost of reading does not count. */
const MAX_COUNT = 100;

/** How many pets to read next. */
export interface PortionSize {
  count(): number;
  /** Goes by the pets that were read last. */
  learn(pets: readonly StoredPet[]): void;
}

export function createPortionSize(): PortionSize {
  let count = FIRST_COUNT;
  return {
    count: () => count,
    learn(pets) {
      if (pets.length === 0) return;
      const characters = pets.reduce((sum, { text }) => sum + text.length, 0);
      const fitting = Math.floor((MAX_CHARACTERS_READ * pets.length) / Math.max(characters, 1));
      count = Math.max(1, Math.min(fitting, count * GROWTH, MAX_COUNT));
    },
  };
}

/** How many from the first on have no more characters than that together; one has, whatever its length. */
export function countFitting(pets: readonly StoredPet[], mostCharacters: number): number {
  let characters = 0;
  const tooMany = pets.findIndex(({ text }, index) => {
    characters += text.length;
    return index > 0 && characters > mostCharacters;
  });
  return tooMany === -1 ? pets.length : tooMany;
}
