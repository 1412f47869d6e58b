import { Button } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Scene } from '../design/scene.tsx';
import { useFailureText } from '../service/failure-text.ts';
import styles from './history-page.module.css';

interface OlderButtonProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

/** Asks for the next part of a list, where there is one. */
export function OlderButton({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: OlderButtonProps) {
  const t = useTranslations('history');
  if (!hasNextPage) return null;
  return (
    <div className={styles['older']}>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t('older')}
      </Button>
    </div>
  );
}

export function QueryTrouble({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const t = useTranslations('app.trouble');
  const failureText = useFailureText();
  return (
    <Scene isTrouble title={t('title')} actions={<Button onClick={onRetry}>{t('retry')}</Button>}>
      {failureText(error)}
    </Scene>
  );
}
