import { useTranslations } from 'use-intl';
import { Field, type FieldTexts } from '../../design/fields/field.tsx';
import styles from './organisation.module.css';

/** Of pages without an accent colour (`tokens.css`). */
const DEFAULT_ACCENT = '#1c6b4a';

export const isColour = (text: string) => /^#[\da-f]{6}$/i.test(text);

interface ColourFieldProps extends FieldTexts {
  /** Empty for none. */
  value: string;
  onChange: (value: string) => void;
}

/** A colour that is picked, or typed as six hexadecimal digits. */
export function ColourField({ value, onChange, ...texts }: ColourFieldProps) {
  const t = useTranslations('administration.organisation');
  return (
    <Field {...texts}>
      {(controlProps) => (
        <div className={styles['colour']}>
          <input
            type="color"
            aria-label={t('pickColour')}
            value={isColour(value) ? value : DEFAULT_ACCENT}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
          <input
            type="text"
            placeholder={DEFAULT_ACCENT}
            maxLength={7}
            value={value}
            onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
            {...controlProps}
          />
        </div>
      )}
    </Field>
  );
}
