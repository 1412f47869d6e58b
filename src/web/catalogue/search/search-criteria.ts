import {
  catalogueQuery,
  readCatalogueSearch,
  shownSearch,
  LIST_FILTERS,
  toggle,
  type CatalogueSearch,
  type FactFilter,
} from '../../../api/web/catalogue-search.ts';

/** Changes of a search. Undefined removes a criterion. */
export type SearchChange = { readonly [Name in keyof CatalogueSearch]?: CatalogueSearch[Name] | undefined };

/** Changes a search that is shown. Returns it in its canonical form. */
export function changeSearch(search: CatalogueSearch, change: SearchChange): CatalogueSearch {
  const kept = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined);
  const { match, ...read } = readCatalogueSearch(catalogueQuery(Object.fromEntries(kept)));
  const next = shownSearch(read, true);
  return match === undefined || (next.tag ?? []).length < 2 ? next : { ...next, match };
}

export type Criterion =
  | { kind: 'text'; value: string }
  | { kind: 'status'; value: NonNullable<CatalogueSearch['status']>[number] }
  | { kind: 'category'; value: string }
  | { kind: 'published'; value: 'false' }
  | { kind: 'tag' | FactFilter; value: string };

export function criteriaOf(search: CatalogueSearch): readonly Criterion[] {
  const { text, status = [] } = search;
  return [
    ...(text === undefined ? [] : [{ kind: 'text', value: text } as const]),
    ...status.map((value) => ({ kind: 'status', value }) as const),
    ...(search.published === undefined ? [] : [{ kind: 'published', value: search.published } as const]),
    ...LIST_FILTERS.flatMap((kind) => (search[kind] ?? []).map((value) => ({ kind, value }))),
  ];
}

export function withoutCriterion(search: CatalogueSearch, criterion: Criterion): SearchChange {
  if (criterion.kind === 'text' || criterion.kind === 'published') return { [criterion.kind]: undefined };
  if (criterion.kind === 'status') return { status: toggle(search.status, criterion.value) };
  return { [criterion.kind]: toggle(search[criterion.kind], criterion.value) };
}
