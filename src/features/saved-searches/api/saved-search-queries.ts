import { Failure } from '../../../domain/failure.ts';
import type { PetCriteria } from '../../../domain/search/criteria.ts';
import { catalogueQuery, readCatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { readPetCriteria, SEARCH_FILTERS } from '../../../api/queries/search-queries.ts';

/* The search of a saved search: a query with filters of `findPets`, those that mean the same on every day. */

const { status: _status, published: _published, updatedSince: _updatedSince, ...filters } = SEARCH_FILTERS;

const NAMES: readonly string[] = Object.keys(filters);

/** The query in a fixed order, so that equal searches have equal texts. @throws Failure `invalid-input` */
export function savedSearchText(search: string): string {
  const sent = new URLSearchParams(search);
  const unknown = [...sent.keys()].find((name) => !NAMES.includes(name));
  if (unknown !== undefined || sent.size === 0)
    throw new Failure('invalid-input', `search must have one or more of these parameters: ${NAMES.join(', ')}.`);
  const query = new URLSearchParams();
  for (const name of NAMES)
    for (const value of [...new Set(sent.getAll(name))].toSorted()) query.append(name, value.normalize('NFC'));
  const text = query.toString();
  readSavedCriteria(text);
  return text;
}

/** @throws Failure `invalid-input` */
export function readSavedCriteria(text: string): PetCriteria {
  const query = new URLSearchParams(text);
  const values = [...new Set(query.keys())].map((name) => {
    const [first = '', ...others] = query.getAll(name);
    return [name, others.length === 0 ? first : [first, ...others]];
  });
  return readPetCriteria(Object.fromEntries(values) as Record<string, string | string[]>);
}

/** The query of the catalogue page with the results, as far as the page has the filters. */
export function pageQueryOf(text: string): string {
  const page = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(text))
    if (name === 'tagMatch') page.append('match', value);
    else page.append(name === 'tags' ? 'tag' : name, value);
  return catalogueQuery(readCatalogueSearch(page)).toString();
}
