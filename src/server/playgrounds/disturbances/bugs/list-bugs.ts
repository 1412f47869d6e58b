import { jsonText } from '../../../../api/records/record-text.ts';
import { readJson } from '../../../../client/int64-text.ts';
import type { BugId } from '../../../../domain/playgrounds/bugs.ts';
import type { Visit } from '../answers/visit.ts';
import { isJson, type Answer, type PlantedBug } from './planted-bug.ts';

/* Bugs of lists and searches. */

interface ListedPet {
  id: bigint;
  tags: readonly { name?: string }[];
}

interface FoundPets {
  pets: readonly ListedPet[];
  total: number;
}

const LISTS = ['findPetsByStatus', 'findPetsByTags'] as const;

export const LIST_BUGS: Partial<Record<BugId, () => PlantedBug>> = {
  'bug-01': () => ({ operations: [...LISTS, 'findPets'], after: withoutFirst }),
  'bug-08': () => ({
    operations: LISTS,
    after: (_visit, { headers }) => (headers['link'] === undefined ? undefined : { headers: { link: undefined } }),
  }),
  'bug-09': () => ({
    operations: ['findPetsByStatus'],
    after: (_visit, answer) =>
      changedList(answer, (pets) => pets.toSorted(({ id }, other) => (String(id) < String(other.id) ? -1 : 1))),
  }),
  'bug-10': () => ({ operations: ['findPetsByTags'], after: oncePerTag }),
  'bug-16': () => ({
    operations: ['findPets'],
    after: (_visit, answer) => changedSearch(answer, (found) => ({ ...found, total: found.total + 1 })),
  }),
  'bug-21': () => ({
    operations: ['findPetsByStatus'],
    after: (_visit, answer) => changedList(answer, (pets) => pets.slice(0, -1)),
  }),
};

function withoutFirst({ operation, query }: Visit, answer: Answer): Partial<Answer> | undefined {
  if (!query.has('cursor')) return undefined;
  if (operation === 'findPets') return changedSearch(answer, (found) => ({ ...found, pets: found.pets.slice(1) }));
  return changedList(answer, (pets) => pets.slice(1));
}

/** Like a join without DISTINCT. */
function oncePerTag({ query }: Visit, answer: Answer): Partial<Answer> | undefined {
  const wanted = new Set([...query].flatMap(([name, value]) => (name.startsWith('tags') ? value.split(',') : [])));
  return changedList(answer, (pets) =>
    pets.flatMap((pet) =>
      Array.from({ length: Math.max(1, pet.tags.filter(({ name }) => wanted.has(name ?? '')).length) }, () => pet),
    ),
  );
}

function changedList(
  answer: Answer,
  change: (pets: readonly ListedPet[]) => readonly ListedPet[],
): Partial<Answer> | undefined {
  return isJson(answer) ? changedBody(readJson(answer.body) as ListedPet[], change) : undefined;
}

function changedSearch(answer: Answer, change: (found: FoundPets) => FoundPets): Partial<Answer> | undefined {
  return isJson(answer) ? changedBody(readJson(answer.body) as FoundPets, change) : undefined;
}

function changedBody<T>(value: T, change: (value: T) => T): Partial<Answer> | undefined {
  const changed = jsonText(change(value));
  return changed === jsonText(value) ? undefined : { body: changed };
}
