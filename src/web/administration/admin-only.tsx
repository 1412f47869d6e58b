import { useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { LinkButton } from '../design/link-button.tsx';
import { usePageTitle } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';
import { usePermissions, useCurrentUser } from '../service/current-user.ts';

/** For everybody else: what this is, and how to get in. */
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
