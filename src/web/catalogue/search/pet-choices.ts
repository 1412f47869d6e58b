import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ResultOf } from '../../../api/operation-types.ts';
import type { CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { petChoicesQuery } from '../../service/queries.ts';

/** How many pets a choice would give; where it is not exact, at least so many. */
export type ChoiceCount = Pick<ResultOf<'countChoices'>['tags'][number], 'count' | 'exact'>;

/** What can be chosen, with the numbers beside what is chosen now. While these are on their way, those of the search before. */
export function usePetChoices(search: CatalogueSearch) {
  const asked = useQuery({ ...petChoicesQuery(search), placeholderData: keepPreviousData });
  // What there is to choose is to be seen also where the interface refuses what is asked: so some of it can be taken off.
  const all = useQuery({ ...petChoicesQuery({}), enabled: asked.isError });
  return {
    choices: asked.data ?? all.data,
    areCounted: asked.data !== undefined,
    /** Of which kind one chooses among all pets there are. */
    amongAll: {
      category: search.text === undefined && search.status === undefined && search.tag === undefined,
      tag: search.text === undefined && search.status === undefined && search.category === undefined && !search.match,
    },
    isError: asked.isError && all.isError,
  };
}

export type KnownChoices = ReturnType<typeof usePetChoices>;

/** Nothing would be left. What is not counted to its end may be there. */
export function isEmpty(counted: ChoiceCount | undefined): boolean {
  return counted !== undefined && counted.exact && counted.count === 0;
}
