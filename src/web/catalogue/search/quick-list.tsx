import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { quickCategories, toggle, type CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { StatusMark } from '../../design/status-badge.tsx';
import styles from './quick-filters.module.css';
import type { SearchChange } from './search-criteria.ts';

/** A quick filter: available pets, or the pets of one category. */
export interface QuickFilter {
  /** Undefined for available pets. */
  category: string | undefined;
  /** Toggles the filter. */
  change: SearchChange;
  /** Attributes of the rendered element. */
  attributes: { className: string | undefined; 'data-quick': true; 'data-chosen': true | undefined };
  children: ReactNode;
}

interface QuickListProps {
  search: CatalogueSearch;
  /** All categories, the most used first. */
  categories: readonly string[];
  className?: string | undefined;
  /** A button in the application, a link in the first view. */
  renderFilter: (choice: QuickFilter) => ReactNode;
}

/** Filters that are one tap away on screens without the sidebar. */
export function QuickList({ search, categories, className = '', renderFilter }: QuickListProps) {
  const t = useTranslations();
  return (
    <ul className={`${styles['quick']} ${className}`} aria-label={t('catalogue.filters.quick')}>
      <li>
        {renderFilter({
          category: undefined,
          change: { status: toggle(search.status, 'available') },
          attributes: attributesOf(search.status?.includes('available')),
          children: (
            <>
              <span className={styles['mark']} data-status="available">
                <StatusMark status="available" />
              </span>
              <span className="line">{t('pet.status.available')}</span>
            </>
          ),
        })}
      </li>
      {quickCategories(categories, search).map((category) => (
        <li key={category}>
          {renderFilter({
            category,
            change: { category: toggle(search.category, category) },
            attributes: attributesOf(search.category?.includes(category)),
            children: <span className="line">{category}</span>,
          })}
        </li>
      ))}
    </ul>
  );
}

function attributesOf(isChosen: boolean | undefined): QuickFilter['attributes'] {
  return { className: styles['filter'], 'data-quick': true, 'data-chosen': isChosen === true || undefined };
}
