import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { toggle, type CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { StatusMark } from '../../design/badge.tsx';
import { useWords } from '../../texts/words.ts';
import styles from './quick-filters.module.css';
import type { SearchChange } from './search-criteria.ts';

const MAX_CATEGORIES = 8;

/** A quick filter: available pets, or the pets of one category. */
export interface QuickFilter {
  /** Undefined for available pets. */
  category: string | undefined;
  /** Toggles the filter. */
  change: SearchChange;
  attributes: { className: string | undefined; 'data-quick': true; 'data-chosen': true | undefined };
  children: ReactNode;
}

interface QuickListProps {
  search: CatalogueSearch;
  /** The search when the list was opened, whose filters come first. */
  initial?: CatalogueSearch;
  /** All categories, the most used first. */
  categories: readonly string[];
  className?: string | undefined;
  /** A button in the application, a link in the first view. */
  renderFilter: (choice: QuickFilter) => ReactNode;
}

/** Filters that are one tap away on screens without the sidebar. */
export function QuickList({ search, initial, categories, className = '', renderFilter }: QuickListProps) {
  const t = useTranslations();
  const { label } = useWords();
  return (
    <ul className={`${styles['quick']} ${className}`} aria-label={t('catalogue.filters.quick')}>
      {order(categories, search, initial).map((category) => {
        const isAvailability = category === undefined;
        const isChosen = isAvailability ? search.status?.includes('available') : search.category?.includes(category);
        return (
          <li key={category ?? ''}>
            {renderFilter({
              category,
              change: isAvailability
                ? { status: toggle(search.status, 'available') }
                : { category: toggle(search.category, category) },
              attributes: { className: styles['filter'], 'data-quick': true, 'data-chosen': isChosen || undefined },
              children: (
                <>
                  {isAvailability && (
                    <span className={styles['mark']} data-status="available">
                      <StatusMark status="available" />
                    </span>
                  )}
                  <span className="line">{category === undefined ? t('pet.status.available') : label(category)}</span>
                </>
              ),
            })}
          </li>
        );
      })}
    </ul>
  );
}

/** Chosen filters come first. They keep their places when one is tapped. */
function order(
  categories: readonly string[],
  search: CatalogueSearch,
  initial = search,
): readonly (string | undefined)[] {
  const shown = new Set([undefined, ...categories.slice(0, MAX_CATEGORIES), ...(search.category ?? [])]);
  const first = [...(initial.status?.includes('available') ? [undefined] : []), ...(initial.category ?? [])];
  return [...new Set([...first, ...shown])].filter((each) => shown.has(each));
}
