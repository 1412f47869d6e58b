import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Page, type PageProps } from '../design/page.tsx';
import { NoAccess } from '../routing/access.tsx';
import { usePermissions, useCurrentUser } from '../service/current-user.ts';
import { AdminMenu } from './admin-menu.tsx';
import styles from './admin-menu.module.css';

export function AdminOnly({ children }: { children: ReactNode }) {
  const t = useTranslations('administration.adminOnly');
  const currentUser = useCurrentUser();
  const { administer } = usePermissions();
  if (administer) return children;
  return (
    <NoAccess title={t('title')} loginLabel={t('login')} homeLabel={t('home')}>
      {currentUser === null ? t('unknown') : t('known', { username: currentUser.username })}
    </NoAccess>
  );
}

/** A page with the menu of the administration. */
export function AdminPage(props: PageProps) {
  return (
    <div className={styles['layout']}>
      <AdminMenu />
      <Page {...props} />
    </div>
  );
}
