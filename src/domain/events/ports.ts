import type { ChangeEvent } from './change-event.ts';

/* What events need of the world. `domain/ports.ts` says what every store promises. */

/**
 * The changes of pets and accounts, as their transactions wrote them: what can be read here has happened, and what has happened can be read here.
 * Whoever has read up to a number has read all there ever will be up to it.
 */
export interface ChangeFeed {
  /** The number of the last change; 0 where there is none. Cheap enough to be asked many times a second. */
  lastVersion(): Promise<bigint>;
  /** The changes after this one, by their numbers, `limit` at most. None means that there are no more at this moment. */
  list(afterVersion: bigint, limit: number): Promise<readonly ChangeEvent[]>;
}
