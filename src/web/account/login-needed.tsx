import { useRouterState } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { LinkButton } from '../design/link-button.tsx';
import { usePageTitle } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';

/** In the place of a page that belongs to an account. The login comes back here. */
export function LoginNeeded() {
  const t = useTranslations('account.loginNeeded');
  const to = useRouterState({ select: ({ location }) => location.href });
  usePageTitle(t('title'));
  return (
    <Scene
      level={1}
      title={t('title')}
      actions={
        <LinkButton to="/login" search={{ to }}>
          {t('action')}
        </LinkButton>
      }
    >
      {t('text')}
    </Scene>
  );
}
