import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { usePermissions } from '../service/current-user.ts';
import { CatalogueLayout } from './catalogue-layout.tsx';
import styles from './catalogue-page.module.css';
import { ChosenFilters } from './search/chosen-filters.tsx';
import { FilterSheet } from './search/filter-sheet.tsx';
import { useFiltersBeside } from './search/filters-beside.ts';
import { Filters } from './search/filters.tsx';
import { QuickChoices } from './search/quick-choices.tsx';
import { useFoundPets } from './found-pets.ts';
import { Results, type ResultsProps } from './results.tsx';
import { useSearchAddress } from './search/search-address.ts';
import { Toolbar } from './search/toolbar.tsx';
import { firstIdle } from '../service/browser.ts';

const SelectionBar = lazy(async () => {
  await firstIdle();
  return { default: (await import('../list-editing/selection-bar.tsx')).SelectionBar };
});

const SelectMode = lazy(async () => {
  await firstIdle();
  return { default: (await import('../list-editing/selection-bar.tsx')).SelectMode };
});

/** The front page: all pets, or those that a search finds. The whole search is in the address. */
export function CataloguePage() {
  const top = useRef<HTMLDivElement>(null);
  // A new search starts at its first result, also for a reader who has scrolled down.
  const goToTop = useCallback(() => {
    if ((top.current?.getBoundingClientRect().top ?? 0) < 0) top.current?.scrollIntoView();
  }, []);
  const address = useSearchAddress(goToTop);
  const results = useFoundPets(address.search);
  const { total, isPlaceholderData } = results;
  const [isSheetOpen, setSheetOpen] = useState(false);
  const isWide = useFiltersBeside();
  const search = (
    <>
      <Toolbar address={address} onOpenFilters={isWide ? undefined : () => setSheetOpen(true)} />
      {!isWide && <QuickChoices address={address} />}
    </>
  );
  return (
    <>
      <CatalogueLayout ref={top} search={search} filters={isWide ? <Filters address={address} /> : undefined}>
        <FoundPets address={address} results={results} areQuickBeside={!isWide} goToTop={goToTop} />
      </CatalogueLayout>
      {isSheetOpen && !isWide && (
        <FilterSheet
          address={address}
          total={isPlaceholderData ? undefined : total}
          onClose={() => setSheetOpen(false)}
        />
      )}
    </>
  );
}

interface FoundPetsProps extends ResultsProps {
  areQuickBeside: boolean;
  goToTop: () => void;
}

/** The results, and above them their number and the controls of staff. */
function FoundPets({ address, results, areQuickBeside, goToTop }: FoundPetsProps) {
  const count = useRef<HTMLParagraphElement>(null);
  const { found, total, arrivals, showArrivals } = results;
  const pets = useMemo(() => found?.map(({ pet }) => pet) ?? [], [found]);
  const { writePets } = usePermissions();
  const focusCount = () => count.current?.focus({ preventScroll: true });
  return (
    <>
      {writePets && (
        <Suspense>
          <SelectionBar search={address.search} total={total} pets={pets} onLastGone={focusCount} />
        </Suspense>
      )}
      <div className={styles['summary']}>
        <p ref={count} tabIndex={-1} role="status" className={styles['count']}>
          <CountText results={results} />
        </p>
        <ChosenFilters address={address} areQuickBeside={areQuickBeside} onLastGone={() => count.current?.focus()} />
        {writePets && (
          <Suspense>
            <SelectMode />
          </Suspense>
        )}
      </div>
      <NewPets
        count={arrivals}
        onShow={() => {
          showArrivals();
          goToTop();
          focusCount();
        }}
      />
      <Results address={address} results={results} />
    </>
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
function CountText({ results: { total, isPlaceholderData, isError, isPaused } }: Pick<ResultsProps, 'results'>) {
  const t = useTranslations('catalogue.results');
  if (total === undefined || (isPlaceholderData && isPaused)) return isError || isPaused ? ' ' : t('loading');
  return t(total.exact ? 'count' : 'many', { count: total.count });
}
