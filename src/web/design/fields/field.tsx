import { CircleAlert, ChevronDown } from 'lucide-react';
import { useId, type ReactNode, type ComponentProps } from 'react';
import { useTranslations } from 'use-intl';
import styles from './field.module.css';

export interface FieldTexts {
  label: string;
  /** A hint. */
  description?: ReactNode;
  error?: string | undefined;
}

/** Props that connect a control with its label, description and error. */
export interface ControlProps {
  id: string;
  className: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

interface FieldProps extends FieldTexts {
  /** The ID of the control, if links point to it. */
  id?: string | undefined;
  required?: boolean | undefined;
  children: (controlProps: ControlProps) => ReactNode;
}

export function Field({ id: givenId, label, description, error, required = false, children }: FieldProps) {
  const t = useTranslations('app.field');
  const ownId = useId();
  const id = givenId ?? ownId;
  const controlProps = useControlProps(id, { description, error });
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={styles['label']}>
        {label}
        {required && <span className={styles['required']}> {t('required')}</span>}
      </label>
      {children(controlProps)}
      <FieldNotes id={id} description={description} error={error} />
    </div>
  );
}

interface Notes {
  description?: ReactNode;
  error?: string | undefined;
}

function useControlProps(id: string, { description, error }: Notes): ControlProps {
  const describedBy = [error !== undefined && `${id}-error`, description !== undefined && `${id}-description`];
  return {
    id,
    className: styles['control'] ?? '',
    'aria-describedby': describedBy.filter((each) => each !== false).join(' ') || undefined,
    'aria-invalid': error !== undefined || undefined,
  };
}

/**
 * The description and the error below a control. Groups of controls, which have a legend instead of a label, use it
 * directly.
 *
 * @param id of the control or the group
 */
export function FieldNotes({ id, description, error }: Notes & { id: string }) {
  return (
    <>
      {/* Always mounted: a live region announces changes only. */}
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
      {(controlProps) => <input type="text" {...input} {...controlProps} />}
    </Field>
  );
}

export function UsernameField(input: TextFieldProps) {
  return <TextField autoComplete="username" autoCapitalize="none" spellCheck={false} required {...input} />;
}

type SelectFieldProps = FieldTexts & Omit<ComponentProps<'select'>, 'className'>;

/** A native select. Its children are options. */
export function SelectField({ id, label, description, error, children, ...select }: SelectFieldProps) {
  return (
    <Field id={id} label={label} description={description} error={error} required={select.required}>
      {(controlProps) => (
        <span className={styles['withMark']}>
          <select {...select} {...controlProps}>
            {children}
          </select>
          <ChevronDown size="1.125em" aria-hidden />
        </span>
      )}
    </Field>
  );
}
