import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { usePageTitle } from '../design/page.tsx';
import { Scene } from '../design/scene.tsx';
import { useFailureText } from '../service/failure-text.ts';
import { isMissingPart, mendByReload } from './missing-part.ts';
import { LinkButton } from '../design/buttons.tsx';

/** For a page that failed: a chunk that could not be loaded, or a bug. */
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

/** A missing chunk can be loaded after a reload, or when the network is back. */
function useMendingByReload(isMissing: boolean): void {
  useEffect(() => {
    if (!isMissing) return undefined;
    mendByReload();
    const reload = () => location.reload();
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, [isMissing]);
}

/** For unknown addresses and deleted records. */
export function NotFoundPage() {
  const t = useTranslations('app.notFound');
  usePageTitle(t('title'));
  return (
    <Scene title={t('title')} level={1} actions={<LinkButton to="/">{t('action')}</LinkButton>}>
      {t('text')}
    </Scene>
  );
}

interface QueryTroubleProps {
  error: unknown;
  onRetry: () => void;
  title?: string;
  level?: 1 | 2;
}

/** Shown instead of data that could not be loaded. */
export function QueryTrouble({ error, onRetry, title, level = 2 }: QueryTroubleProps) {
  const t = useTranslations('app.trouble');
  const failureText = useFailureText();
  return (
    <Scene
      isTrouble
      level={level}
      title={title ?? t('title')}
      actions={<Button onClick={onRetry}>{t('retry')}</Button>}
    >
      {failureText(error)}
    </Scene>
  );
}
