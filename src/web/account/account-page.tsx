import { useQueries, useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { CurrentUser } from '../../api/web/bootstrap.ts';
import { Button } from '../design/buttons.tsx';
import { Page } from '../design/page.tsx';
import { NoAccess } from '../routing/access.tsx';
import { client } from '../service/client.ts';
import { useCurrentUser } from '../service/current-user.ts';
import {
  ACCOUNT_KEY,
  accountQuery,
  keysQuery,
  linkedProvidersQuery,
  programsQuery,
  sessionsQuery,
  tokensQuery,
} from './account-queries.ts';
import { DeleteAccount } from './delete-account.tsx';
import { FormError } from './entry/form-error.tsx';
import { providersQuery } from './entry/provider-buttons.tsx';
import { SignInProblem } from './entry/sign-in-problem.tsx';
import { factorsQuery } from './factors/factor-queries.ts';
import { FactorsSection } from './factors-section.tsx';
import { KeyList } from './key-list.tsx';
import { LogOutButton, useLeave } from './log-out-button.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { ProgramsSection } from './programs-section.tsx';
import { ProvidersSection } from './providers-section.tsx';
import { RoleBadge } from './role-badge.tsx';
import styles from './section.module.css';
import { Section } from './section.tsx';
import { SessionsSection } from './sessions-section.tsx';

export function AccountPage() {
  const currentUser = useCurrentUser();
  return currentUser === null ? <LoginRequired /> : <OwnAccount currentUser={currentUser} />;
}

function OwnAccount({ currentUser }: { currentUser: CurrentUser }) {
  const t = useTranslations('account');
  const { data: account, error } = useQuery(accountQuery);
  // Rendered together: a section that appears later would move the buttons of the others.
  const isPending = useQueries({
    queries: [sessionsQuery, keysQuery, factorsQuery, providersQuery, linkedProvidersQuery, programsQuery, tokensQuery],
    combine: (results) => results.some((result) => result.isPending),
  });
  return (
    <Page title={t('title')} isNarrow actions={<LogOutButton />} lead={<Who currentUser={currentUser} />}>
      <SignInProblem />
      <FormError error={error} />
      {account && !isPending && (
        <>
          <ProfileForm key={account.username} account={account} />
          <FactorsSection />
          <ProvidersSection />
          {account.hasNoPasswordLogin !== true && <PasswordForm account={account} />}
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

function KeysSection() {
  const t = useTranslations('account.keys');
  const { data: keys, error } = useQuery(keysQuery);
  const [isCreating, setCreating] = useState(false);
  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button variant="default" leftSection={<KeyRound size="1.1em" aria-hidden />} onClick={() => setCreating(true)}>
          {t('new')}
        </Button>
      }
    >
      <FormError error={error} />
      {keys?.length === 0 && <p className={styles['lead']}>{t('none')}</p>}
      <KeyList keys={keys ?? []} revoke={(keyId) => client.revokeKey({ keyId })} queryKey={ACCOUNT_KEY} />
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
    </Section>
  );
}
