import type { PetStatus } from '../domain/pets/pet.ts';
import { spellingKey } from '../domain/text.ts';

/** The words for each status in the API and on pages, in English and German. */
const WORDS: Readonly<Record<PetStatus | '', readonly string[]>> = {
  available: ['available', 'looking for a home', 'zu vermitteln', 'sucht ein zuhause', 'verfügbar'],
  pending: ['pending', 'adoption in progress', 'reserved', 'reserviert', 'vermittlung läuft'],
  sold: ['sold', 'adopted', 'living in a new home', 'vermittelt', 'hat ein neues zuhause', 'verkauft'],
  '': ['no status', 'no status set', 'kein status', 'kein status festgelegt'],
};

const STATUSES: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([status, words]) => words.map((word) => [word, status])),
);

/** The status that a word means, in any case; empty for none. An unknown word is returned unchanged. */
export function statusOf(word: string): string {
  return STATUSES.get(spellingKey(word)) ?? word;
}
