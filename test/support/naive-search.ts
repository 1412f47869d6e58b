import { wordsOf } from '../../src/domain/search/words.ts';
import type { PetCriteria } from '../../src/domain/search/criteria.ts';
import { readPetText, type Pet, type StoredPet } from '../../src/domain/pets/pet.ts';

/* The search as a plain loop over all pets: the reference for the search index. */

export interface KnownPet {
  stored: StoredPet;
  addedVersion: bigint;
  changedAtMs: number;
}

/** The ids of the matches, in their order. */
export function findNaively(pets: readonly KnownPet[], criteria: PetCriteria): readonly bigint[] {
  const found = pets
    .map((known) => ({ ...known, pet: readPetText(known.stored.text) }))
    .filter((known) => isFound(known, criteria));
  const inOrder = found.toSorted((a, b) => {
    if (criteria.sort === 'newest') return Number(b.addedVersion - a.addedVersion);
    if (criteria.sort === 'name') {
      const difference = Buffer.compare(Buffer.from(keyOf(a.pet)), Buffer.from(keyOf(b.pet)));
      if (difference !== 0) return difference;
    }
    if (criteria.sort === 'relevance') {
      const difference = classOf(a.pet, criteria.words) - classOf(b.pet, criteria.words);
      if (difference !== 0) return difference;
    }
    return a.pet.id < b.pet.id ? -1 : 1;
  });
  return inOrder.map(({ pet }) => pet.id);
}

function isFound({ pet, changedAtMs }: KnownPet & { pet: Pet }, criteria: PetCriteria): boolean {
  const { words, statuses, categories, tags, tagMatch, updatedSinceMs } = criteria;
  const own = new Set(pet.tags.map(({ name }) => name));
  const hasTag = (tag: string) => own.has(tag);
  return (
    begin(words, wordsOfPet(pet)) &&
    (statuses.length === 0 || statuses.includes(pet.status ?? 'none')) &&
    (categories.length === 0 || (pet.category?.name !== undefined && categories.includes(pet.category.name))) &&
    (tags.length === 0 || (tagMatch === 'all' ? tags.every(hasTag) : tags.some(hasTag))) &&
    (updatedSinceMs === undefined || changedAtMs >= updatedSinceMs)
  );
}

function wordsOfPet({ name, category, tags }: Pet): readonly string[] {
  return [name, category?.name ?? '', ...tags.map((tag) => tag.name ?? '')].flatMap(wordsOf);
}

function classOf({ name }: Pet, words: readonly string[]): number {
  const own = wordsOf(name);
  if (words.every((word) => own.includes(word))) return 1;
  return begin(words, own) ? 2 : 3;
}

function begin(words: readonly string[], own: readonly string[]): boolean {
  return words.every((word) => own.some((candidate) => candidate.startsWith(word)));
}

function keyOf({ name }: Pet): string {
  return wordsOf(name).join('-') || '-';
}
