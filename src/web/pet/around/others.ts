import { queryOptions } from '@tanstack/react-query';
import type { ArgumentsOf } from '../../../api/documents/operation-types.ts';
import { resultsOf } from '../../catalogue/search-results.ts';
import type { Profile, SearchResult } from '../../catalogue/arrivals.ts';
import { reader } from '../../service/client.ts';
import { PETS_KEY } from '../../service/queries.ts';

/** One row, or two on a phone. */
const OTHERS = 4;

/** What is known of the pet to which others are similar. */
export interface Kind {
  species?: Profile['species'] | undefined;
  /** The name of its category. */
  category?: string | undefined;
}

/** Available pets of the species, then of the category, then others. */
export function othersQuery(id: string, { species, category }: Kind) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'others', id, species, category],
    queryFn: async ({ signal }) => {
      const filters: readonly ArgumentsOf<'findPets'>[] = [
        ...(species === undefined ? [] : [{ species: [species] }]),
        ...(category === undefined || category === '' ? [] : [{ category: [category] }]),
        {},
      ];
      // Without the pet itself.
      const known = new Set([id]);
      const others: SearchResult[] = [];
      for (const filter of filters) {
        // Some of these may be known already.
        const limit = OTHERS + known.size;
        const page = await reader.findPets({ ...filter, ...SHOWN, limit }, { signal });
        const found = resultsOf(page).filter(({ pet }) => !known.has(String(pet.id)));
        for (const { pet } of found) known.add(String(pet.id));
        others.push(...found);
        if (others.length >= OTHERS) break;
      }
      return others.slice(0, OTHERS);
    },
  });
}

const SHOWN = { status: ['available'], sort: 'newest', covers: true, include: 'facts' } as const;
