import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LogOut } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import type { CurrentUser } from '../../api/web/bootstrap.ts';
import { NoAccess } from '../routing/access.tsx';
import { showNotice } from '../design/notices.ts';
import { Page } from '../design/page.tsx';
import { useAction } from '../service/action.ts';
import { useFailureText } from '../service/failure-text.ts';
import { plainClient } from '../service/client.ts';
import { deleteDraftsOf } from '../editing/form-state/draft-storage.ts';
import { deleteUploadsOf } from '../photos/missing-uploads.ts';
import { forgetUser } from '../service/reauthentication.ts';
import { setCurrentUser, storageOwnerOf, useCurrentUser } from '../service/current-user.ts';
import { accountQuery, keysQuery, programsQuery, sessionsQuery, tokensQuery } from './account-queries.ts';
import { FormError } from './entry/form-error.tsx';
import { SignInProblem } from './entry/sign-in-problem.tsx';
import { KeysSection } from './keys-section.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { ProgramsSection } from './programs-section.tsx';
import { RoleBadge } from './role-badge.tsx';
import { SessionsSection } from './sessions-section.tsx';

export function AccountPage() {
  const currentUser = useCurrentUser();
  return currentUser === null ? <LoginRequired /> : <OwnAccount currentUser={currentUser} />;
}

function OwnAccount({ currentUser }: { currentUser: CurrentUser }) {
  const t = useTranslations('account');
  const { data: account, error } = useQuery(accountQuery);
  // Rendered together: a section that appears later would move the buttons of the others.
  const hasSessions = !useQuery(sessionsQuery).isPending;
  const hasKeys = !useQuery(keysQuery).isPending;
  const hasPrograms = !useQuery(programsQuery).isPending;
  const hasTokens = !useQuery(tokensQuery).isPending;
  return (
    <Page title={t('title')} isNarrow actions={<LogOutButton />} lead={<Who currentUser={currentUser} />}>
      <SignInProblem />
      <FormError error={error} />
      {account && hasSessions && hasKeys && hasPrograms && hasTokens && (
        <>
          <ProfileForm key={account.username} account={account} />
          <PasswordForm username={account.username} />
          <SessionsSection />
          <KeysSection />
          <ProgramsSection />
          <DeleteOwnAccount username={account.username} />
        </>
      )}
    </Page>
  );
}

function Who({ currentUser: { username, role } }: { currentUser: CurrentUser }) {
  const t = useTranslations('account.role');
  return (
    <p className="row">
      <strong>{username}</strong> <RoleBadge role={role} /> <span>{t(`may.${role}`)}</span>
    </p>
  );
}

function forgetOf(owner: string): void {
  deleteDraftsOf(owner);
  deleteUploadsOf(owner);
}

function useLeave(): () => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const currentUser = useCurrentUser();
  return async () => {
    if (currentUser !== null) forgetOf(storageOwnerOf(currentUser.username));
    forgetUser();
    // Navigate first: the account page has nothing to show to an anonymous user.
    await navigate({ to: '/' });
    setCurrentUser(queries, null);
  };
}

function LogOutButton() {
  const t = useTranslations('account');
  const leave = useLeave();
  const failureText = useFailureText();
  const logOut = useAction({
    mutationFn: () => plainClient.logoutUser(),
    onSuccess: async () => {
      await leave();
      showNotice({ text: t('loggedOut') });
    },
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
  });
  return (
    <Button
      variant="default"
      leftSection={<LogOut size="1.1em" aria-hidden />}
      loading={logOut.isPending}
      onClick={() => logOut.mutate()}
    >
      {t('logout')}
    </Button>
  );
}

function DeleteOwnAccount({ username }: { username: string }) {
  const t = useTranslations('account.delete');
  const leave = useLeave();
  return <DeleteAccount username={username} lead={t('text')} onDeleted={leave} />;
}

function LoginRequired() {
  const t = useTranslations('account.loginNeeded');
  return (
    <NoAccess title={t('title')} loginLabel={t('action')}>
      {t('text')}
    </NoAccess>
  );
}
