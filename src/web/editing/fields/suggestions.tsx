import { Combobox } from '@mantine/core';
import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Combobox.layer.css';
import { useTranslations } from 'use-intl';
import { shownSuggestions, type Suggestion } from './use-suggestions.ts';
import styles from './suggestions.module.css';

interface SuggestionsProps {
  label: string;
  suggestions: readonly Suggestion[];
  /** The typed name, if no pet has it yet. */
  newName: string | undefined;
}

/** The dropdown of a field: existing names with their number of pets. */
export function Suggestions({ label, suggestions, newName }: SuggestionsProps) {
  const t = useTranslations('editing');
  const shown = shownSuggestions(suggestions);
  return (
    <Combobox.Dropdown hidden={shown.length === 0 && newName === undefined} className={styles['dropdown']}>
      <Combobox.Options aria-label={label}>
        {shown.map(({ name, count }) => (
          <Combobox.Option key={name} value={name} className={styles['option']}>
            <span className={styles['name']}>{name}</span>
            <span className={styles['count']}>{t('petsWithIt', { count })}</span>
          </Combobox.Option>
        ))}
        {newName !== undefined && (
          <Combobox.Option value={newName} className={styles['option']}>
            <span className={styles['name']}>{newName}</span>
            <span className={styles['count']}>{t('newLabel')}</span>
          </Combobox.Option>
        )}
      </Combobox.Options>
    </Combobox.Dropdown>
  );
}
