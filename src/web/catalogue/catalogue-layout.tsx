import type { ReactNode, Ref } from 'react';
import { useTranslations } from 'use-intl';
import { Page } from '../design/page.tsx';
import styles from './catalogue-page.module.css';

interface CatalogueLayoutProps {
  ref?: Ref<HTMLDivElement>;
  /** Above the heading. */
  welcome?: ReactNode;
  /** Above the pets. */
  search: ReactNode;
  /** Beside the pets, on wide screens. */
  filters?: ReactNode;
  children: ReactNode;
}

/** The page of the catalogue, in the application and in the first view. */
export function CatalogueLayout({ ref, welcome, search, filters, children }: CatalogueLayoutProps) {
  const t = useTranslations('catalogue');
  return (
    <Page title={t('title')} above={welcome}>
      <div ref={ref} className={styles['columns']}>
        {/* First in the tab order: the filters have dozens of tab stops. */}
        <div className={styles['top']}>{search}</div>
        {filters !== undefined && (
          <aside className={styles['side']} aria-label={t('filters.title')}>
            {filters}
          </aside>
        )}
        <div className={styles['main']}>{children}</div>
      </div>
    </Page>
  );
}
