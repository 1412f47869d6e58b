import { Search, X } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import styles from './toolbar.module.css';

const MAX_LENGTH = 200;

/** The key that moves the focus to the field. */
export const SHORTCUT = '/';

interface SearchFormProps {
  field: ComponentProps<'input'> & { value: string };
  /** The ID of the list of suggestions. */
  listId?: string;
  onSubmit?: () => void;
  onClear?: () => void;
  /** Below the field. */
  children?: ReactNode;
}

/** The search field, in the application and in the first view. */
export function SearchForm({ field, listId, onSubmit, onClear, children }: SearchFormProps) {
  const t = useTranslations('catalogue.search');
  return (
    <form
      role="search"
      aria-label={t('form')}
      className={styles['search']}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.();
      }}
    >
      <Search className={styles['glass']} size="1.25em" aria-hidden="true" />
      <input
        type="text"
        role="combobox"
        className={styles['field']}
        aria-label={t('label')}
        aria-autocomplete="list"
        aria-controls={listId}
        aria-expanded={false}
        aria-keyshortcuts={SHORTCUT}
        placeholder={t('label')}
        maxLength={MAX_LENGTH}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="search"
        {...field}
      />
      {field.value === '' ? (
        <kbd className={styles['shortcut']} aria-hidden="true">
          {SHORTCUT}
        </kbd>
      ) : (
        <button type="button" className={styles['clear']} aria-label={t('clear')} onClick={onClear}>
          <X size="1.125em" aria-hidden="true" />
        </button>
      )}
      {children}
    </form>
  );
}
