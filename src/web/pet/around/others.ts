import { queryOptions } from '@tanstack/react-query';
import { resultsOf } from '../../catalogue/search-results.ts';
import type { SearchResult } from '../../catalogue/arrivals.ts';
import { reader } from '../../service/client.ts';
import { PETS_KEY } from '../../service/queries.ts';

/** One row, or two on a phone. */
const OTHERS = 4;

/** Available pets of the category, filled up with others. */
export function othersQuery(id: string, category: string | undefined) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'others', id, category],
    queryFn: async ({ signal }) => {
      const find = async (filter: { category?: readonly string[] }) =>
        resultsOf(
          await reader.findPets(
            { ...filter, status: ['available'], sort: 'newest', limit: OTHERS + 1, covers: true, include: 'facts' },
            { signal },
          ),
        );
      const sameCategory = category === undefined ? [] : withoutPet(await find({ category: [category] }), id);
      if (sameCategory.length >= OTHERS) return sameCategory.slice(0, OTHERS);
      const known = new Set(sameCategory.map(({ pet }) => pet.id));
      const rest = withoutPet(await find({}), id).filter(({ pet }) => !known.has(pet.id));
      return [...sameCategory, ...rest].slice(0, OTHERS);
    },
  });
}

function withoutPet(found: readonly SearchResult[], id: string): readonly SearchResult[] {
  return found.filter(({ pet }) => String(pet.id) !== id);
}
