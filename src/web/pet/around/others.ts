import { queryOptions } from '@tanstack/react-query';
import { foundOn } from '../../catalogue/found-pets.ts';
import type { FoundPet } from '../../catalogue/arrivals.ts';
import { reader } from '../../service/client.ts';
import { PETS_KEY } from '../../service/queries.ts';

/** In one row, or in two on a telephone. */
const OTHERS = 4;

/** Pets that look for a home: of this kind, and where there are too few of it, others. */
export function othersQuery(id: string, category: string | undefined) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'others', id, category],
    queryFn: async ({ signal }) => {
      const find = async (kind: { category?: readonly string[] }) =>
        foundOn(
          await reader.findPets(
            { ...kind, status: ['available'], sort: 'newest', limit: OTHERS + 1, covers: true },
            { signal },
          ),
        );
      const ofKind = category === undefined ? [] : withoutPet(await find({ category: [category] }), id);
      if (ofKind.length >= OTHERS) return ofKind.slice(0, OTHERS);
      const known = new Set(ofKind.map(({ pet }) => pet.id));
      const rest = withoutPet(await find({}), id).filter(({ pet }) => !known.has(pet.id));
      return [...ofKind, ...rest].slice(0, OTHERS);
    },
  });
}

function withoutPet(found: readonly FoundPet[], id: string): readonly FoundPet[] {
  return found.filter(({ pet }) => String(pet.id) !== id);
}
