import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { QueryTrouble } from '../app/error-pages.tsx';
import { MenagerieError } from '../../client/failures.ts';
import type { CatalogueSearch } from '../../api/web/catalogue-search.ts';
import { LinkButton } from '../design/buttons.tsx';
import { Scene } from '../design/scene.tsx';
import { nextPageSize, petCountQuery } from '../service/queries.ts';
import { usePermissions } from '../service/current-user.ts';
import type { useFoundPets } from './found-pets.ts';
import { MorePets } from './more-pets.tsx';
import { NothingFound } from './nothing-found.tsx';
import { PetGrid } from './pet-grid.tsx';
import type { SearchAddress } from './search/search-address.ts';
import { partsOf } from './search/search-parts.ts';

/** As many come with the page. */
const PLACES_AT_FIRST = 24;
/** As many come by themselves while one scrolls, until "Show more" is asked for: the end of the page can be reached. */
const COMING_BY_THEMSELVES = 480;

export interface ResultsProps {
  address: SearchAddress;
  results: ReturnType<typeof useFoundPets>;
}

/** The pets that are found, or what is to be said where there are none. */
export function Results({ address, results }: ResultsProps) {
  const { found, error, isPaused, isPlaceholderData, refetch } = results;
  if (isPaused && (found === undefined || isPlaceholderData)) return <Offline />;
  if (error !== null && found === undefined) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (found?.length === 0 && !isPlaceholderData) return <NoPets address={address} />;
  return <FoundPets search={address.search} results={results} />;
}

function FoundPets({ search, results }: { search: CatalogueSearch } & Pick<ResultsProps, 'results'>) {
  const {
    found = [],
    answered,
    total,
    expected,
    isPlaceholderData,
    hasNextPage,
    isFetching,
    isFetchNextPageError,
  } = results;
  const { fetchNextPage } = results;
  const [asked, setAsked] = useState({ search, limit: COMING_BY_THEMSELVES });
  const limit = asked.search === search ? asked.limit : COMING_BY_THEMSELVES;
  const isGoingOn =
    hasNextPage && !isPlaceholderData && !isFetchNextPageError && found.length < Math.max(limit, expected);
  const goOn = useCallback(() => {
    if (isGoingOn && !isFetching) void fetchNextPage();
  }, [isGoingOn, isFetching, fetchNextPage]);
  const grid = useRef<HTMLDivElement>(null);
  const focusFrom = useFocusOnArrival(grid, found.length);
  const exact = total?.exact === true ? total.count : undefined;
  const places = Math.max(
    found.length,
    // What comes finds its place kept: nothing moves below those who are faster than it.
    isGoingOn ? Math.min(found.length + nextPageSize(found.length), exact ?? Number.POSITIVE_INFINITY) : 0,
    found.length === 0 ? PLACES_AT_FIRST : 0,
    isGoingOn || found.length === 0 ? expected : 0,
  );
  return (
    <div ref={grid}>
      <PetGrid
        found={found}
        answered={answered}
        places={places}
        total={exact}
        isOld={isPlaceholderData}
        onNearEnd={goOn}
      />
      {found.length > 0 && (
        <MorePets
          key={answered}
          results={results}
          onMore={(isByKeyboard) => {
            setAsked({ search, limit: found.length + COMING_BY_THEMSELVES });
            if (isByKeyboard) focusFrom(found.length);
            void fetchNextPage();
          }}
        />
      )}
    </div>
  );
}

/** Who asked for more by keyboard goes on at the first that has come. */
function useFocusOnArrival(grid: React.RefObject<HTMLElement | null>, count: number): (place: number) => void {
  const wanted = useRef<number>(undefined);
  useEffect(() => {
    const place = wanted.current;
    if (place === undefined || count <= place) return;
    wanted.current = undefined;
    grid.current?.querySelector<HTMLElement>(`[data-index="${place}"] a`)?.focus();
  }, [grid, count]);
  return (place) => {
    wanted.current = place;
  };
}

/** An empty catalogue says so to a search as well: no other search finds more. */
function NoPets({ address }: Pick<ResultsProps, 'address'>) {
  const isSearch = partsOf(address.search).length > 0;
  const all = useQuery({ ...petCountQuery({}), enabled: isSearch });
  if (!isSearch || all.data?.count === 0) return <EmptyCatalogue />;
  return all.isLoading ? null : <NothingFound address={address} />;
}

function EmptyCatalogue() {
  const t = useTranslations('catalogue.empty');
  const { writePets } = usePermissions();
  return (
    <Scene title={t('title')} actions={writePets && <LinkButton to="/pets/new">{t('action')}</LinkButton>}>
      {writePets ? t('staff') : t('text')}
    </Scene>
  );
}

function Offline() {
  const t = useTranslations('catalogue.trouble');
  return <Scene title={t('offlineTitle')}>{t('offline')}</Scene>;
}

function Trouble({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const t = useTranslations('catalogue');
  // The service takes words only: signs alone are none, and more than ten are too many.
  if (error instanceof MenagerieError && error.code === 'invalid-input')
    return <Scene title={t('nothing.title')}>{t('nothing.words')}</Scene>;
  return <QueryTrouble error={error} onRetry={onRetry} title={t('trouble.title')} />;
}
