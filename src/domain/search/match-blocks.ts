import { matchesOf, type SearchedCriteria } from './matches.ts';
import type { PetIndex } from './pet-index.ts';
import { hasSlot } from './slots/slots.ts';

/** Consecutive matches by ascending id. */
export interface MatchBlock {
  firstId: bigint;
  lastId: bigint;
  count: number;
  /** The highest version of its pets. */
  version: bigint;
  /** The last change of one of its pets. */
  changedAtMs: number;
}

/** All matches in blocks of `length`, the last of which may have fewer. */
export function blocksOf(index: PetIndex, criteria: SearchedCriteria, length: number): readonly MatchBlock[] {
  const matches = matchesOf(index, criteria);
  const sorted = index.orders.id.toSorted();
  const slots = matches === undefined ? sorted : sorted.filter((slot) => hasSlot(matches, slot));
  const blocks: MatchBlock[] = [];
  for (let start = 0; start < slots.length; start += length)
    blocks.push(blockOf(index, slots.subarray(start, start + length)));
  return blocks;
}

function blockOf(index: PetIndex, slots: Uint32Array): MatchBlock {
  let [version, changedAtMs] = [0n, 0];
  for (const slot of slots) {
    const ofPet = index.versionOf(slot);
    if (ofPet > version) version = ofPet;
    changedAtMs = Math.max(changedAtMs, index.changedAtMsOf(slot));
  }
  const [first, last] = [slots[0] as number, slots.at(-1) as number];
  return {
    firstId: index.idOf(first),
    lastId: index.idOf(last),
    count: slots.length,
    version,
    changedAtMs,
  };
}
