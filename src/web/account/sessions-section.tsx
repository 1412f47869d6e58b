import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { ConfirmDialog } from '../design/dialog.tsx';
import { showNotice } from '../design/notices.ts';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { ACCOUNT_KEY, sessionsQuery, type SessionView } from './account-queries.ts';
import { FormError } from './entry/form-error.tsx';
import { Section } from './section.tsx';
import { SessionItem, useProgramName } from './session-item.tsx';
import styles from './section.module.css';

export function SessionsSection() {
  const t = useTranslations('account.sessions');
  const { data: sessions = [], error } = useQuery(sessionsQuery);
  const [isConfirming, setConfirming] = useState(false);
  const endOthers = useEnding(() => client.endOtherSessions(), t('endedOthers'));
  const hasOthers = sessions.some(({ current }) => !current);
  const close = () => setConfirming(false);
  return (
    <Section
      title={t('title')}
      actions={
        hasOthers && (
          <Button variant="default" onClick={() => setConfirming(true)}>
            {t('endOthers')}
          </Button>
        )
      }
      {...(sessions.length > 0 && !hasOthers && { lead: t('onlyThis') })}
    >
      <FormError error={error} />
      <ul className={styles['list']}>
        {sessions
          .toSorted((one, other) => Number(other.current) - Number(one.current))
          .map((session) => (
            <SessionItem key={session.id} session={session}>
              {!session.current && <EndOne session={session} />}
            </SessionItem>
          ))}
      </ul>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t('askOthers')}
        confirmLabel={t('endOthers')}
        isBusy={endOthers.isPending}
        onConfirm={() => endOthers.mutate(undefined, { onSettled: close })}
        onCancel={close}
      >
        {t('askOthersText')}
      </ConfirmDialog>
    </Section>
  );
}

/** Needs no confirmation: a login starts another session. */
function EndOne({ session }: { session: SessionView }) {
  const t = useTranslations('account.sessions');
  const programName = useProgramName();
  const end = useEnding(() => client.endSession({ sessionId: session.id }), t('ended'));
  return (
    <Button
      variant="default"
      loading={end.isPending}
      aria-label={t('endOne', { program: programName(session), address: session.address })}
      onClick={() => end.mutate()}
    >
      {t('end')}
    </Button>
  );
}

function useEnding(end: () => Promise<unknown>, successText: string) {
  const queries = useQueryClient();
  const failureText = useFailureText();
  return useAction({
    mutationFn: end,
    onSuccess: () => showNotice({ text: successText }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: ACCOUNT_KEY }),
  });
}
