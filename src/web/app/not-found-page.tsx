import { useTranslations } from 'use-intl';
import { LinkButton } from '../design/link-button.tsx';
import { usePageTitle } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';

/** For addresses that lead to nothing, and for what is not there any more. */
export function NotFoundPage() {
  const t = useTranslations('app.notFound');
  usePageTitle(t('title'));
  return (
    <Scene title={t('title')} level={1} actions={<LinkButton to="/">{t('action')}</LinkButton>}>
      {t('text')}
    </Scene>
  );
}
