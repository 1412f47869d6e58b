import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { usePageTitle } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';
import { useFailureText } from '../service/failure-text.ts';
import { isMissingPart, mendByReload } from './missing-part.ts';

/** For a page that failed, whyever: a part of the application that could not be loaded, or a mistake of ours. */
export function TroublePage({ error }: ErrorComponentProps) {
  const t = useTranslations('app.trouble');
  const failureText = useFailureText();
  usePageTitle(t('title'));
  const isMissing = isMissingPart(error);
  useMendingByReload(isMissing);
  return (
    <Scene
      isTrouble
      level={1}
      title={t('title')}
      actions={<Button onClick={() => location.reload()}>{t('reload')}</Button>}
    >
      {isMissing ? t('missingPart') : failureText(error)}
    </Scene>
  );
}

/** A part that is missing is there again with the page as it is now, or with the network. */
function useMendingByReload(isMissing: boolean): void {
  useEffect(() => {
    if (!isMissing) return undefined;
    mendByReload();
    const reload = () => location.reload();
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, [isMissing]);
}
