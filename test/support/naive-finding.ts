import { wordsOf } from '../../src/domain/search/words.ts';
import type { PetQuestion } from '../../src/domain/search/question.ts';
import { readPetText, type Pet, type StoredPet } from '../../src/domain/pets/pet.ts';

/*
 * Finding as anybody would write it who has all pets in a list: what the indexes of the engines have to come to.
 */

export interface KnownPet {
  stored: StoredPet;
  addedVersion: bigint;
  changedAtMs: number;
}

/** The ids of those found, in their order. */
export function findNaively(pets: readonly KnownPet[], question: PetQuestion): readonly bigint[] {
  const found = pets
    .map((known) => ({ ...known, pet: readPetText(known.stored.text) }))
    .filter((known) => isFound(known, question));
  const inOrder = found.toSorted((a, b) => {
    if (question.sort === 'newest') return Number(b.addedVersion - a.addedVersion);
    if (question.sort === 'name') return compareBytes(keyOf(a.pet), keyOf(b.pet)) || Number(a.pet.id - b.pet.id);
    if (question.sort === 'relevance') {
      const difference = classOf(a.pet, question.words) - classOf(b.pet, question.words);
      if (difference !== 0) return difference;
    }
    return a.pet.id < b.pet.id ? -1 : 1;
  });
  return inOrder.map(({ pet }) => pet.id);
}

function isFound({ pet, changedAtMs }: KnownPet & { pet: Pet }, question: PetQuestion): boolean {
  const { words, statuses, categories, tags, tagMatch, updatedSinceMs } = question;
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

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
