import { useQueryClient } from '@tanstack/react-query';
import { Link2, Lock, LockOpen, Mail } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { USER_STATUS_CLOSED } from '../../../api/web/admin-addresses.ts';
import { FormError, isErrorAt } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { bootstrap } from '../../service/bootstrap.ts';
import { client } from '../../service/client.ts';
import { addressOf, ADMIN_KEY, type UserView } from '../admin-queries.ts';
import { ResetLinkDialog } from './reset-link-dialog.tsx';

type AccessAction = 'close' | 'reopen' | 'resetLink' | 'resend';

/** Closes and reopens an account, and creates reset links. */
export function UserAccess({ user }: { user: UserView }) {
  const { username, userStatus, invitation } = user;
  const hasPassword = invitation === undefined;
  const t = useTranslations('administration.access');
  const lastAdmin = useTranslations('account')('lastAdmin');
  const [action, setAction] = useState<AccessAction>();
  const change = useAccessChange(user);
  const asked = action === 'resetLink' && !hasPassword ? 'invitation' : (action ?? 'close');
  // An invitation by e-mail can be lost.
  const maySend = bootstrap.mail === true && !hasPassword && (user.email ?? '') !== '';
  const isClosed = userStatus === USER_STATUS_CLOSED;
  const icon = { size: '1.1em', 'aria-hidden': true } as const;
  return (
    <Section title={t('title')} lead={t(isClosed ? 'closed' : hasPassword ? 'open' : 'invited')}>
      <FormError error={change.error} text={isErrorAt(change.error, 'conflict') ? lastAdmin : undefined} />
      <div className="row">
        <Button variant="default" leftSection={<Link2 {...icon} />} onClick={() => setAction('resetLink')}>
          {t(hasPassword ? 'resetLink.action' : 'invitation.action')}
        </Button>
        {maySend && (
          <Button variant="default" leftSection={<Mail {...icon} />} onClick={() => setAction('resend')}>
            {t('resend.action')}
          </Button>
        )}
        {isClosed ? (
          <Button variant="default" leftSection={<LockOpen {...icon} />} onClick={() => setAction('reopen')}>
            {t('reopen.action')}
          </Button>
        ) : (
          <Button variant="default" leftSection={<Lock {...icon} />} onClick={() => setAction('close')}>
            {t('close.action')}
          </Button>
        )}
      </div>
      <ConfirmDialog
        isOpen={action !== undefined}
        title={t(`${asked}.ask`, { username })}
        confirmLabel={t(`${asked}.action`)}
        isDangerous={action === 'close'}
        isBusy={change.isPending}
        onConfirm={() => action !== undefined && change.mutate(action, { onSettled: () => setAction(undefined) })}
        onCancel={() => setAction(undefined)}
      >
        {t(`${asked}.text`)}
      </ConfirmDialog>
      {change.data !== undefined && change.data !== null && (
        <ResetLinkDialog
          isInvitation={!hasPassword}
          username={username}
          link={change.data}
          onClose={() => change.reset()}
        />
      )}
    </Section>
  );
}

function useAccessChange(user: UserView) {
  const t = useTranslations('administration.access');
  const queries = useQueryClient();
  return useAction({
    mutationFn: async (action: AccessAction) => {
      if (action === 'resetLink') return client.issueResetLink(addressOf(user));
      if (action === 'resend') await client.resendInvitation(addressOf(user));
      else await (action === 'close' ? client.closeUser(addressOf(user)) : client.reopenUser(addressOf(user)));
      return null;
    },
    onSuccess: async (_response, action) => {
      if (action !== 'resetLink') showNotice({ text: t(`${action}.done`, { username: user.username }) });
      await queries.invalidateQueries({ queryKey: ADMIN_KEY });
    },
  });
}
