import { useQuery } from '@tanstack/react-query';
import type { CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { suggestionsQuery } from '../../service/queries.ts';
import type { SearchChange } from './search-criteria.ts';

export const SUGGESTION_KINDS = ['names', 'categories', 'tags'] as const;

/** A search that completes the typed text. */
export interface Suggestion {
  kind: (typeof SUGGESTION_KINDS)[number];
  name: string;
  /** The text to search for. */
  text: string;
  /** The number of pets. */
  count: number;
}

/**
 * @param typed undefined for no suggestions. Until those for a continued text arrive, the previous ones are returned.
 */
export function useSuggestions(search: CatalogueSearch, typed: string | undefined): readonly Suggestion[] {
  const { data } = useQuery({
    ...suggestionsQuery({ ...search, text: typed ?? '' }),
    // The service rejects a text without words.
    enabled: typed !== undefined && /[\p{L}\p{N}]/u.test(typed),
    placeholderData: (previous, query) => (isContinued(query?.queryKey.at(-1), typed) ? previous : undefined),
  });
  if (typed === undefined || data === undefined) return [];
  return SUGGESTION_KINDS.flatMap((kind) =>
    data[kind]
      // The API separates tags by commas.
      .filter(({ name }) => kind !== 'tags' || !name.includes(','))
      .map((suggestion) => ({ kind, ...suggestion })),
  );
}

/** The change of a search to the suggested category or tag. It replaces others, as it was counted. */
export function changeTo({ kind, name, text }: Suggestion, { tag = [], match }: CatalogueSearch): SearchChange {
  if (kind === 'categories') return { text, category: [name] };
  return { text, tag: match === 'all' ? [...tag, name] : [name] };
}

function isContinued(before: unknown, typed = ''): boolean {
  const text = (before as { text?: string } | undefined)?.text;
  return text !== undefined && typed !== '' && (typed.startsWith(text) || text.startsWith(typed));
}
