import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { FEATURE_TABS } from '../../features/admin-tabs.ts';
import { Page, type PageProps } from '../design/page.tsx';
import type { AdminTab } from '../features/web-feature.ts';
import { NoAccess } from '../routing/access.tsx';
import { usePermissions, useCurrentUser } from '../service/current-user.ts';
import styles from './administration.module.css';

const TABS: readonly AdminTab[] = FEATURE_TABS;

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

/** A page with the tabs of the administration, which have the same place on each. */
export function AdminPage(props: PageProps) {
  return <Page {...props} tabs={<AdminTabs />} />;
}

export function AdminTabs() {
  const t = useTranslations('administration');
  const tab = { className: styles['tab'], activeProps: { className: styles['activeTab'] } };
  return (
    <nav aria-label={t('title')} className={styles['tabs']}>
      <Link to="/admin/users" {...tab} activeOptions={{ includeSearch: false }}>
        {t('users.title')}
      </Link>
      <Link to="/admin/organisation" {...tab}>
        {t('organisation.title')}
      </Link>
      <Link to="/admin/audit" {...tab} activeOptions={{ includeSearch: false }}>
        {t('audit.title')}
      </Link>
      <Link to="/admin/backups" {...tab}>
        {t('backups.title')}
      </Link>
      <Link to="/admin/programs" {...tab}>
        {t('programs.title')}
      </Link>
      {TABS.map(({ to, labelIn }) => (
        <Link key={to} to={to} {...tab}>
          {labelIn(t)}
        </Link>
      ))}
      <Link to="/pets/transfer" {...tab}>
        {t('transfer')}
      </Link>
      <Link to="/admin/health" {...tab}>
        {t('health.title')}
      </Link>
      <Link to="/admin/system" {...tab}>
        {t('system.title')}
      </Link>
    </nav>
  );
}
