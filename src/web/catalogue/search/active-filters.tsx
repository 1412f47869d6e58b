import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { useWords } from '../../texts/words.ts';
import { usePermissions } from '../../service/current-user.ts';
import styles from './active-filters.module.css';
import { useFactWords } from './criterion-words.ts';
import { isQuick } from './quick-list.tsx';
import type { SearchAddress } from './search-address.ts';
import { criteriaOf, withoutCriterion, type Criterion } from './search-criteria.ts';

interface ActiveFiltersProps {
  address: SearchAddress;
  /** Whether the quick filters are visible. They show their own state. */
  hasQuickFilters: boolean;
  /** Receives the focus after the last filter was removed. */
  onLastGone: () => void;
}

/** The active filters, each with a button that removes it. */
export function ActiveFilters({ address, hasQuickFilters, onLastGone }: ActiveFiltersProps) {
  const { search, change, clear } = address;
  const t = useTranslations('catalogue.active');
  const nameOf = useCriterionName();
  const { writePets } = usePermissions();
  // The search field shows the text, and can clear it.
  const chosen = criteriaOf(search).filter(({ kind }) => kind !== 'text');
  const criteria = hasQuickFilters ? chosen.filter((criterion) => !isQuick(criterion, writePets)) : chosen;
  const count = chosen.length > 1 ? criteria.length + 1 : criteria.length;
  const { list, keepPlace } = useFocusAfterRemoval(count, onLastGone);
  if (count === 0) return null;
  return (
    <ul ref={list} className={styles['active']} aria-label={t('title')}>
      {criteria.map((criterion, index) => {
        const name = nameOf(criterion);
        return (
          <li key={`${criterion.kind} ${criterion.value}`}>
            <button
              type="button"
              className={styles['chip']}
              aria-label={t('remove', { name })}
              onClick={() => {
                keepPlace(index);
                change(withoutCriterion(search, criterion));
              }}
            >
              <span className={styles['name']}>{name}</span>
              <X size="1em" aria-hidden="true" />
            </button>
          </li>
        );
      })}
      {chosen.length > 1 && (
        <li>
          <button
            type="button"
            className={styles['clear']}
            onClick={() => {
              keepPlace(0);
              clear();
            }}
          >
            {t('clear')}
          </button>
        </li>
      )}
    </ul>
  );
}

/** The label of a criterion. The page of a search loads the words for it (`criterion-words.ts`). */
export function useCriterionName(): (criterion: Criterion) => string {
  const t = useTranslations();
  const { label } = useWords();
  const wordOf = useFactWords(false);
  return ({ kind, value }) => {
    if (kind === 'status') return t(`pet.status.${value}`);
    if (kind === 'published') return t('pet.draft');
    if (kind === 'text') return t('catalogue.active.text', { text: value });
    if (kind === 'category' || kind === 'tag') return label(value);
    return wordOf(kind, value) ?? t('catalogue.active.unknown', { value });
  };
}

/** When the focused button disappears, moves the focus to the one that takes its place. */
function useFocusAfterRemoval(count: number, onLastGone: () => void) {
  const list = useRef<HTMLUListElement>(null);
  const index = useRef<number>(undefined);
  const before = useRef(count);
  useEffect(() => {
    const left = index.current;
    if (count < before.current && left !== undefined) {
      index.current = undefined;
      if (count === 0) onLastGone();
      else list.current?.querySelectorAll('button')[Math.min(left, count - 1)]?.focus();
    }
    before.current = count;
  });
  return {
    list,
    keepPlace: (next: number) => {
      index.current = next;
    },
  };
}
