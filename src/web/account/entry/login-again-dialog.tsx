import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useTranslations } from 'use-intl';
import type { MenagerieError } from '../../../client/failures.ts';
import { Button } from '../../design/buttons.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { useAction } from '../../service/action.ts';
import { bootstrap } from '../../service/bootstrap.ts';
import { findCurrentUser, setCurrentUser, useCurrentUser } from '../../service/current-user.ts';
import { FactorForm } from './factor-form.tsx';
import { LoginForm } from './login-form.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { prove } from './sign-in.ts';

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
  return (
    <Dialog isOpen onClose={() => onEnd(false)} title={t('title')} size="small">
      <div className="stack">
        <p className="soft">{t('text')}</p>
        <LoginForm
          username={username}
          onDone={(currentUser) => {
            onEnd(true);
            setCurrentUser(queries, currentUser);
          }}
        />
        <Button variant="subtle" onClick={() => onEnd(false)}>
          {t('later')}
        </Button>
      </div>
    </Dialog>
  );
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
  return (
    <Dialog isOpen onClose={() => onEnd(false)} title={t('title')} size="small" isClosable={!proof.isPending}>
      <div className="stack">
        <p className="soft">{t('text')}</p>
        <FactorForm
          factors={factors}
          username={username}
          isBusy={proof.isPending}
          error={proof.error}
          attempt={proof.submittedAt}
          onSubmit={(given) => proof.mutate(given)}
          onChange={() => proof.reset()}
        />
        {/* A new login is a proof, too. */}
        {factors.length === 0 && <ProviderButtons to={location.pathname.slice(bootstrap.basePath.length)} />}
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
