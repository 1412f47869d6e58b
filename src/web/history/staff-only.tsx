import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { LinkButton } from '../design/link-button.tsx';
import { usePageTitle } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';
import { usePermissions, useCurrentUser } from '../service/current-user.ts';

interface StaffOnlyProps {
  /** The path of the page, where one comes back to after logging in. */
  path: string;
  title: string;
  children: ReactNode;
}

/** Shows the page to those who may change pets, and to all others how they could come to it. */
export function StaffOnly({ path, title, children }: StaffOnlyProps) {
  const { writePets } = usePermissions();
  return writePets ? children : <NotAllowed path={path} title={title} />;
}

function NotAllowed({ path, title }: Omit<StaffOnlyProps, 'children'>) {
  const t = useTranslations('history.notAllowed');
  const currentUser = useCurrentUser();
  usePageTitle(title);
  const action =
    currentUser === null ? (
      <LinkButton to="/login" search={{ to: path }}>
        {t('login')}
      </LinkButton>
    ) : (
      <LinkButton to="/">{t('toPets')}</LinkButton>
    );
  return (
    <Scene level={1} title={t('title')} actions={action}>
      {t(currentUser === null ? 'unknown' : 'forbidden')}
    </Scene>
  );
}
