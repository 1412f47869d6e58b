import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { LinkButton } from '../../design/buttons.tsx';
import { showNotice } from '../../design/notices.ts';
import { bootstrap } from '../../service/bootstrap.ts';
import { setCurrentUser, useCurrentUser } from '../../service/current-user.ts';
import { announceLogin, ONLY_LOGIN_FRAGMENT } from '../../service/logins-elsewhere.ts';
import { EntryPage } from './entry-page.tsx';
import { LoginForm } from './login-form.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { readSecondStep } from './sign-in.ts';
import { SignInProblem } from './sign-in-problem.tsx';
import { useTokenOfAddress } from './token-of-address.ts';

const route = getRouteApi('/login');

export function LoginPage() {
  const t = useTranslations('account.login');
  const { to } = route.useSearch();
  const token = useTokenOfAddress();
  const currentUser = useCurrentUser();
  const queries = useQueryClient();
  const { history } = useRouter();
  const isFree = bootstrap.access !== 'secured';
  if (currentUser !== null && token === ONLY_LOGIN_FRAGMENT) return <LoggedInTab username={currentUser.username} />;
  if (currentUser !== null)
    return (
      <EntryPage title={t('title')} lead={t('already', { username: currentUser.username })}>
        <LinkButton to={to ?? '/'}>{t('continue')}</LinkButton>
      </EntryPage>
    );
  return (
    <EntryPage title={t('title')} {...(isFree && { lead: t('free') })} footer={<NewHere to={to} />}>
      <SignInProblem />
      <LoginForm
        begun={readSecondStep(token)}
        onDone={(currentUser) => {
          announceLogin();
          setCurrentUser(queries, currentUser);
          showNotice({ text: t('welcome', { username: currentUser.username }) });
          // Replaces the login in the history, so that going back skips it.
          history.replace(`${bootstrap.basePath}${to ?? '/'}`);
        }}
      />
      {bootstrap.mail === true && (
        <p>
          <Link to="/reset-password">{t('forgot')}</Link>
        </p>
      )}
      <ProviderButtons to={to} />
    </EntryPage>
  );
}

/** The page in a tab that was opened for a login: the tab that opened it continues. */
function LoggedInTab({ username }: { username: string }) {
  const t = useTranslations('account.login');
  useEffect(() => {
    announceLogin();
    // Browsers may refuse it, because the tab has shown other pages before.
    window.close();
  }, []);
  return (
    <EntryPage title={t('title')} lead={t('already', { username })}>
      <p role="status">{t('closeTab')}</p>
    </EntryPage>
  );
}

function NewHere({ to }: { to: string | undefined }) {
  const t = useTranslations('account.login');
  if (!bootstrap.signUp) return t('askAdmin');
  return (
    <>
      {t('noAccount')}{' '}
      <Link to="/sign-up" search={to === undefined ? {} : { to }}>
        {t('signUp')}
      </Link>
    </>
  );
}
