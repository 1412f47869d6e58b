import type { CatalogueSearch } from '../../contract/web/catalogue-search.ts';
import type { FoundPage, PetView } from '../service/queries.ts';

interface SelectionBarProps {
  search: CatalogueSearch;
  total: FoundPage['total'] | undefined;
  /** All that have been loaded, in their order. */
  pets: readonly PetView[];
}

/** What can be done with the pets that are selected. */
export function SelectionBar({ total }: SelectionBarProps) {
  return <span hidden>{total?.count}</span>;
}
