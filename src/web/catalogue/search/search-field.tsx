import { useEffect, useId, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { useTranslations } from 'use-intl';
import { useActiveOption } from '../../design/active-option.ts';
import type { SearchAddress } from './search-address.ts';
import { SearchForm, SHORTCUT } from './search-form.tsx';
import { changeTo, useSuggestions, type Suggestion } from './suggestions.ts';
import { optionId, SuggestionList } from './suggestion-list.tsx';
import { useDraft } from './use-draft.ts';

/** Elements in which the key types a character or selects an item. */
const TYPED_INTO = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable], [role="menu"]';

/**
 * Searches while the user types, and suggests names, categories and tags
 * (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/).
 */
export function SearchField({ address }: { address: Pick<SearchAddress, 'search' | 'change' | 'replace'> }) {
  const { search, change, replace } = address;
  const t = useTranslations('catalogue.search.suggestions');
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const draft = useDraft(search.text ?? '', (text) => replace({ text }));
  const [hasFocus, setHasFocus] = useState(false);
  const isCompleting = hasFocus && draft.text.trim() !== '';
  const suggestions = useSuggestions(search, isCompleting ? draft.typed : undefined);
  const { activeIndex, move, reset } = useActiveOption(suggestions.map(({ kind, name }) => `${kind} ${name}`));
  const active = activeIndex === undefined ? undefined : suggestions[activeIndex];
  const isOpen = suggestions.length > 0;
  useShortcut(input);

  function choose(suggestion: Suggestion): void {
    reset();
    if (suggestion.kind === 'names') return draft.search(suggestion.text);
    draft.show(suggestion.text);
    change(changeTo(suggestion, search));
  }

  function clear(): void {
    draft.search('');
    input.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { key, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey) return;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (isOpen) move(key === 'ArrowDown' ? 1 : -1);
      else draft.complete();
    } else if (key === 'Enter' && active !== undefined) choose(active);
    else if (key === 'Escape' && isOpen) draft.stopCompleting();
    else if (key === 'Escape' && draft.text !== '') clear();
    else return;
    event.preventDefault();
  }

  return (
    <SearchForm
      field={{
        ref: input,
        value: draft.text,
        'aria-expanded': isOpen,
        'aria-activedescendant': active && optionId(listId, active),
        onChange: ({ currentTarget }) => {
          reset();
          draft.type(currentTarget.value);
        },
        onKeyDown,
        // A text that was typed just before the field lost the focus is not completed later.
        onFocus: () => {
          draft.stopCompleting();
          setHasFocus(true);
        },
        onBlur: () => setHasFocus(false),
      }}
      listId={listId}
      onSubmit={() => draft.search(draft.text)}
      onClear={clear}
    >
      {isOpen && <SuggestionList id={listId} suggestions={suggestions} active={active} onChoose={choose} />}
      <span className="visually-hidden" role="status">
        {isOpen && t('count', { count: suggestions.length })}
      </span>
    </SearchForm>
  );
}

/** Moves the focus to the field when the shortcut key is pressed outside of other inputs. */
function useShortcut(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const follow = (event: globalThis.KeyboardEvent) => {
      const { key, ctrlKey, altKey, metaKey, target } = event;
      if (key !== SHORTCUT || ctrlKey || altKey || metaKey || event.defaultPrevented) return;
      if (target instanceof Element && target.closest(TYPED_INTO) !== null) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      field.current?.select();
      field.current?.focus();
    };
    document.addEventListener('keydown', follow);
    return () => document.removeEventListener('keydown', follow);
  }, [field]);
}
