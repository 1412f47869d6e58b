import { X } from 'lucide-react';
import { useEffect, useRef, type ComponentProps, type RefObject } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { catalogueQuery, type CatalogueSearch } from '../../api/web/catalogue-search.ts';
import type { PetView } from '../service/queries.ts';
import { useBulkWork, type Work } from './bulk/bulk-work.ts';
import { ReportDialog } from './bulk/report-dialog.tsx';
import { SelectAll } from './select-all.tsx';
import { clearSelection, followList, useSelection, toggleSelecting, useIsSelecting } from './selection/selection.ts';
import { SelectionActions } from './bulk/selection-actions.tsx';
import modeStyles from './select-mode.module.css';
import styles from './selection/selection-bar.module.css';
import { ViewSwitch } from './table/view-switch.tsx';

interface SelectionBarProps {
  search: CatalogueSearch;
  total: number | undefined;
  /** All loaded pets, in order. */
  pets: readonly PetView[];
  /** Called when the selection is empty and the focused element has disappeared. */
  onLastGone: () => void;
}

/** The actions for the selected pets, over the bottom of the list. */
export function SelectionBar({ search, total, pets, onLastGone }: SelectionBarProps) {
  const t = useTranslations('listEditing.selection');
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
          <Button variant="subtle" className={styles['clear']} onClick={clearSelection}>
            <X className={styles['clearIcon']} size="1.4em" aria-hidden="true" />
            <span className={styles['clearText']}>{t('clear')}</span>
          </Button>
        </>
      )}
      {report !== undefined && <ReportDialog report={report} />}
    </section>
  );
}

/**
 * Keeps the keyboard focus in the bar when the focused control disappears. When `state` changes and nothing has the
 * focus, the first button of the bar gets it, or `bringOut` is called if there is none.
 */
function useLostFocus(bar: RefObject<HTMLElement | null>, state: string, bringOut: () => void): void {
  const before = useRef(state);
  const out = useRef(bringOut);
  useEffect(() => {
    out.current = bringOut;
  });
  useEffect(() => {
    if (before.current === state) return undefined;
    before.current = state;
    const bring = () => {
      if (document.activeElement !== null && document.activeElement !== document.body) return;
      const button = bar.current?.querySelector('button');
      if (button) button.focus({ preventScroll: true });
      else out.current();
    };
    // After a dialog or menu that closes has returned the focus.
    const timer = setTimeout(bring);
    return () => clearTimeout(timer);
  }, [bar, state]);
}

function ProgressOfWork({ work: { isUndo, share, count, stop } }: { work: Work }) {
  const t = useTranslations('listEditing.bulk');
  const text = t(isUndo ? 'undoing' : 'working', { count });
  return (
    <>
      <p role="status" className={styles['working']}>
        {text}
      </p>
      <progress className={styles['progress']} value={share} aria-label={text} />
      <Button variant="default" onClick={stop}>
        {t('stop')}
      </Button>
    </>
  );
}

/** The switch of the view, and a toggle for the controls of all cards, on screens without hover. */
export function SelectMode({ onView }: ComponentProps<typeof ViewSwitch>) {
  const t = useTranslations('listEditing.selection');
  const isSelecting = useIsSelecting();
  return (
    <div className={modeStyles['modes']}>
      <ViewSwitch onView={onView} />
      <button type="button" className={modeStyles['button']} aria-pressed={isSelecting} onClick={toggleSelecting}>
        {t('mode')}
      </button>
    </div>
  );
}
