import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../../client/failures.ts';
import { LinkButton } from '../../design/buttons.tsx';
import { usePageTitle } from '../../design/page.tsx';
import { Scene } from '../../design/scene.tsx';
import { bootstrap } from '../../service/bootstrap.ts';
import { plainClient } from '../../service/client.ts';
import { FormTrouble, problemAt } from '../form-trouble.tsx';
import { EntryPage } from './entry-page.tsx';
import { findFault, NewPasswordField } from './new-password-field.tsx';
import styles from '../account.module.css';

/** Where a reset link leads. Opening it uses nothing up, as programs that preview links do. */
export function ResetPasswordPage() {
  const token = useTokenOfAddress();
  // A link that is opened later in the same tab is another try.
  return <ResetPassword key={token} token={token} />;
}

function ResetPassword({ token }: { token: string }) {
  const t = useTranslations('account.reset');
  const reset = useMutation({
    mutationFn: (newPassword: string) => plainClient.resetPassword({ body: { token, newPassword } }),
  });
  const isRefused = problemAt(reset.error, '/newPassword');
  const isInvalid = reset.error instanceof MenagerieError && reset.error.code === 'invalid-input' && !isRefused;
  if (reset.isSuccess)
    return (
      <Told kind="done">
        <LinkButton to="/login">{t('done.action')}</LinkButton>
      </Told>
    );
  if (token === '')
    return (
      <Told kind="incomplete">
        <LinkButton to="/login">{t('done.action')}</LinkButton>
      </Told>
    );
  if (isInvalid) return <Told kind="invalid" />;
  return (
    <EntryPage title={t('title')} lead={t('lead')}>
      <ResetForm
        isBusy={reset.isPending}
        error={isRefused ? null : reset.error}
        isRefused={isRefused}
        onChange={() => reset.reset()}
        onSubmit={(password) => reset.mutate(password)}
      />
    </EntryPage>
  );
}

interface ResetFormProps {
  isBusy: boolean;
  isRefused: boolean;
  error: Error | null;
  onChange: () => void;
  onSubmit: (newPassword: string) => void;
}

function ResetForm({ isBusy, isRefused, error, onChange, onSubmit }: ResetFormProps) {
  const t = useTranslations('account');
  const [password, setPassword] = useState('');
  const [isAsked, setAsked] = useState(false);
  // Whose it is, the link does not say.
  const fault = password === '' ? 'missing' : findFault(password, '');
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setAsked(true);
    if (fault === undefined && !isBusy) onSubmit(password);
  };
  return (
    <form className={styles['form']} onSubmit={submit} noValidate>
      <NewPasswordField
        label={t('reset.new')}
        name="new-password"
        username=""
        value={password}
        onChange={(next) => {
          onChange();
          setPassword(next);
        }}
        error={
          isRefused
            ? t('fault.password.guessable')
            : isAsked && fault !== undefined
              ? t(`fault.password.${fault}`, { min: bootstrap.minPasswordLength })
              : undefined
        }
      />
      <FormTrouble error={error} />
      <Button type="submit" size="md" loading={isBusy}>
        {t('reset.submit')}
      </Button>
    </form>
  );
}

function Told({ kind, children }: { kind: 'done' | 'incomplete' | 'invalid'; children?: React.ReactNode }) {
  const t = useTranslations('account.reset');
  usePageTitle(t(`${kind}.title`));
  return (
    <Scene level={1} title={t(`${kind}.title`)} actions={children} isTrouble={kind !== 'done'}>
      {t(`${kind}.text`)}
    </Scene>
  );
}

/** The token stands behind the #, where no server and no log sees it. It is taken from there, and out of the address and the history. */
function useTokenOfAddress(): string {
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const [token, setToken] = useState(hash);
  if (hash !== '' && hash !== token) setToken(hash);
  useEffect(() => {
    if (hash !== '') history.replaceState(history.state, '', location.pathname);
  }, [hash]);
  return token;
}
