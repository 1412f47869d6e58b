import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { NoAccess } from '../../../../web/routing/access.tsx';
import { may, useCurrentUser } from '../../../../web/service/current-user.ts';

/** Shows its children to users who may handle enquiries. */
export function EnquiryStaffOnly({ children }: { children: ReactNode }) {
  const t = useTranslations('history.notAllowed');
  const title = useTranslations('enquiries')('title');
  const currentUser = useCurrentUser();
  if (may(currentUser, 'handle enquiries')) return children;
  return (
    <NoAccess title={t('title')} pageTitle={title} loginLabel={t('login')} homeLabel={t('toPets')}>
      {t(currentUser === null ? 'unknown' : 'forbidden')}
    </NoAccess>
  );
}
