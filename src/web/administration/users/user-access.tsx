import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link2, Lock, LockOpen } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { USER_STATUS_CLOSED } from '../../../api/web/admin-addresses.ts';
import { FormTrouble, problemAt } from '../../account/form-trouble.tsx';
import { Section } from '../../account/section.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { showNotice } from '../../design/notices.ts';
import { client } from '../../service/client.ts';
import { addressOf, ADMIN_KEY, type UserView } from '../admin-queries.ts';
import { ResetLinkDialog } from './reset-link-dialog.tsx';
import styles from '../administration.module.css';

type Asked = 'close' | 'reopen' | 'resetLink';

/** Whether somebody can log in, and a way back in for those who have forgotten the password. */
export function UserAccess({ user }: { user: UserView }) {
  const { username, userStatus } = user;
  const t = useTranslations('administration.access');
  const lastAdmin = useTranslations('account')('lastAdmin');
  const [asked, setAsked] = useState<Asked>();
  const change = useAccessChange(user);
  const isClosed = userStatus === USER_STATUS_CLOSED;
  const icon = { size: '1.1em', 'aria-hidden': true } as const;
  return (
    <Section title={t('title')} lead={isClosed ? t('closed') : t('open')}>
      <FormTrouble error={change.error} text={problemAt(change.error, 'conflict') ? lastAdmin : undefined} />
      <div className={styles['buttons']}>
        <Button variant="default" leftSection={<Link2 {...icon} />} onClick={() => setAsked('resetLink')}>
          {t('resetLink.action')}
        </Button>
        {isClosed ? (
          <Button variant="default" leftSection={<LockOpen {...icon} />} onClick={() => setAsked('reopen')}>
            {t('reopen.action')}
          </Button>
        ) : (
          <Button variant="default" leftSection={<Lock {...icon} />} onClick={() => setAsked('close')}>
            {t('close.action')}
          </Button>
        )}
      </div>
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={t(`${asked ?? 'close'}.ask`, { username })}
        confirmLabel={t(`${asked ?? 'close'}.action`)}
        isDangerous={asked === 'close'}
        isBusy={change.isPending}
        onConfirm={() => asked !== undefined && change.mutate(asked, { onSettled: () => setAsked(undefined) })}
        onCancel={() => setAsked(undefined)}
      >
        {t(`${asked ?? 'close'}.text`)}
      </ConfirmDialog>
      {change.data !== undefined && change.data !== null && (
        <ResetLinkDialog username={username} link={change.data} onClose={() => change.reset()} />
      )}
    </Section>
  );
}

function useAccessChange(user: UserView) {
  const t = useTranslations('administration.access');
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (what: Asked) => {
      if (what === 'resetLink') return client.issueResetLink(addressOf(user));
      await (what === 'close' ? client.closeUser(addressOf(user)) : client.reopenUser(addressOf(user)));
      return null;
    },
    onSuccess: async (_answer, what) => {
      if (what !== 'resetLink') showNotice({ text: t(`${what}.done`, { username: user.username }) });
      await queries.invalidateQueries({ queryKey: ADMIN_KEY });
    },
  });
}
