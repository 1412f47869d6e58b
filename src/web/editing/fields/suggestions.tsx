import { useLayoutEffect, useRef, type RefObject } from 'react';
import { useTranslations } from 'use-intl';
import { usePlacement } from '../../design/placement.ts';
import styles from './suggestions.module.css';
import { optionId, type OptionListProps } from './use-combobox.ts';
import type { Suggestion } from './use-suggestions.ts';

interface SuggestionsProps {
  label: string;
  options: readonly (Suggestion | NewName)[];
  /** The element below which the list is shown. */
  field: RefObject<HTMLElement | null>;
  list: OptionListProps;
}

/** A typed name that no pet has yet. */
export interface NewName {
  name: string;
  count?: undefined;
}

/** The options of a field: existing names with their number of pets. */
export function Suggestions(props: SuggestionsProps) {
  return props.list.isOpen && <OpenSuggestions {...props} />;
}

function OpenSuggestions({ label, options, field, list: { id, activeIndex, onChoose } }: SuggestionsProps) {
  const t = useTranslations('editing');
  const popover = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const list = popover.current;
    list?.showPopover();
    return () => list?.hidePopover();
  }, []);
  usePlacement(field, popover, 'stretch');
  useLayoutEffect(() => {
    if (activeIndex !== undefined) popover.current?.children[activeIndex]?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex]);
  return (
    <div ref={popover} id={id} popover="manual" role="listbox" aria-label={label} className={styles['list']}>
      {options.map(({ name, count }, index) => (
        <button
          key={name}
          type="button"
          id={optionId(id, index)}
          role="option"
          aria-selected={index === activeIndex}
          tabIndex={-1}
          className={styles['option']}
          // The focus stays in the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(name)}
        >
          <span>{name}</span>
          <span className={styles['count']}>{count === undefined ? t('newLabel') : t('petsWithIt', { count })}</span>
        </button>
      ))}
    </div>
  );
}
