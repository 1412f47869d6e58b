import { X } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { catalogueQuery } from '../../../api/web/catalogue-search.ts';
import { useBackToClose } from '../../design/back-to-close.ts';
import { Filters } from './filters.tsx';
import type { SearchAddress } from './search-address.ts';
import { changeSearch, type SearchChange } from './search-criteria.ts';
import styles from './filter-sheet.module.css';

interface FilterSheetProps {
  address: SearchAddress;
  /** The number of results; undefined while it is unknown. */
  total: number | undefined;
  onClose: () => void;
}

/** The filters on a small screen, as a sheet over the pets. */
export function FilterSheet({ address, total, onClose }: FilterSheetProps) {
  const t = useTranslations('catalogue.filters');
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = () => dialog.current?.close();
  const { search, replace, show } = address;
  const [first] = useState(search);
  const chosen = useRef(search);
  useBackToClose(() => {
    close();
    // Going back closes the sheet, and keeps the filters.
    if (catalogueQuery(chosen.current).toString() !== catalogueQuery(first).toString()) show(chosen.current);
  });
  // The history entry of the sheet takes all changes.
  const change = (part: SearchChange) => {
    chosen.current = changeSearch(search, part);
    replace(part);
  };
  return (
    <dialog ref={dialog} className={styles['sheet']} aria-labelledby="filters-title" closedby="any" onClose={onClose}>
      <header className={styles['header']}>
        <h2 id="filters-title">{t('title')}</h2>
        <button type="button" className={styles['close']} aria-label={t('close')} onClick={close}>
          <X size="1.375em" aria-hidden="true" />
        </button>
      </header>
      <div className={styles['body']}>
        <Filters address={{ ...address, change }} />
      </div>
      <footer className={styles['footer']}>
        <button type="button" className={styles['show']} onClick={close}>
          {total === undefined ? t('showUnknown') : t('show', { count: total })}
        </button>
      </footer>
    </dialog>
  );
}
