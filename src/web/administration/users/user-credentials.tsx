import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormTrouble } from '../../account/form-trouble.tsx';
import { KeyList } from '../../account/key-list.tsx';
import { Section } from '../../account/section.tsx';
import { SessionItem } from '../../account/session-item.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { showNotice } from '../../design/notices.ts';
import { client } from '../../service/client.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { ADMIN_KEY, userKeysQuery, userSessionsQuery } from '../admin-queries.ts';
import listStyles from '../../account/section.module.css';

/** Where somebody is logged in, and the keys that programs have of them. */
export function UserCredentials({ username }: { username: string }) {
  return (
    <>
      <UserSessions username={username} />
      <UserKeys username={username} />
    </>
  );
}

function UserSessions({ username }: { username: string }) {
  const t = useTranslations('administration.sessions');
  const { data: sessions, error } = useQuery(userSessionsQuery(username));
  const [isAsking, setAsking] = useState(false);
  const end = useEndSessions(username);
  const close = () => setAsking(false);
  const hasSome = sessions !== undefined && sessions.length > 0;
  return (
    <Section
      title={t('title')}
      {...(sessions?.length === 0 && { lead: t('none') })}
      actions={
        hasSome && (
          <Button variant="default" onClick={() => setAsking(true)}>
            {t('end')}
          </Button>
        )
      }
    >
      <FormTrouble error={error} />
      {hasSome && (
        <ul className={listStyles['list']}>
          {sessions.map((session) => (
            <SessionItem key={session.id} session={session} />
          ))}
        </ul>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title={t('ask', { username })}
        confirmLabel={t('end')}
        isDangerous
        isBusy={end.isPending}
        onConfirm={() => end.mutate(undefined, { onSettled: close })}
        onCancel={close}
      >
        {t('text')}
      </ConfirmDialog>
    </Section>
  );
}

function useEndSessions(username: string) {
  const t = useTranslations('administration.sessions');
  const queries = useQueryClient();
  const failureText = useFailureText();
  return useMutation({
    mutationFn: () => client.endUserSessions({ username }),
    onSuccess: () => showNotice({ text: t('done', { username }) }),
    onError: (error) => showNotice({ text: failureText(error), isTrouble: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: ADMIN_KEY }),
  });
}

function UserKeys({ username }: { username: string }) {
  const t = useTranslations('administration.keys');
  const { data: keys, error } = useQuery(userKeysQuery(username));
  return (
    <Section title={t('title')} {...(keys?.length === 0 && { lead: t('none') })}>
      <FormTrouble error={error} />
      {keys !== undefined && keys.length > 0 && (
        <KeyList keys={keys} revoke={(keyId) => client.revokeAnyKey({ keyId })} queryKey={ADMIN_KEY} />
      )}
    </Section>
  );
}
