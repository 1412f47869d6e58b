import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate, useRouter } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { findProfileFaults } from '../../../api/web/account-checks.ts';
import { UsernameField } from '../../design/fields/field.tsx';
import { Button, LinkButton } from '../../design/buttons.tsx';
import { showNotice } from '../../design/notices.ts';
import { usePageTitle } from '../../design/page.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { useAction } from '../../service/action.ts';
import { bootstrap } from '../../service/bootstrap.ts';
import { plainClient } from '../../service/client.ts';
import { setCurrentUser } from '../../service/current-user.ts';
import { EntryPage } from './entry-page.tsx';
import { FormError, isErrorAt } from './form-error.tsx';
import { findFault, NewPasswordField } from './new-password-field.tsx';
import { logIn, type Credentials } from './sign-in.ts';

const route = getRouteApi('/sign-up');

export function SignUpPage() {
  const t = useTranslations('account.signUp');
  const { to } = route.useSearch();
  if (!bootstrap.signUp) return <Closed />;
  const search = to === undefined ? {} : { to };
  return (
    <EntryPage
      title={t('title')}
      lead={t(bootstrap.access === 'secured' ? 'lead' : 'freeLead')}
      footer={
        <>
          {t('have')}{' '}
          <Link to="/login" search={search}>
            {t('login')}
          </Link>
        </>
      }
    >
      <SignUpForm to={to} />
    </EntryPage>
  );
}

function Closed() {
  const t = useTranslations('account.signUp');
  usePageTitle(t('closed.title'));
  return (
    <EmptyState level={1} title={t('closed.title')} actions={<LinkButton to="/login">{t('login')}</LinkButton>}>
      {t('closed.text')}
    </EmptyState>
  );
}

function SignUpForm({ to }: { to: string | undefined }) {
  const t = useTranslations('account');
  const [given, setGiven] = useState<Credentials>({ username: '', password: '' });
  const [isSubmitted, setSubmitted] = useState(false);
  const signUp = useSignUp(to);
  const faults = findFaults(given);
  const isTaken = isErrorAt(signUp.error, 'conflict');
  const isRefused = isErrorAt(signUp.error, '/password');
  const isShown = isSubmitted || given.username !== '';
  const change = (part: Partial<Credentials>) => {
    signUp.reset();
    setGiven({ ...given, ...part });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    // After the login, the form stays until the next page is loaded.
    if (signUp.isSuccess) return;
    if (faults.username === undefined && faults.password === undefined) signUp.mutate(given);
    else event.currentTarget.querySelector<HTMLElement>(faults.username ? '#username' : '#password')?.focus();
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <UsernameField
        id="username"
        label={t('username')}
        name="username"
        value={given.username}
        description={t('advice.usernameHint')}
        error={
          isTaken ? t('signUp.taken') : isShown && faults.username ? t(`fault.username.${faults.username}`) : undefined
        }
        onChange={({ currentTarget }) => change({ username: currentTarget.value })}
      />
      <NewPasswordField
        id="password"
        label={t('password')}
        name="password"
        username={given.username}
        value={given.password}
        onChange={(password) => change({ password })}
        shownFault={isRefused ? 'guessable' : isSubmitted ? faults.password : undefined}
      />
      <FormError error={isTaken || isRefused ? null : signUp.error} />
      <Button type="submit" loading={signUp.isPending || signUp.isSuccess}>
        {t('signUp.submit')}
      </Button>
    </form>
  );
}

function findFaults({ username, password }: Credentials) {
  return {
    username: findProfileFaults({ username }).username,
    password: password === '' ? ('missing' as const) : findFault(password, username),
  };
}

function useSignUp(to: string | undefined) {
  const t = useTranslations('account.signUp');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { history } = useRouter();
  return useAction({
    mutationFn: async (credentials: Credentials) => {
      await plainClient.createUser({ body: credentials });
      // The account exists even if the login fails.
      return logIn(credentials).catch(() => null);
    },
    onSuccess: (currentUser) => {
      // A new account has no second factor.
      if (currentUser === null || 'step' in currentUser) {
        showNotice({ text: t('createdNotLoggedIn') });
        return navigate({ to: '/login', search: to === undefined ? {} : { to } });
      }
      setCurrentUser(queries, currentUser);
      showNotice({ text: t('done', { username: currentUser.username }) });
      history.replace(`${bootstrap.basePath}${to ?? '/'}`);
      return undefined;
    },
  });
}
