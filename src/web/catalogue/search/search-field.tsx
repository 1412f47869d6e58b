import { Search, X } from 'lucide-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { useTranslations } from 'use-intl';
import styles from './toolbar.module.css';

/** Debounce delay: a word typed without a pause is one search. */
const PAUSE_MS = 220;
const MAX_LENGTH = 200;

const SHORTCUT = '/';

/** Elements in which the key types a character or selects an item. */
const TYPED_INTO = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable], [role="menu"]';

interface SearchFieldProps {
  /** The text in the address. */
  text: string;
  onSearch: (text: string) => void;
}

/** Searches while the user types. */
export function SearchField({ text, onSearch }: SearchFieldProps) {
  const t = useTranslations('catalogue.search');
  const field = useRef<HTMLInputElement>(null);
  const { draft, type, search } = useDraft(text, onSearch);
  useShortcut(field);
  return (
    <form
      role="search"
      aria-label={t('form')}
      className={styles['search']}
      onSubmit={(event) => {
        event.preventDefault();
        search(draft);
      }}
    >
      <Search className={styles['glass']} size="1.25em" aria-hidden="true" />
      <input
        ref={field}
        type="search"
        className={styles['field']}
        aria-label={t('label')}
        aria-keyshortcuts={SHORTCUT}
        placeholder={t('label')}
        value={draft}
        maxLength={MAX_LENGTH}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="search"
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
      {draft === '' && (
        <kbd className={styles['shortcut']} aria-hidden="true">
          {SHORTCUT}
        </kbd>
      )}
      {draft !== '' && (
        <button
          type="button"
          className={styles['clear']}
          aria-label={t('clear')}
          onClick={() => {
            search('');
            field.current?.focus();
          }}
        >
          <X size="1.125em" aria-hidden="true" />
        </button>
      )}
    </form>
  );
}

/** Moves the focus to the field when the shortcut key is pressed outside of other inputs. */
function useShortcut(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      const { key, ctrlKey, altKey, metaKey, target } = event;
      if (key !== SHORTCUT || ctrlKey || altKey || metaKey || event.defaultPrevented) return;
      if (target instanceof Element && target.closest(TYPED_INTO) !== null) return;
      if (document.querySelector('dialog[open], [aria-modal="true"]') !== null) return;
      event.preventDefault();
      field.current?.select();
      field.current?.focus();
    };
    document.addEventListener('keydown', follow);
    return () => document.removeEventListener('keydown', follow);
  }, [field]);
}

/**
 * The typed text, ahead of the address. The address wins if it changes for another reason: a history step, or a removed
 * filter.
 */
function useDraft(text: string, onSearch: (text: string) => void) {
  const [draft, setDraft] = useState(text);
  const [sent, setSent] = useState(text);
  const [seen, setSeen] = useState(text);
  if (text !== seen) {
    setSeen(text);
    if (text !== sent) {
      setSent(text);
      setDraft(text);
    }
  }
  const send = (typed: string) => {
    const next = typed.trim();
    if (next === sent) return;
    setSent(next);
    onSearch(next);
  };
  const sendNow = useRef(send);
  useEffect(() => {
    sendNow.current = send;
  });
  useEffect(() => {
    const timer = setTimeout(() => sendNow.current(draft), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
  return {
    draft,
    type: setDraft,
    search: (typed: string) => {
      setDraft(typed);
      send(typed);
    },
  };
}
