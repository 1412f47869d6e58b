import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Field, type FieldTexts } from './field.tsx';
import styles from './field.module.css';

type SelectFieldProps = FieldTexts & Omit<ComponentProps<'select'>, 'className'>;

/** One of several, by the browser's own list. Its children are options. */
export function SelectField({ id, label, description, error, children, ...select }: SelectFieldProps) {
  return (
    <Field id={id} label={label} description={description} error={error} required={select.required}>
      {(wiring) => (
        <span className={styles['withMark']}>
          <select {...select} {...wiring}>
            {children}
          </select>
          <ChevronDown size="1.125em" aria-hidden />
        </span>
      )}
    </Field>
  );
}
