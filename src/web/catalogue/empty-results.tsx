import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { addressedSearch, type CatalogueSearch } from '../../api/web/catalogue-search.ts';
import { EmptyState } from '../design/empty-state.tsx';
import { usePermissions } from '../service/current-user.ts';
import grid from './pet-grid.module.css';
import { petCountQuery, petSearchQuery } from '../service/queries.ts';
import { PetCard } from './pet-card.tsx';
import { resultsOf } from './search-results.ts';
import { useCriterionName } from './search/active-filters.tsx';
import type { SearchAddress } from './search/search-address.ts';
import { changeSearch, criteriaOf, withoutCriterion, type Criterion } from './search/search-criteria.ts';
import styles from './empty-results.module.css';

const MAX_SUGGESTIONS = 6;
/** One row, or two on a phone. */
const NEAREST = 4;
/** The number of initial letters to keep of a word without results. */
const PREFIX_LENGTH = 3;

/** Suggests searches with fewer criteria, each with its number of results. */
export function EmptyResults({ address: { search, clear } }: { address: SearchAddress }) {
  const t = useTranslations('catalogue.nothing');
  const format = useFormatter();
  const { writePets } = usePermissions();
  const suggestions = useSuggestions(search);
  // Shown together: suggestions that come later would move the text and the button.
  if (suggestions === undefined) return null;
  return (
    <>
      <EmptyState
        title={t('title')}
        actions={
          <Button variant="default" onClick={clear}>
            {t('clear')}
          </Button>
        }
      >
        {suggestions.length > 0 && (
          <>
            <p className={styles['lead']}>{t('suggestions')}</p>
            <ul className={styles['suggestions']}>
              {suggestions.map(({ name, next, count }) => (
                <li key={name}>
                  <Link
                    to="/"
                    search={addressedSearch(next, writePets)}
                    resetScroll={false}
                    className={styles['suggestion']}
                  >
                    <span>{name}</span>
                    <span className={styles['count']}>{format.number(count)}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </>
        )}
      </EmptyState>
      {suggestions[0] && <Nearest search={suggestions[0].next} />}
    </>
  );
}

/** Pets of the broader search with the most results. */
function Nearest({ search }: { search: CatalogueSearch }) {
  const t = useTranslations('catalogue.nothing');
  const { data } = useInfiniteQuery(petSearchQuery(search));
  const nearest = data?.pages.flatMap(resultsOf).slice(0, NEAREST) ?? [];
  if (nearest.length === 0) return null;
  return (
    <section aria-label={t('nearest')}>
      <p className={styles['lead']}>{t('nearest')}</p>
      <ul className={grid['grid']}>
        {nearest.map((found) => (
          <li key={String(found.pet.id)}>
            <PetCard {...found} isFirst={false} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Suggestion {
  name: string;
  next: CatalogueSearch;
}

/** Only suggestions with results, the most results first; undefined until all are counted. */
function useSuggestions(search: CatalogueSearch): readonly (Suggestion & { count: number })[] | undefined {
  const t = useTranslations('catalogue.nothing');
  const nameOf = useCriterionName();
  const criteria = criteriaOf(search);
  const without = (criterion: Criterion) => ({
    name: t('without', { name: nameOf(criterion) }),
    next: changeSearch(search, withoutCriterion(search, criterion)),
  });
  const prefixes = prefixesOf(search.text);
  const candidates: readonly Suggestion[] = [
    ...(search.match === undefined ? [] : [{ name: t('anyTag'), next: changeSearch(search, { match: undefined }) }]),
    ...(prefixes === undefined
      ? []
      : [{ name: t('beginning', { text: prefixes }), next: changeSearch({}, { text: prefixes }) }]),
    ...(criteria.length > 1 ? criteria.map(without) : []),
  ].slice(0, MAX_SUGGESTIONS);
  const counts = useQueries({ queries: candidates.map(({ next }) => petCountQuery(next)) });
  if (counts.some(({ isLoading }) => isLoading)) return undefined;
  return candidates
    .map((candidate, index) => ({ ...candidate, count: counts[index]?.data ?? 0 }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count);
}

/** A misspelled word usually starts correctly. */
function prefixesOf(text: string | undefined): string | undefined {
  const shorter = text
    ?.split(/\s+/)
    .map((word) => Array.from(word).slice(0, PREFIX_LENGTH).join(''))
    .join(' ');
  return shorter === text ? undefined : shorter;
}
