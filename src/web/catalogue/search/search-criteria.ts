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
  | { kind: 'status'; value: NonNullable<CatalogueSearch['status']>[number] }
  | { kind: 'text' | 'published' | 'category' | 'tag' | FactFilter; value: string };

export function criteriaOf(search: CatalogueSearch): readonly Criterion[] {
  const { status = [] } = search;
  const of = (kind: (typeof LIST_FILTERS)[number] | 'text' | 'published') =>
    [search[kind] ?? []].flat().map((value) => ({ kind, value }));
  return [
    ...of('text'),
    ...status.map((value) => ({ kind: 'status', value }) as const),
    ...of('published'),
    ...LIST_FILTERS.flatMap(of),
  ];
}

export function withoutCriterion(search: CatalogueSearch, { kind, value }: Criterion): SearchChange {
  const values = search[kind];
  return { [kind]: typeof values === 'object' ? toggle<string>(values, value) : undefined };
}
