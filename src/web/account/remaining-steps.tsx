import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { LinkButton } from '../design/buttons.tsx';
import { FactorChoice } from './factors/factor-choice.tsx';
import { factorsQuery } from './factors/factor-queries.ts';
import { NewFactorDialog } from './factors/new-factor-dialog.tsx';
import { EntryPage } from './entry/entry-page.tsx';
import { FormError } from './entry/form-error.tsx';
import { hasPasskeys } from './entry/passkeys.ts';

/** After an invitation was accepted: the ways to protect the account that it does not have yet. */
export function RemainingSteps({ username }: { username: string }) {
  const t = useTranslations('account.reset.steps');
  const { data: factors, error } = useQuery(factorsQuery);
  const [added, setAdded] = useState<'totp' | 'passkeys'>();
  const isDone = factors?.totp !== undefined && (factors.passkeys.length > 0 || !hasPasskeys());
  return (
    <EntryPage title={t('title', { username })} lead={t(isDone ? 'done' : 'lead')}>
      <FormError error={error} />
      {factors && <FactorChoice factors={factors} onChoice={setAdded} />}
      <LinkButton to="/" variant={isDone ? 'filled' : 'subtle'}>
        {t(isDone ? 'continue' : 'later')}
      </LinkButton>
      {added !== undefined && <NewFactorDialog kind={added} onClose={() => setAdded(undefined)} />}
    </EntryPage>
  );
}
