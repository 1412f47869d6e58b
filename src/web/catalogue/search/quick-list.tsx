import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { quickKinds, toggle, type CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { StatusMark } from '../../design/status-badge.tsx';
import styles from './quick-choices.module.css';
import type { SearchChange } from './search-parts.ts';

/** A choice: available pets, or the pets of one category. */
export interface QuickChoice {
  /** Undefined for available pets. */
  category: string | undefined;
  /** Adds the choice to the search, or takes it out. */
  change: SearchChange;
  /** The attributes of the element that `Choice` renders. */
  look: { className: string | undefined; 'data-quick': true; 'data-chosen': true | undefined };
  children: ReactNode;
}

interface QuickListProps {
  search: CatalogueSearch;
  /** All of them, the most used first. */
  categories: readonly string[];
  className?: string | undefined;
  /** A button in the application, a link in the first view. */
  renderChoice: (choice: QuickChoice) => ReactNode;
}

/** The choices that are one tap away where the filters have no place beside the pets. */
export function QuickList({ search, categories, className = '', renderChoice }: QuickListProps) {
  const t = useTranslations();
  return (
    <ul className={`${styles['quick']} ${className}`} aria-label={t('catalogue.filters.quick')}>
      <li>
        {renderChoice({
          category: undefined,
          change: { status: toggle(search.status, 'available') },
          look: lookOf(search.status?.includes('available')),
          children: (
            <>
              <span className={styles['mark']} data-status="available">
                <StatusMark status="available" />
              </span>
              <span className={styles['name']}>{t('pet.status.available')}</span>
            </>
          ),
        })}
      </li>
      {quickKinds(categories, search).map((category) => (
        <li key={category}>
          {renderChoice({
            category,
            change: { category: toggle(search.category, category) },
            look: lookOf(search.category?.includes(category)),
            children: <span className={styles['name']}>{category}</span>,
          })}
        </li>
      ))}
    </ul>
  );
}

function lookOf(isChosen: boolean | undefined): QuickChoice['look'] {
  return { className: styles['choice'], 'data-quick': true, 'data-chosen': isChosen === true || undefined };
}
