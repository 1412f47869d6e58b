import { Button } from '@mantine/core';
import { Copy, CopyCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { TextField } from './fields/field.tsx';
import styles from './shown-once.module.css';

interface ShownOnceProps {
  label: string;
  value: string;
}

/** A secret that is seen this once, with a way to take it along. */
export function ShownOnce({ label, value }: ShownOnceProps) {
  const t = useTranslations('account.once');
  const input = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<'shown' | 'copied' | 'refused'>('shown');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setState('copied');
    } catch {
      // Over plain http, or without leave, no script may copy.
      input.current?.select();
      setState('refused');
    }
  };
  const Icon = state === 'copied' ? CopyCheck : Copy;
  return (
    <div className={styles['once']}>
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
      <p role="status" className={state === 'refused' ? styles['told'] : 'visually-hidden'}>
        {state === 'refused' && t('select')}
        {state === 'copied' && t('copied')}
      </p>
    </div>
  );
}
