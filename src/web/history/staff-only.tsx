import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { LinkButton } from '../design/link-button.tsx';
import { usePageTitle } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';
import { usePermissions, useViewer } from '../service/viewer.ts';

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
  const viewer = useViewer();
  usePageTitle(title);
  const action =
    viewer === null ? (
      <LinkButton to="/login" search={{ to: path }}>
        {t('login')}
      </LinkButton>
    ) : (
      <LinkButton to="/">{t('toPets')}</LinkButton>
    );
  return (
    <Scene level={1} title={t('title')} actions={action}>
      {t(viewer === null ? 'unknown' : 'forbidden')}
    </Scene>
  );
}
