/*
 * The searches that are measured, a few of each kind: large and small results, and the facets that the web application
 * shows beside them.
 */

export interface Search {
  kind: string;
  path: string;
}

/** The response to a search or a request for facets, without its pets. */
export interface SearchResponse {
  total?: number;
  statuses?: readonly FacetCount[];
  categories?: readonly FacetCount[];
  tags?: readonly FacetCount[];
}

interface FacetCount {
  status?: string;
  name?: string;
  count: number;
}

/** Pets per page. */
export const PAGE = 50;

const PETS = '/v2/pet';
const FACETS = '/v2/facets';

const LETTERS = ['text=l', 'text=s', 'text=c', 'text=b'];
const WORDS = ['text=luna+calm', 'text=bella+gol', 'text=cats+indoor', 'text=sta+shy'];
const FILTERS = [
  'status=available&category=Dogs&tags=friendly',
  'status=pending&category=Cats&tags=shy',
  'status=sold&category=Birds&tags=calm',
];

/** A list of more than half of all pets, of which a deep page is measured. */
export const LONG_LIST = `${PETS}?text=s&sort=name`;

/** First one of each kind, then another one of each. @param deepPage the path of a page far behind in the long list */
export function searches(deepPage: string): readonly Search[] {
  const kinds: readonly (readonly [kind: string, paths: readonly string[]])[] = [
    ['one letter', pathsOf(PETS, LETTERS)],
    ['two words', pathsOf(PETS, WORDS)],
    ['three filters', pathsOf(PETS, FILTERS)],
    ['by name', pathsOf(`${PETS}?sort=name`, LETTERS)],
    ['deep page', [deepPage]],
    ['facets, one letter', pathsOf(FACETS, LETTERS)],
    ['facets, two words', pathsOf(FACETS, WORDS)],
    ['facets, three filters', pathsOf(FACETS, FILTERS)],
  ];
  return LETTERS.flatMap((_, round) =>
    kinds.flatMap(([kind, paths]) => paths.slice(round, round + 1).map((path) => ({ kind, path }))),
  );
}

function pathsOf(path: string, queries: readonly string[]): readonly string[] {
  return queries.map((query) => `${path}${path.includes('?') ? '&' : '?'}${query}`);
}

/** The counts of a response, in an order that is the same for all servers. */
export function countsIn({ total, statuses = [], categories = [], tags = [] }: SearchResponse): string {
  const words = [...statuses, ...categories, ...tags]
    .filter(({ count }) => count > 0)
    .map(({ status, name, count }) => `${status ?? name} ${count}`);
  return [total ?? '', ...words.toSorted()].join();
}
