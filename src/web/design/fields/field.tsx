import { CircleAlert, ChevronDown } from 'lucide-react';
import { useId, type ReactNode, type ComponentProps } from 'react';
import { useTranslations } from 'use-intl';
import styles from './field.module.css';

export interface FieldTexts {
  label: string;
  /** What belongs there, before anything is wrong. */
  description?: ReactNode;
  /** What is wrong with it. */
  error?: string | undefined;
}

/** What a control is given, so that it is named, described and known to be wrong. */
export interface Wiring {
  id: string;
  className: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

interface FieldProps extends FieldTexts {
  /** Of the control, where links lead to it. */
  id?: string | undefined;
  required?: boolean | undefined;
  children: (wiring: Wiring) => ReactNode;
}

/** A control of a form with its label above it, and below it what belongs there and what is wrong. */
export function Field({ id: givenId, label, description, error, required = false, children }: FieldProps) {
  const t = useTranslations('app.field');
  const ownId = useId();
  const id = givenId ?? ownId;
  const wiring = useWiring(id, { description, error });
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={styles['label']}>
        {label}
        {required && <span className={styles['required']}> {t('required')}</span>}
      </label>
      {children(wiring)}
      <FieldNotes id={id} description={description} error={error} />
    </div>
  );
}

interface Notes {
  description?: ReactNode;
  error?: string | undefined;
}

function useWiring(id: string, { description, error }: Notes): Wiring {
  const describedBy = [error !== undefined && `${id}-error`, description !== undefined && `${id}-description`];
  return {
    id,
    className: styles['control'] ?? '',
    'aria-describedby': describedBy.filter((each) => each !== false).join(' ') || undefined,
    'aria-invalid': error !== undefined || undefined,
  };
}

/** Under a control; for groups of controls, which have a legend instead of a label, by itself. @param id of the control or the group */
export function FieldNotes({ id, description, error }: Notes & { id: string }) {
  return (
    <>
      {/* Always there: what comes into a live region is told, what comes with one is not. */}
      <div aria-live="polite">
        {error !== undefined && (
          <p id={`${id}-error`} className={styles['error']}>
            <CircleAlert size="1em" strokeWidth={2.25} aria-hidden />
            <span>{error}</span>
          </p>
        )}
      </div>
      {description !== undefined && (
        <p id={`${id}-description`} className={styles['description']}>
          {description}
        </p>
      )}
    </>
  );
}

type TextFieldProps = FieldTexts & Omit<ComponentProps<'input'>, 'className' | 'children'>;

/** A single-line input. */
export function TextField({ id, label, description, error, ...input }: TextFieldProps) {
  return (
    <Field id={id} label={label} description={description} error={error} required={input.required}>
      {(wiring) => <input type="text" {...input} {...wiring} />}
    </Field>
  );
}

/** The name of an account. */
export function UsernameField(input: TextFieldProps) {
  return <TextField autoComplete="username" autoCapitalize="none" spellCheck={false} required {...input} />;
}

type SelectFieldProps = FieldTexts & Omit<ComponentProps<'select'>, 'className'>;

/** A native select. Its children are options. */
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
