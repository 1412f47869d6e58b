import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { WEB_PARTS } from '../features/features.ts';
import { usePermissions } from '../service/current-user.ts';
import { CatalogueLayout } from './catalogue-layout.tsx';
import { useWords } from '../texts/words.ts';
import styles from './catalogue-page.module.css';
import { ActiveFilters } from './search/active-filters.tsx';
import { useFilterSidebar } from './search/filter-sidebar.ts';
import { Filters } from './search/filters.tsx';
import { QuickFilters } from './search/quick-filters.tsx';
import { useSearchResults } from './search-results.ts';
import { Results, type ResultsProps } from './results.tsx';
import { useSearchAddress } from './search/search-address.ts';
import { criteriaOf } from './search/search-criteria.ts';
import { SearchField } from './search/search-field.tsx';
import { Toolbar } from './search/toolbar.tsx';
import { SiteWelcome } from './welcome/site-welcome.tsx';
import { firstIdle, loadWhenIdle } from '../service/browser.ts';

const forStaff = <Name extends 'SelectionBar' | 'SelectMode'>(name: Name) =>
  lazy(async () => ({ default: (await loadWhenIdle(() => import('../list-editing/selection-bar.tsx')))[name] }));

const SelectionBar = forStaff('SelectionBar');
const SelectMode = forStaff('SelectMode');

const BESIDE_RESULTS = WEB_PARTS.flatMap(({ BesideResults }) => BesideResults ?? []);

const loadFilterSheet = () => import('./search/filter-sheet.tsx');

const FilterSheet = lazy(async () => ({ default: (await loadFilterSheet()).FilterSheet }));

export { Filters };

/** Cards or, for staff, a table. */
type ResultsView = (props: ResultsProps) => ReactNode;

/** The front page: all pets, or the results of a search. The search is in the address. */
export function CataloguePage() {
  const top = useRef<HTMLDivElement>(null);
  // A new search starts at its first result, even if the user has scrolled down.
  const goToTop = useCallback(() => {
    if ((top.current?.getBoundingClientRect().top ?? 0) < 0) top.current?.scrollIntoView();
  }, []);
  const address = useSearchAddress(goToTop);
  const [{ View }, setView] = useState<{ View: ResultsView }>({ View: Results });
  const showView = useCallback((Table: ResultsView = Results) => setView({ View: Table }), []);
  const results = useSearchResults(address.search, View === Results ? undefined : 'profile');
  const { total, isPlaceholderData } = results;
  const [isSheetOpen, setSheetOpen] = useState(false);
  const isWide = useFilterSidebar();
  useEffect(() => {
    // So that the sheet opens immediately, also offline.
    if (!isWide) void firstIdle().then(() => loadFilterSheet().catch(() => {}));
  }, [isWide]);
  const search = (
    <>
      <Toolbar
        address={address}
        searchField={<SearchField address={address} />}
        onOpenFilters={isWide ? undefined : () => setSheetOpen(true)}
      />
      {/* With a key: filters that were chosen in the sheet come first. */}
      {!isWide && <QuickFilters key={String(isSheetOpen)} address={address} />}
    </>
  );
  return (
    <>
      <CatalogueLayout
        ref={top}
        welcome={<SiteWelcome />}
        search={search}
        filters={isWide ? <Filters address={address} /> : undefined}
      >
        <ResultsPane
          address={address}
          results={results}
          hasQuickFilters={!isWide}
          goToTop={goToTop}
          View={View}
          onView={showView}
        />
      </CatalogueLayout>
      {isSheetOpen && !isWide && (
        <Suspense>
          <FilterSheet
            address={address}
            total={isPlaceholderData ? undefined : total}
            onClose={() => setSheetOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}

interface ResultsPaneProps extends ResultsProps {
  hasQuickFilters: boolean;
  goToTop: () => void;
  View: ResultsView;
  onView: (Table?: ResultsView) => void;
}

/** The results, with their number and the controls of staff above them. */
function ResultsPane({ address, results, hasQuickFilters, goToTop, View, onView }: ResultsPaneProps) {
  const count = useRef<HTMLParagraphElement>(null);
  const { items, total, arrivals, showArrivals } = results;
  const pets = useMemo(() => items?.map(({ pet }) => pet) ?? [], [items]);
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
        <p ref={count} id="results" tabIndex={-1} role="status" className={styles['count']}>
          <CountText results={results} />
        </p>
        {criteriaOf(address.search).length > 0 &&
          BESIDE_RESULTS.map((Part, index) => (
            <div key={index} className={styles['mail']}>
              <Suspense>
                <Part search={address.search} isWide={!hasQuickFilters} />
              </Suspense>
            </div>
          ))}
        <ActiveFilters address={address} hasQuickFilters={hasQuickFilters} onLastGone={() => count.current?.focus()} />
        {writePets && (
          <Suspense>
            <SelectMode onView={onView} />
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
      <View address={address} results={results} />
    </>
  );
}

/** A button that shows new pets of other users, so that no card moves under the pointer. */
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

/** Announced by screen readers when the results change. */
function CountText({ results }: Pick<ResultsProps, 'results'>) {
  const { total, correctedText, synonyms = [], isPlaceholderData, isError, isPaused } = results;
  const t = useTranslations('catalogue.results');
  const format = useFormatter();
  const { label, breed } = useWords();
  if (total === undefined || (isPlaceholderData && isPaused)) return isError || isPaused ? ' ' : t('loading');
  const count = t('count', { count: total });
  const notes = [
    ...(correctedText === undefined ? [] : [t('corrected', { text: correctedText })]),
    ...synonyms.map(({ names }) =>
      t('synonyms', { names: format.list(names.map((name) => label(breed(name, undefined)))) }),
    ),
  ];
  if (notes.length === 0 || total === 0) return count;
  return (
    <>
      {count} <span className={styles['notes']}>{notes.join(' · ')}</span>
    </>
  );
}
