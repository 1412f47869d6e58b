import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { SPECIES, toggle, type CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { StatusMark } from '../../design/badge.tsx';
import { useWords } from '../../texts/words.ts';
import styles from './quick-filters.module.css';
import type { Criterion, SearchChange } from './search-criteria.ts';

const MAX_CATEGORIES = 8;

/** With these, families ask whether a pet gets along. */
const COMPANIONS: readonly string[] = ['children', 'dogs', 'cats'];

type QuickKind = 'status' | 'species' | 'category' | 'goodWith';

interface Quick {
  kind: QuickKind;
  value: string;
}

/** The values that pets have, the most used first. */
export type KnownValues = Readonly<Record<Exclude<QuickKind, 'status'>, readonly string[]>>;

export interface QuickFilter extends Quick {
  /** Toggles the filter. */
  change: SearchChange;
  attributes: { className: string | undefined; 'data-quick': true; 'data-chosen': true | undefined };
  children: ReactNode;
}

interface QuickListProps {
  search: CatalogueSearch;
  /** The search when the list was opened, whose filters come first. */
  initial?: CatalogueSearch;
  known: KnownValues;
  /** Staff see their categories instead of species. */
  managesPets: boolean;
  className?: string | undefined;
  /** A button in the application, a link in the first view. */
  renderFilter: (choice: QuickFilter) => ReactNode;
}

/** Filters that are one tap away on screens without the sidebar. */
export function QuickList({
  search,
  initial = search,
  known,
  managesPets,
  className = '',
  renderFilter,
}: QuickListProps) {
  const t = useTranslations();
  const { label } = useWords();
  const wordOf = ({ kind, value }: Quick) => {
    if (kind === 'category') return label(value);
    if (kind === 'status') return t('pet.status.available');
    return t(`catalogue.quick.${value as 'dog'}`);
  };
  const isChosen = ({ kind, value }: Quick) => search[kind]?.some((each) => each === value) === true;
  const shown = shownFilters(known, search, managesPets);
  // Chosen filters come first. They keep their places when one is tapped.
  const placeOf = ({ kind, value }: Quick) => (initial[kind] ?? []).findIndex((each) => each === value);
  const first = shown
    .filter((each) => placeOf(each) !== -1)
    .toSorted((one, other) => (one.kind === other.kind ? placeOf(one) - placeOf(other) : 0));
  const others = shown.filter((each) => placeOf(each) === -1);
  return (
    <ul className={`${styles['quick']} ${className}`} aria-label={t('catalogue.filters.quick')}>
      {[...first, ...others].map((filter) => (
        <li key={`${filter.kind} ${filter.value}`}>
          {renderFilter({
            ...filter,
            change: { [filter.kind]: toggle<string>(search[filter.kind], filter.value) },
            attributes: {
              className: styles['filter'],
              'data-quick': true,
              'data-chosen': isChosen(filter) || undefined,
            },
            children: (
              <>
                {filter.kind === 'status' && (
                  <span className={styles['mark']} data-status="available">
                    <StatusMark status="available" />
                  </span>
                )}
                <span className="line">{wordOf(filter)}</span>
              </>
            ),
          })}
        </li>
      ))}
    </ul>
  );
}

/** Whether the quick filters show and remove this criterion. */
export function isQuick({ kind, value }: Criterion, managesPets: boolean): boolean {
  if (kind === 'category') return true;
  if (kind === 'status') return value === 'available';
  if (managesPets) return false;
  return kind === 'species' ? isSpecies(value) : kind === 'goodWith' && COMPANIONS.includes(value);
}

/** An address may have others, which the active filters name. */
function isSpecies(value: string): boolean {
  return SPECIES.some((each) => each === value);
}

const of = (kind: QuickKind) => (value: string) => ({ kind, value });

/** Those that are chosen are shown in any case. */
function shownFilters(known: KnownValues, search: CatalogueSearch, managesPets: boolean): readonly Quick[] {
  const { species = [], category = [], goodWith = [] } = search;
  const hasSpecies = !managesPets && known.species.length > 0;
  const names = new Set([...(hasSpecies ? [] : known.category.slice(0, MAX_CATEGORIES)), ...category]);
  const kinds = managesPets ? [] : [...new Set([...known.species, ...species.filter(isSpecies)])];
  const companions = managesPets ? [] : COMPANIONS.filter((each) => [...known.goodWith, ...goodWith].includes(each));
  return [
    { kind: 'status', value: 'available' },
    ...kinds.map(of('species')),
    ...[...names].map(of('category')),
    ...companions.map(of('goodWith')),
  ];
}
