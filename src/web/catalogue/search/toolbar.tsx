import { SlidersHorizontal } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { usualSort, type CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import type { SearchAddress } from './search-address.ts';
import { criteriaOf } from './search-criteria.ts';
import type { ReactNode } from 'react';
import styles from './toolbar.module.css';

type Sort = NonNullable<CatalogueSearch['sort']>;

interface ToolbarProps {
  address: Pick<SearchAddress, 'search' | 'change'>;
  searchField: ReactNode;
  /** Undefined if the filters are in the sidebar. */
  onOpenFilters: (() => void) | undefined;
  /** True in the first view. */
  isInert?: boolean;
}

/** The search field, the button for the filters and the sort order. */
export function Toolbar({ address: { search, change }, searchField, onOpenFilters, isInert = false }: ToolbarProps) {
  return (
    <div className={styles['toolbar']} inert={isInert}>
      {searchField}
      <div className={styles['controls']}>
        {onOpenFilters !== undefined && <FiltersButton search={search} onOpen={onOpenFilters} />}
        <SortSelect search={search} onChoose={(sort) => change({ sort })} />
      </div>
    </div>
  );
}

function FiltersButton({ search, onOpen }: { search: CatalogueSearch; onOpen: () => void }) {
  const t = useTranslations('catalogue.filters');
  const count = criteriaOf(search).filter(({ kind }) => kind !== 'text').length;
  return (
    <button
      type="button"
      className={styles['filters']}
      aria-haspopup="dialog"
      aria-label={t('openLong', { count })}
      onClick={onOpen}
    >
      <SlidersHorizontal size="1.125em" aria-hidden="true" />
      {t('open', { count })}
    </button>
  );
}

function SortSelect({ search, onChoose }: { search: CatalogueSearch; onChoose: (sort: Sort) => void }) {
  const t = useTranslations('catalogue.sort');
  const usual = usualSort(search.text ?? '');
  const { sort: chosen = usual } = search;
  // The table of staff has further orders.
  const sorts = new Set<Sort>([usual, 'newest', 'longest-stay', 'name', 'id', chosen]);
  return (
    <label className={styles['sort']}>
      <span className={styles['sortLabel']}>{t('label')}</span>
      <select value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value as Sort)}>
        {[...sorts].map((sort) => (
          <option key={sort} value={sort}>
            {t(sort)}
          </option>
        ))}
      </select>
    </label>
  );
}
