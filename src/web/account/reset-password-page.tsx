import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import { Button, LinkButton } from '../design/buttons.tsx';
import { usePageTitle } from '../design/page.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { useAction } from '../service/action.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { plainClient } from '../service/client.ts';
import { setCurrentUser, useCurrentUser } from '../service/current-user.ts';
import { FormError, isErrorAt } from './entry/form-error.tsx';
import { EntryPage } from './entry/entry-page.tsx';
import { findFault, NewPasswordField } from './entry/new-password-field.tsx';
import { logIn } from './entry/sign-in.ts';
import { RemainingSteps } from './remaining-steps.tsx';
import { RequestReset } from './entry/request-reset.tsx';
import { useTokenOfAddress } from './entry/token-of-address.ts';

const route = getRouteApi('/reset-password');

/**
 * The target of a reset link or an invitation. Opening it does not use up the link, as programs that preview links open
 * it too.
 */
export function ResetPasswordPage() {
  const token = useTokenOfAddress();
  const { for: purpose } = route.useSearch();
  const currentUser = useCurrentUser();
  if (purpose === 'steps' && currentUser !== null) return <RemainingSteps username={currentUser.username} />;
  const isInvitation = purpose === 'invitation';
  // Another link opened in the same tab starts over.
  return <ResetPassword key={token} token={token} isInvitation={isInvitation} />;
}

function ResetPassword({ token, isInvitation }: { token: string; isInvitation: boolean }) {
  const t = useTranslations('account.reset');
  const [isRequesting, setRequesting] = useState(false);
  const reset = useReset(token, isInvitation);
  const isRefused = isErrorAt(reset.error, '/newPassword');
  const isInvalid = reset.error instanceof MenagerieError && reset.error.code === 'invalid-input' && !isRefused;
  if (reset.isSuccess)
    return (
      <ResetOutcome kind={isInvitation ? 'accepted' : 'done'}>
        <LinkButton to="/login">{t('done.action')}</LinkButton>
      </ResetOutcome>
    );
  if (isRequesting || (token === '' && bootstrap.mail === true)) return <RequestReset />;
  if (token === '')
    return (
      <ResetOutcome kind="incomplete">
        <LinkButton to="/login">{t('done.action')}</LinkButton>
      </ResetOutcome>
    );
  if (isInvalid && bootstrap.mail === true && !isInvitation)
    return (
      <ResetOutcome kind="expired">
        <Button onClick={() => setRequesting(true)}>{t('expired.action')}</Button>
      </ResetOutcome>
    );
  if (isInvalid) return <ResetOutcome kind="invalid" />;
  return (
    <EntryPage
      title={t(isInvitation ? 'invitation.title' : 'title')}
      lead={t(isInvitation ? 'invitation.lead' : 'lead')}
    >
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

/** A new user is logged in, unless the login needs more than the password. Others may not have asked for the link. */
function useReset(token: string, isInvitation: boolean) {
  const queries = useQueryClient();
  const { history } = useRouter();
  return useAction({
    mutationFn: async (newPassword: string) => {
      const { username } = await plainClient.resetPassword({ body: { token, newPassword } });
      // The password is set even if the login fails.
      return isInvitation ? logIn({ username, password: newPassword }).catch(() => undefined) : undefined;
    },
    onSuccess: (currentUser) => {
      if (currentUser === undefined || 'step' in currentUser) return;
      setCurrentUser(queries, currentUser);
      history.replace(`${bootstrap.basePath}/reset-password?for=steps`);
    },
  });
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
  const [isSubmitted, setSubmitted] = useState(false);
  // The username is unknown: the link does not contain it.
  const fault = password === '' ? 'missing' : findFault(password, '');
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (fault === undefined) onSubmit(password);
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <NewPasswordField
        label={t('reset.new')}
        name="new-password"
        username=""
        value={password}
        onChange={(next) => {
          onChange();
          setPassword(next);
        }}
        shownFault={isRefused ? 'guessable' : isSubmitted ? fault : undefined}
      />
      <FormError error={error} />
      <Button type="submit" loading={isBusy}>
        {t('reset.submit')}
      </Button>
    </form>
  );
}

function ResetOutcome({
  kind,
  children,
}: {
  kind: 'done' | 'accepted' | 'incomplete' | 'invalid' | 'expired';
  children?: React.ReactNode;
}) {
  const t = useTranslations('account.reset');
  usePageTitle(t(`${kind}.title`));
  return (
    <EmptyState
      level={1}
      title={t(`${kind}.title`)}
      actions={children}
      isError={kind !== 'done' && kind !== 'accepted'}
    >
      {t(`${kind}.text`)}
    </EmptyState>
  );
}
