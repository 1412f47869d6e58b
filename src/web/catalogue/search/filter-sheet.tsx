import { X } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { Filters } from './filters.tsx';
import type { SearchAddress } from './search-address.ts';
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
  return (
    <dialog ref={dialog} className={styles['sheet']} aria-labelledby="filters-title" closedby="any" onClose={onClose}>
      <header className={styles['header']}>
        <h2 id="filters-title">{t('title')}</h2>
        <button type="button" className={styles['close']} aria-label={t('close')} onClick={close}>
          <X size="1.375em" aria-hidden="true" />
        </button>
      </header>
      <div className={styles['body']}>
        <Filters address={address} />
      </div>
      <footer className={styles['footer']}>
        <button type="button" className={styles['show']} onClick={close}>
          {total === undefined ? t('showUnknown') : t('show', { count: total })}
        </button>
      </footer>
    </dialog>
  );
}
