import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import styles from './chosen-filters.module.css';
import { isQuick } from './quick-choices.tsx';
import type { SearchAddress } from './search-address.ts';
import { partsOf, withoutPart, type Part } from './search-parts.ts';

interface ChosenFiltersProps {
  address: SearchAddress;
  /** What stands among the quick choices is seen there. */
  areQuickBeside: boolean;
  /** Takes the focus where the last of them is gone. */
  onLastGone: () => void;
}

/** All that is chosen, each to be taken off. */
export function ChosenFilters({ address, areQuickBeside, onLastGone }: ChosenFiltersProps) {
  const { search, change, clear } = address;
  const t = useTranslations('catalogue.chosen');
  const nameOf = usePartName();
  // The text stands in its field, and can be cleared there.
  const chosen = partsOf(search).filter(({ kind }) => kind !== 'text');
  const parts = areQuickBeside ? chosen.filter((part) => !isQuick(part)) : chosen;
  const count = chosen.length > 1 ? parts.length + 1 : parts.length;
  const { list, keepPlace } = useFocusAfterRemoval(count, onLastGone);
  if (count === 0) return null;
  return (
    <ul ref={list} className={styles['chosen']} aria-label={t('title')}>
      {parts.map((part, place) => {
        const name = nameOf(part);
        return (
          <li key={`${part.kind} ${part.value}`}>
            <button
              type="button"
              className={styles['chip']}
              aria-label={t('remove', { name })}
              onClick={() => {
                keepPlace(place);
                change(withoutPart(search, part));
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

/** What a part of a search is called where it is spoken of. */
export function usePartName(): (part: Part) => string {
  const t = useTranslations();
  return (part) => {
    if (part.kind === 'status') return t(`pet.status.${part.value}`);
    return part.kind === 'text' ? t('catalogue.chosen.text', { text: part.value }) : part.value;
  };
}

/** The button that had the focus is gone: it goes to the one that took its place. */
function useFocusAfterRemoval(count: number, onLastGone: () => void) {
  const list = useRef<HTMLUListElement>(null);
  const place = useRef<number>(undefined);
  const before = useRef(count);
  useEffect(() => {
    const left = place.current;
    if (count < before.current && left !== undefined) {
      place.current = undefined;
      if (count === 0) onLastGone();
      else list.current?.querySelectorAll('button')[Math.min(left, count - 1)]?.focus();
    }
    before.current = count;
  });
  return {
    list,
    keepPlace: (next: number) => {
      place.current = next;
    },
  };
}
