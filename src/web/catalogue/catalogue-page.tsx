import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Page } from '../design/page.tsx';
import { usePermissions } from '../service/viewer.ts';
import styles from './catalogue-page.module.css';
import { ChosenFilters } from './search/chosen-filters.tsx';
import { FilterSheet } from './search/filter-sheet.tsx';
import { useFiltersBeside } from './search/filters-beside.ts';
import { Filters } from './search/filters.tsx';
import { QuickChoices } from './search/quick-choices.tsx';
import { useFoundPets } from './found-pets.ts';
import { Results } from './results.tsx';
import { useSearchAddress } from './search/search-address.ts';
import { Toolbar } from './search/toolbar.tsx';
import { firstRest } from '../service/first-rest.ts';

const SelectionBar = lazy(async () => {
  await firstRest();
  return { default: (await import('../staff/selection-bar.tsx')).SelectionBar };
});

const SelectMode = lazy(async () => {
  await firstRest();
  return { default: (await import('../staff/selection-bar.tsx')).SelectMode };
});

/** The front page: all pets, or those that are looked for. All of what is looked for stands in the address. */
export function CataloguePage() {
  const t = useTranslations('catalogue');
  const top = useRef<HTMLDivElement>(null);
  // Another search begins at its beginning, for somebody who has scrolled further down.
  const goToTop = useCallback(() => {
    if ((top.current?.getBoundingClientRect().top ?? 0) < 0) top.current?.scrollIntoView();
  }, []);
  const address = useSearchAddress(goToTop);
  const { search } = address;
  const results = useFoundPets(search);
  const { found, total, isPlaceholderData } = results;
  const [isSheetOpen, setSheetOpen] = useState(false);
  const isWide = useFiltersBeside();
  const count = useRef<HTMLParagraphElement>(null);
  const pets = useMemo(() => found?.map(({ pet }) => pet) ?? [], [found]);
  const { writePets } = usePermissions();
  return (
    <Page title={t('title')}>
      <div ref={top} className={styles['columns']}>
        {/* First in the order of the keyboard: the filters are dozens of stops. */}
        <div className={styles['top']}>
          <Toolbar address={address} onOpenFilters={isWide ? undefined : () => setSheetOpen(true)} />
          {!isWide && <QuickChoices address={address} />}
        </div>
        {isWide && (
          <aside className={styles['side']} aria-label={t('filters.title')}>
            <Filters address={address} />
          </aside>
        )}
        <div className={styles['main']}>
          {writePets && (
            <Suspense>
              <SelectionBar
                search={search}
                total={total}
                pets={pets}
                onLastGone={() => count.current?.focus({ preventScroll: true })}
              />
            </Suspense>
          )}
          <div className={styles['summary']}>
            <p ref={count} tabIndex={-1} role="status" className={styles['count']}>
              <CountText results={results} />
            </p>
            <ChosenFilters address={address} areQuickBeside={!isWide} onLastGone={() => count.current?.focus()} />
            {writePets && (
              <Suspense>
                <SelectMode />
              </Suspense>
            )}
          </div>
          <NewPets
            count={results.arrivals}
            onShow={() => {
              results.showArrivals();
              goToTop();
              count.current?.focus({ preventScroll: true });
            }}
          />
          <Results address={address} results={results} />
        </div>
      </div>
      {isSheetOpen && !isWide && (
        <FilterSheet
          address={address}
          total={isPlaceholderData ? undefined : total}
          onClose={() => setSheetOpen(false)}
        />
      )}
    </Page>
  );
}

/** New pets of others are shown when they are asked for: no card moves under the pointer. */
function NewPets({ count, onShow }: { count: number; onShow: () => void }) {
  const t = useTranslations('catalogue.results');
  return (
    <div role="status" className={styles['arrivals']}>
      {count > 0 && (
        <button type="button" className={styles['arrival']} onClick={onShow}>
          {t('new', { count })}
        </button>
      )}
    </div>
  );
}

/** Told to those who do not see the pets change. */
function CountText({
  results: { total, isPlaceholderData, isError, isPaused },
}: Pick<Parameters<typeof Results>[0], 'results'>) {
  const t = useTranslations('catalogue.results');
  if (total === undefined || (isPlaceholderData && isPaused)) return isError || isPaused ? ' ' : t('loading');
  return t(total.exact ? 'count' : 'many', { count: total.count });
}
