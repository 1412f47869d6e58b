import { useState, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { LinkButton } from '../design/link-button.tsx';
import { usePageTitle } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';
import { usePermissions, useCurrentUser } from '../service/current-user.ts';

interface MayEditProps {
  /** The path of the page, where one comes back to after logging in. */
  path: string;
  /** What the browser calls the page. */
  title: string;
  children: ReactNode;
}

/** Shows the page to those who may change pets, and to all others what they can do about it. */
export function MayEdit({ path, title, children }: MayEditProps) {
  const { writePets } = usePermissions();
  const [wasAllowed, setWasAllowed] = useState(writePets);
  if (writePets && !wasAllowed) setWasAllowed(true);
  // Somebody whose session ends while they type keeps what they typed: the form stays, and saving asks for a login.
  return wasAllowed || writePets ? children : <NotAllowed path={path} title={title} />;
}

function NotAllowed({ path, title }: { path: string; title: string }) {
  const t = useTranslations('editing');
  const currentUser = useCurrentUser();
  usePageTitle(title);
  return currentUser === null ? (
    <Scene
      level={1}
      title={t('login.title')}
      actions={
        <LinkButton to="/login" search={{ to: path }}>
          {t('login.action')}
        </LinkButton>
      }
    >
      {t('login.text')}
    </Scene>
  ) : (
    <Scene level={1} title={t('forbidden.title')} actions={<LinkButton to="/">{t('forbidden.action')}</LinkButton>}>
      {t('forbidden.text')}
    </Scene>
  );
}
