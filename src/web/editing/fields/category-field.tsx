import { useRef } from 'react';
import { useTranslations } from 'use-intl';
import { Field } from '../../design/fields/field.tsx';
import type { FormLabel } from '../form-state/pet-fields.ts';
import { Suggestions } from './suggestions.tsx';
import { isSameWord } from '../form-state/tag-words.ts';
import { useCombobox } from './use-combobox.ts';
import { shownSuggestions, useSuggestions } from './use-suggestions.ts';
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
  const input = useRef<HTMLInputElement>(null);
  const text = category?.name ?? '';
  const suggestions = useSuggestions('categories', text);
  const options = shownSuggestions(suggestions);
  const combobox = useCombobox({ options: options.map(({ name }) => name), onChoose: onChange });
  const same = suggestions.find(({ name }) => isSameWord(name, text.trim()));
  return (
    <>
      <Field
        id={id}
        label={t('field.category')}
        error={error}
        description={
          same !== undefined && same.name !== text ? (
            <>
              {t('category.similar', { name: same.name, count: same.count })}{' '}
              <button type="button" className={styles['use']} onClick={() => onChange(same.name)}>
                {t('category.useIt', { name: same.name })}
              </button>
            </>
          ) : (
            t('category.description')
          )
        }
      >
        {(controlProps) => (
          <input
            ref={input}
            type="text"
            value={text}
            placeholder={category?.id === undefined ? undefined : t('category.unnamed', { id: category.id })}
            onChange={({ currentTarget }) => {
              onChange(currentTarget.value);
              combobox.open();
            }}
            onKeyDown={combobox.onKeyDown}
            onClick={combobox.open}
            onBlur={combobox.close}
            {...combobox.inputProps}
            {...controlProps}
          />
        )}
      </Field>
      <Suggestions label={t('category.suggestions')} options={options} field={input} list={combobox.list} />
    </>
  );
}
