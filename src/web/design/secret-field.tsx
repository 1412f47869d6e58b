import { Copy, CopyCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from './buttons.tsx';
import { TextField } from './fields/field.tsx';
import styles from './secret-field.module.css';

interface SecretFieldProps {
  label: string;
  value: string;
}

/** A text to copy, such as a secret that is shown only once, with a copy button. */
export function SecretField({ label, value }: SecretFieldProps) {
  const t = useTranslations('account.once');
  const input = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<'shown' | 'copied' | 'refused'>('shown');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setState('copied');
    } catch {
      // Over plain HTTP, or without permission, scripts cannot write to the clipboard.
      input.current?.select();
      setState('refused');
    }
  };
  const Icon = state === 'copied' ? CopyCheck : Copy;
  return (
    <div className={styles['secret']}>
      <TextField
        ref={input}
        label={label}
        value={value}
        readOnly
        spellCheck={false}
        autoComplete="off"
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Button leftSection={<Icon size="1.1em" aria-hidden />} data-autofocus onClick={() => void copy()}>
        {t(state === 'copied' ? 'copied' : 'copy')}
      </Button>
      <p role="status" className={state === 'refused' ? styles['status'] : 'visually-hidden'}>
        {state === 'refused' && t('select')}
        {state === 'copied' && t('copied')}
      </p>
    </div>
  );
}
