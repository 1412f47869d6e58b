import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { LinkButton } from '../../design/buttons.tsx';
import { showNotice } from '../../design/notices.ts';
import { bootstrap } from '../../service/bootstrap.ts';
import { setCurrentUser, useCurrentUser } from '../../service/current-user.ts';
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
  const begun = readSecondStep(useTokenOfAddress());
  const currentUser = useCurrentUser();
  const queries = useQueryClient();
  const { history } = useRouter();
  const isFree = bootstrap.access !== 'secured';
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
        begun={begun}
        onDone={(currentUser) => {
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
