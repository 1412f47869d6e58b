import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { usePageTitle } from '../design/page.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { isConnectionFailure, useFailureText } from '../service/failure-text.ts';
import { isChunkLoadError, reloadOnce } from './chunk-errors.ts';
import { Button, LinkButton } from '../design/buttons.tsx';

/** For a page that failed: a chunk that could not be loaded, or a bug. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const t = useTranslations('app.error');
  const failureText = useFailureText();
  const title = t(isConnectionFailure(error) ? 'noConnection' : 'title');
  usePageTitle(title);
  const isMissing = isChunkLoadError(error);
  useReloadForMissingChunk(isMissing);
  return (
    <EmptyState
      isError
      level={1}
      title={title}
      actions={<Button onClick={() => location.reload()}>{t('reload')}</Button>}
    >
      {isMissing ? t('missingChunk') : failureText(error)}
    </EmptyState>
  );
}

/** A missing chunk can be loaded after a reload, or when the network is back. */
function useReloadForMissingChunk(isMissing: boolean): void {
  useEffect(() => {
    if (!isMissing) return undefined;
    reloadOnce();
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
    <EmptyState title={t('title')} level={1} actions={<LinkButton to="/">{t('action')}</LinkButton>}>
      {t('text')}
    </EmptyState>
  );
}

interface QueryErrorProps {
  error: unknown;
  onRetry: () => void;
  title?: string;
  level?: 1 | 2;
}

/** Shown instead of data that could not be loaded. */
export function QueryError({ error, onRetry, title, level = 2 }: QueryErrorProps) {
  const t = useTranslations('app.error');
  const failureText = useFailureText();
  return (
    <EmptyState
      isError
      level={level}
      title={title ?? t(isConnectionFailure(error) ? 'noConnection' : 'title')}
      actions={<Button onClick={onRetry}>{t('retry')}</Button>}
    >
      {failureText(error)}
    </EmptyState>
  );
}
