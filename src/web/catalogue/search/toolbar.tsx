import { SlidersHorizontal } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { usualSort, type CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import type { SearchAddress } from './search-address.ts';
import { partsOf } from './search-parts.ts';
import { SearchField } from './search-field.tsx';
import styles from './toolbar.module.css';

type Sort = NonNullable<CatalogueSearch['sort']>;

interface ToolbarProps {
  address: Pick<SearchAddress, 'search' | 'change' | 'replace'>;
  /** Where the filters do not stand beside the pets. */
  onOpenFilters: (() => void) | undefined;
  /** In the first view. */
  isInert?: boolean;
}

/** What is asked for in words, and in which order the answers come. */
export function Toolbar({ address: { search, change, replace }, onOpenFilters, isInert = false }: ToolbarProps) {
  return (
    <div className={styles['toolbar']} inert={isInert}>
      <SearchField
        text={search.text ?? ''}
        onSearch={(text) => replace({ text, ...(text === '' && search.sort === 'relevance' && { sort: undefined }) })}
      />
      <div className={styles['choices']}>
        {onOpenFilters !== undefined && <FiltersButton search={search} onOpen={onOpenFilters} />}
        <SortChoice search={search} onChoose={(sort) => change({ sort })} />
      </div>
    </div>
  );
}

function FiltersButton({ search, onOpen }: { search: CatalogueSearch; onOpen: () => void }) {
  const t = useTranslations('catalogue.filters');
  const count = partsOf(search).filter(({ kind }) => kind !== 'text').length;
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

function SortChoice({ search, onChoose }: { search: CatalogueSearch; onChoose: (sort: Sort) => void }) {
  const t = useTranslations('catalogue.sort');
  const usual = usualSort(search.text ?? '');
  const sorts: readonly Sort[] = [...(usual === 'relevance' ? ['relevance' as const] : []), 'newest', 'name', 'id'];
  return (
    <label className={styles['sort']}>
      <span className={styles['sortLabel']}>{t('label')}</span>
      <select value={search.sort ?? usual} onChange={({ currentTarget }) => onChoose(currentTarget.value as Sort)}>
        {sorts.map((sort) => (
          <option key={sort} value={sort}>
            {t(sort)}
          </option>
        ))}
      </select>
    </label>
  );
}
