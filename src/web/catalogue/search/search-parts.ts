import {
  catalogueQuery,
  readCatalogueSearch,
  toggle,
  type CatalogueSearch,
} from '../../../api/web/catalogue-search.ts';

/** What is to be different. Undefined takes it off. */
export type SearchChange = { readonly [Name in keyof CatalogueSearch]?: CatalogueSearch[Name] | undefined };

/** In the one form that a search has, whichever way it came about. */
export function changeSearch(search: CatalogueSearch, change: SearchChange): CatalogueSearch {
  const kept = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined);
  const { match, ...next } = readCatalogueSearch(catalogueQuery(Object.fromEntries(kept)));
  return match === undefined || (next.tag ?? []).length < 2 ? next : { ...next, match };
}

/** One thing that is looked for. */
export type Part =
  | { kind: 'text'; value: string }
  | { kind: 'status'; value: NonNullable<CatalogueSearch['status']>[number] }
  | { kind: 'category'; value: string }
  | { kind: 'tag'; value: string };

export function partsOf({ text, status = [], category = [], tag = [] }: CatalogueSearch): readonly Part[] {
  return [
    ...(text === undefined ? [] : [{ kind: 'text', value: text } as const]),
    ...status.map((value) => ({ kind: 'status', value }) as const),
    ...category.map((value) => ({ kind: 'category', value }) as const),
    ...tag.map((value) => ({ kind: 'tag', value }) as const),
  ];
}

export function withoutPart(search: CatalogueSearch, part: Part): SearchChange {
  if (part.kind === 'text') return { text: undefined };
  if (part.kind === 'status') return { status: toggle(search.status, part.value) };
  return { [part.kind]: toggle(search[part.kind], part.value) };
}
