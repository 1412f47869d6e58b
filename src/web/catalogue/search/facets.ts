import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { facetsQuery } from '../../service/queries.ts';

/** The facets of a search. While they are loading, those of the previous search. */
export function useFacets(search: CatalogueSearch) {
  const query = useQuery({ ...facetsQuery(search), placeholderData: keepPreviousData });
  // If the service refuses the search, show the facets of all pets, so that filters can be removed.
  const all = useQuery({ ...facetsQuery({}), enabled: query.isError });
  return {
    facets: query.data ?? all.data,
    areCounted: query.data !== undefined,
    /** Whether the counts of a label among all pets apply to this search. */
    amongAll: {
      category: search.text === undefined && search.status === undefined && search.tag === undefined,
      tag: search.text === undefined && search.status === undefined && search.category === undefined && !search.match,
    },
    isError: query.isError && all.isError,
  };
}

export type FacetState = ReturnType<typeof useFacets>;
