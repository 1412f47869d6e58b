import type { Ref } from 'react';
import { useTranslations } from 'use-intl';
import { TextField } from '../../design/fields/field.tsx';

interface CodeFieldProps {
  factor: 'totp' | 'recovery-code';
  value: string;
  onChange: (code: string) => void;
  error?: string | undefined;
  ref?: Ref<HTMLInputElement>;
}

/** For a one-time code, which phones offer to fill in, or a recovery code. */
export function CodeField({ factor, value, onChange, error, ref }: CodeFieldProps) {
  const t = useTranslations('signIn.factor');
  return (
    <TextField
      ref={ref}
      data-autofocus
      label={t(`${factor}.label`)}
      description={t(`${factor}.hint`)}
      required
      {...(factor === 'totp' ? { autoComplete: 'one-time-code', inputMode: 'numeric' } : { autoComplete: 'off' })}
      autoCapitalize="none"
      spellCheck={false}
      value={value}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
