import { Button } from '@mantine/core';
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { catalogueQuery, type CatalogueSearch } from '../../api/web/catalogue-search.ts';
import type { FoundPage, PetView } from '../service/queries.ts';
import { useBulkWork } from './bulk/bulk-work.ts';
import { ProgressOfWork } from './bulk/progress-of-work.tsx';
import { ReportDialog } from './bulk/report-dialog.tsx';
import { useLostFocus } from './lost-focus.ts';
import { SelectAll } from './select-all.tsx';
import { clearSelection, followList, useSelection } from './selection.ts';
import { SelectionActions } from './bulk/selection-actions.tsx';
import styles from './selection-bar.module.css';

interface SelectionBarProps {
  search: CatalogueSearch;
  total: FoundPage['total'] | undefined;
  /** All that have been loaded, in their order. */
  pets: readonly PetView[];
  /** Nothing is selected any more, and the focus was on what has gone. */
  onLastGone: () => void;
}

/** What can be done with the pets that are selected, over the bottom of the list. */
export function SelectionBar({ search, total, pets, onLastGone }: SelectionBarProps) {
  const t = useTranslations('staff.selection');
  const selection = useSelection();
  const { work, report } = useBulkWork();
  const address = catalogueQuery(search).toString();
  useEffect(() => followList(address, pets), [address, pets]);
  const isShown = selection.size > 0 || work !== undefined;
  const bar = useRef<HTMLElement>(null);
  useLostFocus(bar, `${isShown} ${work !== undefined} ${report !== undefined}`, onLastGone);
  return (
    <section ref={bar} className={styles['bar']} data-shown={isShown || undefined} aria-label={t('title')}>
      <p role="status" className={styles['count']}>
        {selection.size > 0 && t('count', { count: selection.size })}
      </p>
      {work !== undefined && <ProgressOfWork work={work} />}
      {work === undefined && selection.size > 0 && (
        <>
          <SelectAll search={search} total={total} />
          <SelectionActions pets={[...selection.values()]} />
          <Button variant="subtle" className={styles['clear'] ?? ''} onClick={clearSelection}>
            <X className={styles['clearIcon']} size="1.4em" aria-hidden="true" />
            <span className={styles['clearText']}>{t('clear')}</span>
          </Button>
        </>
      )}
      {report !== undefined && <ReportDialog report={report} />}
    </section>
  );
}
