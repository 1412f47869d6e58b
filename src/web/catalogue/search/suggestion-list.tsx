import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { LabelCount } from './label-facet.tsx';
import { SUGGESTION_KINDS, type Suggestion } from './suggestions.ts';
import { useWords } from '../../texts/words.ts';
import styles from './suggestion-list.module.css';

interface SuggestionListProps {
  id: string;
  suggestions: readonly Suggestion[];
  /** The one that the keyboard has reached. */
  active: Suggestion | undefined;
  onChoose: (suggestion: Suggestion) => void;
}

/** The suggestions by kind. The focus stays in the field, which refers to the active one. */
export function SuggestionList({ id, suggestions, active, onChoose }: SuggestionListProps) {
  const t = useTranslations('catalogue.search.suggestions');
  const { label } = useWords();
  const activeId = active && optionId(id, active);
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  return (
    <div id={id} role="listbox" aria-label={t('title')} className={styles['list']}>
      {SUGGESTION_KINDS.map((kind) => {
        const ofKind = suggestions.filter((suggestion) => suggestion.kind === kind);
        const titleId = `${id}-${kind}`;
        return (
          ofKind.length > 0 && (
            <div key={kind} role="group" aria-labelledby={titleId}>
              <div id={titleId} role="presentation" className={styles['title']}>
                {t(kind)}
              </div>
              {ofKind.map((suggestion) => (
                <button
                  key={suggestion.name}
                  type="button"
                  id={optionId(id, suggestion)}
                  role="option"
                  aria-selected={suggestion === active}
                  tabIndex={-1}
                  className={styles['option']}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => onChoose(suggestion)}
                >
                  <span>{kind === 'names' ? suggestion.text : label(suggestion.name)}</span>
                  <LabelCount count={suggestion.count} />
                </button>
              ))}
            </div>
          )
        );
      })}
    </div>
  );
}

export function optionId(listId: string, { kind, name }: Suggestion): string {
  return `${listId}-${kind}-${encodeURIComponent(name)}`;
}
