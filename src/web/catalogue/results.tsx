import { useQuery } from '@tanstack/react-query';
import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { CatalogueSearch } from '../../api/web/catalogue-search.ts';
import { MenagerieError } from '../../client/failures.ts';
import { LinkButton } from '../design/buttons.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { QueryError } from '../routing/error-pages.tsx';
import { extraPart } from '../service/browser.ts';
import { usePermissions } from '../service/current-user.ts';
import { useFailureText } from '../service/failure-text.ts';
import { nextPageSize, petCountQuery } from '../service/queries.ts';
import { PetGrid } from './pet-grid.tsx';
import styles from './results.module.css';
import type { SearchAddress } from './search/search-address.ts';
import { criteriaOf } from './search/search-criteria.ts';
import type { useSearchResults } from './search-results.ts';

const EmptyResults = extraPart(async () => (await import('./empty-results.tsx')).EmptyResults);

interface MorePetsProps {
  results: ReturnType<typeof useSearchResults>;
  /** @param isByKeyboard activated without a pointer */
  onMore: (isByKeyboard: boolean) => void;
}

/** The size of the page that comes with the document. */
const FIRST_PAGE_SIZE = 24;
/**
 * Number of results that are loaded by scrolling. After that the user clicks "Show more", so that the footer can be
 * reached.
 */
const AUTO_LOADED = 480;

export interface ResultsProps {
  address: SearchAddress;
  results: ReturnType<typeof useSearchResults>;
}

/** The results of a search, or the reason why there are none. */
export function Results({ address, results }: ResultsProps) {
  const { items, error, isPaused, isPlaceholderData, refetch } = results;
  if (isPaused && (items === undefined || isPlaceholderData)) return <Offline />;
  if (error !== null && items === undefined) return <SearchError error={error} onRetry={() => void refetch()} />;
  if (items?.length === 0 && !isPlaceholderData) return <NoPets address={address} />;
  return <ResultsGrid search={address.search} results={results} />;
}

function ResultsGrid({ search, results }: { search: CatalogueSearch } & Pick<ResultsProps, 'results'>) {
  const {
    items = [],
    resultsAddress,
    total,
    savedCount,
    isPlaceholderData,
    hasNextPage,
    isFetching,
    isFetchNextPageError,
  } = results;
  const { fetchNextPage } = results;
  const [requested, setRequested] = useState({ search, limit: AUTO_LOADED });
  const limit = requested.search === search ? requested.limit : AUTO_LOADED;
  const canLoadMore =
    hasNextPage && !isPlaceholderData && !isFetchNextPageError && items.length < Math.max(limit, savedCount);
  const loadMore = useCallback(() => {
    if (canLoadMore && !isFetching) void fetchNextPage();
  }, [canLoadMore, isFetching, fetchNextPage]);
  const grid = useRef<HTMLDivElement>(null);
  const [awaitedIndex, focusFrom] = useFocusNewCard(grid, items.length);
  return (
    <div ref={grid}>
      <PetGrid
        items={items}
        resultsAddress={resultsAddress}
        slotCount={slotCountOf(items.length, canLoadMore, { total, savedCount })}
        total={total}
        isOld={isPlaceholderData}
        awaitedIndex={awaitedIndex}
        onNearEnd={loadMore}
      />
      {items.length > 0 && (
        <MorePets
          key={resultsAddress}
          results={results}
          onMore={(isByKeyboard) => {
            setRequested({ search, limit: items.length + AUTO_LOADED });
            if (isByKeyboard) focusFrom(items.length);
            void fetchNextPage();
          }}
        />
      )}
    </div>
  );
}

/** The cards to reserve space for, so that nothing moves if the user scrolls faster than the next page loads. */
function slotCountOf(
  loaded: number,
  canLoadMore: boolean,
  { total = Number.POSITIVE_INFINITY, savedCount }: Pick<ResultsProps['results'], 'total' | 'savedCount'>,
): number {
  return Math.max(
    loaded,
    canLoadMore ? Math.min(loaded + nextPageSize(loaded), total) : 0,
    loaded === 0 ? FIRST_PAGE_SIZE : 0,
    canLoadMore || loaded === 0 ? savedCount : 0,
  );
}

/** After "Show more" by keyboard, moves the focus to the first new card. */
function useFocusNewCard(
  grid: React.RefObject<HTMLElement | null>,
  count: number,
): [awaitedIndex: number | undefined, focusFrom: (index: number) => void] {
  const [awaited, setAwaited] = useState<{ index: number }>();
  const focused = useRef<typeof awaited>(undefined);
  useEffect(() => {
    if (awaited === undefined || awaited === focused.current || count <= awaited.index) return;
    focused.current = awaited;
    grid.current?.querySelector<HTMLElement>(`[data-index="${awaited.index}"] a`)?.focus();
  }, [grid, count, awaited]);
  return [awaited?.index, (index) => setAwaited({ index })];
}

/** An empty catalogue is reported as such, even for a search: no other search would find more. */
function NoPets({ address }: Pick<ResultsProps, 'address'>) {
  const isSearch = criteriaOf(address.search).length > 0;
  const all = useQuery({ ...petCountQuery({}), enabled: isSearch });
  if (!isSearch || all.data === 0) return <EmptyCatalogue />;
  if (all.isLoading) return null;
  return (
    <Suspense>
      <EmptyResults address={address} />
    </Suspense>
  );
}

function EmptyCatalogue() {
  const t = useTranslations('catalogue.empty');
  const { writePets } = usePermissions();
  return (
    <EmptyState title={t('title')} actions={writePets && <LinkButton to="/pets/new">{t('action')}</LinkButton>}>
      {writePets ? t('staff') : t('text')}
    </EmptyState>
  );
}

function Offline() {
  const t = useTranslations('catalogue.error');
  return <EmptyState title={t('offlineTitle')}>{t('offline')}</EmptyState>;
}

function SearchError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const t = useTranslations('catalogue');
  // The service requires at least one word and at most ten.
  if (error instanceof MenagerieError && error.code === 'invalid-input')
    return <EmptyState title={t('nothing.title')}>{t('nothing.words')}</EmptyState>;
  return <QueryError error={error} onRetry={onRetry} title={t('error.title')} />;
}

/** Below the results: their number, and a button for more. */
function MorePets({ results, onMore }: MorePetsProps) {
  const t = useTranslations('catalogue');
  const failureText = useFailureText();
  const { items = [], total, hasNextPage, isFetchingNextPage, isFetchNextPageError, error } = results;
  const shown = items.length;
  return (
    <div className={styles['more']}>
      <p role="status" className="soft">
        {hasNextPage && total !== undefined && t('results.shown', { shown, total })}
      </p>
      {isFetchNextPageError && error !== null && (
        <p role="alert" className="wrong">
          {t('error.more')} {failureText(error)}
        </p>
      )}
      {hasNextPage && (
        <button
          type="button"
          className={styles['button']}
          aria-disabled={isFetchingNextPage}
          onClick={({ detail }) => {
            if (!isFetchingNextPage) onMore(detail === 0);
          }}
        >
          {isFetchingNextPage ? t('results.loadingMore') : t('results.more')}
        </button>
      )}
    </div>
  );
}
