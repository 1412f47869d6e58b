import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import type { CatalogueSearch } from '../../api/web/catalogue-search.ts';
import { Scene } from '../design/scene.tsx';
import { petCountQuery } from '../service/queries.ts';
import { usePartName } from './search/chosen-filters.tsx';
import type { SearchAddress } from './search/search-address.ts';
import { changeSearch, partsOf, withoutPart, type Part } from './search/search-parts.ts';
import styles from './nothing-found.module.css';

const MOST_SUGGESTIONS = 6;
/** Of a word that nobody has: so many letters may be right. */
const BEGINNING = 3;

/** Nothing is as it was asked for: what there would be if a little less was asked for. */
export function NothingFound({ address: { search, clear } }: { address: SearchAddress }) {
  const t = useTranslations('catalogue.nothing');
  const format = useFormatter();
  const suggestions = useSuggestions(search);
  return (
    <Scene
      title={t('title')}
      actions={
        <Button variant="default" onClick={clear}>
          {t('clear')}
        </Button>
      }
    >
      <p>{t('text')}</p>
      {suggestions.length > 0 && (
        <>
          <p className={styles['lead']}>{t('suggestions')}</p>
          <ul className={styles['suggestions']}>
            {suggestions.map(({ name, next, count }) => (
              <li key={name}>
                <Link to="/" search={next} resetScroll={false} className={styles['suggestion']}>
                  <span>{name}</span>
                  <span className={styles['count']}>{format.number(count)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </Scene>
  );
}

interface Suggestion {
  name: string;
  next: CatalogueSearch;
}

/** Only what finds something, the most first. */
function useSuggestions(search: CatalogueSearch): readonly (Suggestion & { count: number })[] {
  const t = useTranslations('catalogue.nothing');
  const nameOf = usePartName();
  const parts = partsOf(search);
  const without = (part: Part) => ({
    name: t('without', { name: nameOf(part) }),
    next: changeSearch(search, withoutPart(search, part)),
  });
  const beginning = beginningOf(search.text);
  const ideas: readonly Suggestion[] = [
    ...(search.match === undefined ? [] : [{ name: t('anyTag'), next: changeSearch(search, { match: undefined }) }]),
    ...(beginning === undefined
      ? []
      : [{ name: t('beginning', { text: beginning }), next: changeSearch({}, { text: beginning }) }]),
    ...(parts.length > 1 ? parts.map(without) : []),
  ].slice(0, MOST_SUGGESTIONS);
  const counts = useQueries({ queries: ideas.map(({ next }) => petCountQuery(next)) });
  return ideas
    .map((idea, place) => ({ ...idea, count: counts[place]?.data?.count ?? 0 }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count);
}

/** What is typed wrong is mostly right where it begins. */
function beginningOf(text: string | undefined): string | undefined {
  const shorter = text
    ?.split(/\s+/)
    .map((word) => Array.from(word).slice(0, BEGINNING).join(''))
    .join(' ');
  return shorter === text ? undefined : shorter;
}
