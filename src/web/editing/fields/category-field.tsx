import { Combobox, useCombobox } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Field } from '../../design/fields/field.tsx';
import type { FormLabel } from '../form-state/pet-fields.ts';
import { Suggestions } from './suggestions.tsx';
import { isSameWord } from '../form-state/tag-words.ts';
import { useSuggestions } from './use-suggestions.ts';
import styles from './category-field.module.css';

interface CategoryFieldProps {
  id: string;
  category: FormLabel | null;
  onChange: (text: string) => void;
  error: string | undefined;
}

/** A combobox of the existing categories that also accepts a new one. */
export function CategoryField({ id, category, onChange, error }: CategoryFieldProps) {
  const t = useTranslations('editing');
  const text = category?.name ?? '';
  const suggestions = useSuggestions('categories', text);
  const store = useCombobox({ onDropdownClose: () => store.resetSelectedOption() });
  const same = suggestions.find(({ name }) => isSameWord(name, text.trim()));
  const take = (name: string) => {
    onChange(name);
    store.closeDropdown();
  };
  return (
    <Combobox store={store} onOptionSubmit={take} withinPortal={false} middlewares={{ shift: true, flip: true }}>
      <Field
        id={id}
        label={t('field.category')}
        error={error}
        description={
          same !== undefined && same.name !== text ? (
            <>
              {t('category.similar', { name: same.name, count: same.count })}{' '}
              <button type="button" className={styles['use']} onClick={() => take(same.name)}>
                {t('category.useIt', { name: same.name })}
              </button>
            </>
          ) : (
            t('category.description')
          )
        }
      >
        {(controlProps) => (
          <Combobox.Target withExpandedAttribute>
            <input
              type="text"
              aria-autocomplete="list"
              value={text}
              placeholder={category?.id === undefined ? undefined : t('category.unnamed', { id: category.id })}
              onChange={({ currentTarget }) => {
                onChange(currentTarget.value);
                store.openDropdown();
                store.resetSelectedOption();
              }}
              onClick={() => store.openDropdown()}
              onBlur={() => store.closeDropdown()}
              {...controlProps}
            />
          </Combobox.Target>
        )}
      </Field>
      <Suggestions label={t('category.suggestions')} suggestions={suggestions} newName={undefined} />
    </Combobox>
  );
}
