import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useTranslations } from 'use-intl';
import type { CurrentUser } from '../../../api/web/bootstrap.ts';
import type { MenagerieError } from '../../../client/failures.ts';
import { Button } from '../../design/buttons.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { useAction } from '../../service/action.ts';
import { findCurrentUser, setCurrentUser, useCurrentUser } from '../../service/current-user.ts';
import { onLoginElsewhere } from '../../service/logins-elsewhere.ts';
import { FactorForm, usableFactors } from './factor-form.tsx';
import { LoginError } from './login-error.tsx';
import { LoginForm } from './login-form.tsx';
import { ProviderTabs } from './provider-buttons.tsx';
import { findUser, prove } from './sign-in.ts';

interface LoginAgainDialogProps {
  /** The response of the service: without a session, without a recent proof, or without the second factor. */
  refusal: MenagerieError;
  onEnd: (isDone: boolean) => void;
}

/** Asks for what the service needs before it executes a request. */
export function LoginAgainDialog({ refusal: { proof, secondFactor }, onEnd }: LoginAgainDialogProps) {
  const username = useCurrentUser()?.username;
  if (username === undefined) return <NoDialog onEnd={onEnd} />;
  if (proof !== undefined) return <ProofDialog username={username} factors={proof} onEnd={onEnd} />;
  if (secondFactor !== undefined) return <NoDialog isRestricted onEnd={onEnd} />;
  return <LoginDialog username={username} onEnd={onEnd} />;
}

function LoginDialog({ username, onEnd }: Omit<ProofDialogProps, 'factors'>) {
  const t = useTranslations('account.again');
  const queries = useQueryClient();
  const finish = (currentUser: CurrentUser) => {
    onEnd(true);
    setCurrentUser(queries, currentUser);
  };
  return (
    <Dialog isOpen onClose={() => onEnd(false)} title={t('title')} size="small">
      <div className="stack">
        <p className="soft">{t('text')}</p>
        <LoginForm username={username} onDone={finish} />
        <ProviderTabs />
        <LoginElsewhere username={username} onDone={finish} />
        <Button variant="subtle" onClick={() => onEnd(false)}>
          {t('later')}
        </Button>
      </div>
    </Dialog>
  );
}

interface LoginElsewhereProps {
  username: string;
  onDone: (currentUser: CurrentUser) => void;
}

/** Continues after a login in another tab, and shows an error if it was that of another user. */
function LoginElsewhere({ username, onDone }: LoginElsewhereProps) {
  const t = useTranslations('signIn.error');
  const check = useAction({ mutationFn: () => findUser(username), onSuccess: onDone });
  const { mutate } = check;
  useEffect(() => onLoginElsewhere(() => mutate()), [mutate]);
  return <LoginError error={check.error} attempt={check.submittedAt} wrongText={t('otherUser')} />;
}

interface ProofDialogProps {
  username: string;
  factors: readonly string[];
  onEnd: (isDone: boolean) => void;
}

/** Access to an open browser is not enough for sensitive changes. */
function ProofDialog({ username, factors, onEnd }: ProofDialogProps) {
  const t = useTranslations('signIn.proof');
  const proof = useAction({ mutationFn: prove, onSuccess: () => onEnd(true) });
  const isLinked = factors.includes('provider');
  const isOnlyLinked = isLinked && usableFactors(factors).length === 0;
  return (
    <Dialog isOpen onClose={() => onEnd(false)} title={t('title')} size="small" isClosable={!proof.isPending}>
      <div className="stack">
        <p className="soft">{t('text')}</p>
        {!isOnlyLinked && (
          <FactorForm
            factors={factors}
            username={username}
            isBusy={proof.isPending}
            error={proof.error}
            attempt={proof.submittedAt}
            onSubmit={(given) => proof.mutate(given)}
            onChange={() => proof.reset()}
          />
        )}
        {/* A new login is a proof, too. */}
        {isLinked && <ProviderTabs isOnly={isOnlyLinked} />}
        <LoginElsewhere username={username} onDone={() => onEnd(true)} />
      </div>
    </Dialog>
  );
}

interface NoDialogProps {
  /** The role requires a second factor since the page was opened. The page for it replaces this one. */
  isRestricted?: boolean;
  onEnd: (isDone: boolean) => void;
}

/** The user cannot do anything about the refusal here. */
function NoDialog({ isRestricted = false, onEnd }: NoDialogProps) {
  const queries = useQueryClient();
  const end = useEffectEvent(async () => {
    const currentUser = isRestricted ? await findCurrentUser().catch(() => undefined) : undefined;
    onEnd(false);
    if (currentUser !== undefined) setCurrentUser(queries, currentUser);
  });
  useEffect(() => void end(), []);
  return null;
}
