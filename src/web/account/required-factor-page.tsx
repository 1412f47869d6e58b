import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useAction } from '../service/action.ts';
import { findCurrentUser, setCurrentUser, useCurrentUser } from '../service/current-user.ts';
import { EntryPage } from './entry/entry-page.tsx';
import { FactorForm } from './entry/factor-form.tsx';
import { FormError } from './entry/form-error.tsx';
import { hasPasskeys } from './entry/passkeys.ts';
import { prove, type Factor } from './entry/sign-in.ts';
import { FactorChoice } from './factors/factor-choice.tsx';
import { factorsQuery, type FactorsView } from './factors/factor-queries.ts';
import { NewFactorDialog } from './factors/new-factor-dialog.tsx';
import { LogOutButton } from './log-out-button.tsx';

/** Shown instead of every page while the session must set up or prove a second factor. */
export function RequiredFactorPage() {
  const t = useTranslations('signIn.required');
  const roleName = useTranslations('account.role');
  const queries = useQueryClient();
  const { data: factors, error } = useQuery(factorsQuery);
  const role = useCurrentUser()?.role ?? 'viewer';
  const leave = useAction({
    mutationFn: findCurrentUser,
    onSuccess: (currentUser) => setCurrentUser(queries, currentUser),
  });
  const [added, setAdded] = useState<'totp' | 'passkeys'>();
  // A factor that is being added is not one to ask for: its recovery codes are shown first.
  const isAsking = factors !== undefined && added === undefined && !leave.isPending;
  const existing = isAsking ? secondFactorsIn(factors) : [];
  return (
    <EntryPage
      title={t(existing.length > 0 ? 'proveTitle' : 'title')}
      lead={t(existing.length > 0 ? 'proveLead' : 'lead', { role: roleName(role) })}
      footer={<LogOutButton />}
    >
      <FormError error={error ?? leave.error} />
      {existing.length > 0 && <ExistingFactor factors={existing} onDone={() => leave.mutate()} />}
      {factors !== undefined && existing.length === 0 && (
        <>
          <FactorChoice factors={factors} onChoice={setAdded} />
          <p className="soft">{t(hasPasskeys() ? 'choice' : 'onlyApp')}</p>
        </>
      )}
      {added !== undefined && (
        <NewFactorDialog
          kind={added}
          onClose={() => {
            leave.mutate();
            setAdded(undefined);
          }}
        />
      )}
    </EntryPage>
  );
}

function secondFactorsIn({ totp, passkeys, recoveryCodes }: FactorsView): readonly Factor[] {
  if (totp === undefined && passkeys.length === 0) return [];
  return [
    ...(passkeys.length > 0 ? (['passkey'] as const) : []),
    ...(totp === undefined ? [] : (['totp'] as const)),
    ...(recoveryCodes.left > 0 ? (['recovery-code'] as const) : []),
  ];
}

function ExistingFactor({ factors, onDone }: { factors: readonly Factor[]; onDone: () => void }) {
  const proof = useAction({ mutationFn: prove, onSuccess: onDone });
  return (
    <FactorForm
      factors={factors}
      isBusy={proof.isPending}
      error={proof.error}
      attempt={proof.submittedAt}
      onSubmit={(given) => proof.mutate(given)}
      onChange={() => proof.reset()}
    />
  );
}
