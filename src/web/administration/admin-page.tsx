import { useRouterState, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { LinkButton } from '../design/link-button.tsx';
import { usePageTitle } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';
import { usePermissions, useCurrentUser } from '../service/current-user.ts';
import styles from './administration.module.css';

/** Shows the page to administrators, and to others how to get access. */
export function AdminOnly({ children }: { children: ReactNode }) {
  return usePermissions().administer ? children : <NotForYou />;
}

function NotForYou() {
  const t = useTranslations('administration.adminOnly');
  const currentUser = useCurrentUser();
  const to = useRouterState({ select: ({ location }) => location.href });
  usePageTitle(t('title'));
  return (
    <Scene
      level={1}
      title={t('title')}
      actions={
        currentUser === null ? (
          <LinkButton to="/login" search={{ to }}>
            {t('login')}
          </LinkButton>
        ) : (
          <LinkButton to="/">{t('home')}</LinkButton>
        )
      }
    >
      {currentUser === null ? t('unknown') : t('known', { username: currentUser.username })}
    </Scene>
  );
}

export function AdminTabs() {
  const t = useTranslations('administration');
  const tab = { className: styles['tab'], activeProps: { className: styles['activeTab'] } };
  return (
    <nav aria-label={t('title')} className={styles['tabs']}>
      <Link to="/admin/users" {...tab} activeOptions={{ includeSearch: false }}>
        {t('users.title')}
      </Link>
      <Link to="/admin/audit" {...tab} activeOptions={{ includeSearch: false }}>
        {t('audit.title')}
      </Link>
    </nav>
  );
}
