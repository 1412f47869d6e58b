import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { categoriesQuery, PETS_KEY, tagsQuery } from '../../service/queries.ts';
import { client } from '../../service/client.ts';

export interface Suggestion {
  name: string;
  /** Number of pets that have it. */
  count: number;
}

const LISTED = 100;
const SHOWN = 8;
const MAX_TEXT_LENGTH = 200;

/** Existing names, the most used first. If the list of the service is truncated, the service is searched as well. */
export function useSuggestions(kind: 'categories' | 'tags', text: string): readonly Suggestion[] {
  const wanted = useDeferredValue(text.trim());
  const { data: all = [] } = useQuery(kind === 'tags' ? tagsQuery : categoriesQuery);
  const { data: found } = useQuery({
    queryKey: [...PETS_KEY, kind, 'named', wanted],
    queryFn: ({ signal }) =>
      kind === 'tags'
        ? client.listTags({ text: wanted, limit: SHOWN }, { signal })
        : client.listCategories({ text: wanted, limit: SHOWN }, { signal }),
    // The service rejects a search without a letter or digit.
    enabled: all.length >= LISTED && /[\p{L}\p{N}]/u.test(wanted) && wanted.length <= MAX_TEXT_LENGTH,
    placeholderData: keepPreviousData,
  });
  const fitting = all.filter(({ name }) => foldedText(name).includes(foldedText(wanted)));
  const known = new Set(fitting.map(({ name }) => name));
  return [...fitting, ...(found ?? []).filter(({ name }) => !known.has(name))];
}

export function shownSuggestions(suggestions: readonly Suggestion[]): readonly Suggestion[] {
  return suggestions.slice(0, SHOWN);
}

/** Ignores case and accents. */
function foldedText(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
