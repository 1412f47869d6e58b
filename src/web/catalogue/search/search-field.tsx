import { Search, X } from 'lucide-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { useTranslations } from 'use-intl';
import styles from './toolbar.module.css';

/** Long enough that a word in one go is one question, short enough that nobody waits. */
const PAUSE_MS = 220;
const MAX_LENGTH = 200;

const SHORTCUT = '/';

/** Where the key types a character, or chooses by it. */
const TYPED_INTO = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable], [role="menu"]';

interface SearchFieldProps {
  /** As the address has it. */
  text: string;
  onSearch: (text: string) => void;
}

/** Searches while one types. */
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

/** Brings the focus to the field by a key, unless that key is typed somewhere else. */
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

/** What is typed, ahead of what the address has. The address wins where it changes for another reason: a step back, or a filter that was taken off. */
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
