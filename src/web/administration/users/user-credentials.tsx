import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { FormError } from '../../account/entry/form-error.tsx';
import { KeyList } from '../../account/key-list.tsx';
import { Section } from '../../account/section.tsx';
import { SessionItem } from '../../account/session-item.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { addressOf, ADMIN_KEY, userKeysQuery, userSessionsQuery, type UserView } from '../admin-queries.ts';
import listStyles from '../../account/section.module.css';

/** The sessions and API keys of a user. */
export function UserCredentials({ user }: { user: UserView }) {
  return (
    <>
      <UserSessions user={user} />
      <UserKeys user={user} />
    </>
  );
}

function UserSessions({ user }: { user: UserView }) {
  const { username } = user;
  const t = useTranslations('administration.sessions');
  const { data: sessions, error } = useQuery(userSessionsQuery(user));
  const [isConfirming, setConfirming] = useState(false);
  const end = useEndSessions(user);
  const close = () => setConfirming(false);
  const hasSome = sessions !== undefined && sessions.length > 0;
  return (
    <Section
      title={t('title')}
      {...(sessions?.length === 0 && { lead: t('none') })}
      actions={
        hasSome && (
          <Button variant="default" onClick={() => setConfirming(true)}>
            {t('end')}
          </Button>
        )
      }
    >
      <FormError error={error} />
      {hasSome && (
        <ul className={listStyles['list']}>
          {sessions.map((session) => (
            <SessionItem key={session.id} session={session} />
          ))}
        </ul>
      )}
      <ConfirmDialog
        isOpen={isConfirming}
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

function useEndSessions(user: UserView) {
  const t = useTranslations('administration.sessions');
  const queries = useQueryClient();
  const failureText = useFailureText();
  return useAction({
    mutationFn: () => client.endUserSessions(addressOf(user)),
    onSuccess: () => showNotice({ text: t('done', { username: user.username }) }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: ADMIN_KEY }),
  });
}

function UserKeys({ user }: { user: UserView }) {
  const t = useTranslations('administration.keys');
  const { data: keys, error } = useQuery(userKeysQuery(user));
  return (
    <Section title={t('title')} {...(keys?.length === 0 && { lead: t('none') })}>
      <FormError error={error} />
      {keys !== undefined && keys.length > 0 && (
        <KeyList keys={keys} revoke={(keyId) => client.revokeAnyKey({ keyId })} queryKey={ADMIN_KEY} />
      )}
    </Section>
  );
}
