import { useQueryClient } from '@tanstack/react-query';
import { QRCodeSVG } from 'qrcode.react';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../../client/failures.ts';
import { Button } from '../../design/buttons.tsx';
import { SecretField } from '../../design/secret-field.tsx';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { CodeField } from '../entry/code-field.tsx';
import { FormError } from '../entry/form-error.tsx';
import { LoginError } from '../entry/login-error.tsx';
import { factorsQuery } from './factor-queries.ts';
import styles from './factors.module.css';

interface TotpSetupProps {
  /** @param codes new recovery codes, if the account had none */
  onDone: (codes: readonly string[] | undefined) => void;
  onCancel: () => void;
}

/** Sets up an authenticator app: shows its secret, and confirms it with a code. */
export function TotpSetup({ onDone, onCancel }: TotpSetupProps) {
  const t = useTranslations('signIn.totp');
  const start = useStart(onCancel);
  if (start.data === undefined)
    return (
      <>
        <FormError error={start.error} />
        <p role="status">{start.isPending && t('loading')}</p>
      </>
    );
  const { uri, secret, step } = start.data;
  return (
    <div className="stack">
      <p>{t('scan')}</p>
      <QRCodeSVG
        value={uri}
        title={t('qr')}
        size={192}
        marginSize={4}
        bgColor="#fff"
        fgColor="#000"
        className={styles['qr']}
      />
      {/* On a phone, which cannot scan its own screen. */}
      <a href={uri}>{t('openApp')}</a>
      <SecretField label={t('secret')} value={secret} />
      {/* In groups, to type it: the field is too narrow for all of it. */}
      <p aria-hidden className={styles['key']}>
        {secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
      </p>
      <Confirmation step={step} onDone={onDone} />
    </div>
  );
}

/** Asks for a secret once. The user may have to prove who they are; if they do not, nothing is set up. */
function useStart(onCancel: () => void) {
  const isStarted = useRef(false);
  const start = useAction({
    mutationFn: () => client.startTotp(),
    onError: (error) => {
      if (error instanceof MenagerieError && error.proof !== undefined) onCancel();
    },
  });
  const { mutate } = start;
  useEffect(() => {
    // React runs effects twice in development.
    if (isStarted.current) return;
    isStarted.current = true;
    mutate();
  }, [mutate]);
  return start;
}

function Confirmation({ step, onDone }: { step: string; onDone: TotpSetupProps['onDone'] }) {
  const t = useTranslations('signIn');
  const queries = useQueryClient();
  const [code, setCode] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const confirm = useAction({
    mutationFn: () => client.confirmTotp({ body: { step, code: code.trim() } }),
    onSuccess: async ({ recoveryCodes }) => {
      await queries.invalidateQueries({ queryKey: factorsQuery.queryKey });
      onDone(recoveryCodes);
    },
    onError: () => input.current?.select(),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (code.trim() === '') input.current?.focus();
    else confirm.mutate();
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <CodeField ref={input} factor="totp" value={code} onChange={setCode} />
      <LoginError error={confirm.error} attempt={confirm.submittedAt} wrongText={t('totp.wrong')} />
      <Button type="submit" loading={confirm.isPending}>
        {t('totp.confirm')}
      </Button>
    </form>
  );
}
