import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { usePageTitle } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';
import { useFailureText } from '../service/failure-text.ts';

/** For a page that failed, whyever: a part of the application that could not be loaded, or a mistake of ours. */
export function TroublePage({ error }: ErrorComponentProps) {
  const t = useTranslations('app.trouble');
  const failureText = useFailureText();
  usePageTitle(t('title'));
  return (
    <Scene
      isTrouble
      level={1}
      title={t('title')}
      actions={<Button onClick={() => location.reload()}>{t('reload')}</Button>}
    >
      {isMissingPart(error) ? t('missingPart') : failureText(error)}
    </Scene>
  );
}

/** What `import()` throws where the network is gone, or the service has a newer version of the application by now. */
function isMissingPart(error: unknown): boolean {
  return error instanceof TypeError && /import|module/i.test(error.message);
}
