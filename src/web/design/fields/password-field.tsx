import { Eye, EyeOff } from 'lucide-react';
import { useState, type ComponentProps } from 'react';
import { useTranslations } from 'use-intl';
import { Field, type FieldTexts } from './field.tsx';
import styles from './field.module.css';

type PasswordFieldProps = FieldTexts & Omit<ComponentProps<'input'>, 'className' | 'children' | 'type'>;

/** A password with a button that shows it. Set `autoComplete` to `current-password` or `new-password`. */
export function PasswordField({ id, label, description, error, ...input }: PasswordFieldProps) {
  const t = useTranslations('app.field');
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Field id={id} label={label} description={description} error={error} required={input.required}>
      {(controlProps) => (
        <span className={styles['withButton']}>
          <input
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            {...input}
            {...controlProps}
            type={isShown ? 'text' : 'password'}
          />
          <button
            type="button"
            className={styles['inside']}
            aria-label={t('showPassword')}
            aria-pressed={isShown}
            aria-controls={controlProps.id}
            onClick={() => setShown(!isShown)}
          >
            <Icon size="1.25em" aria-hidden />
          </button>
        </span>
      )}
    </Field>
  );
}
