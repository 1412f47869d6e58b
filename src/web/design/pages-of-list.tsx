import { Button } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useFailureText } from '../service/failure-text.ts';
import styles from './page.module.css';
import { Scene } from './scene.tsx';

interface MoreButtonProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  label: string;
}

/** Loads the next page of a list, if there is one. */
export function MoreButton({ list, label }: MoreButtonProps) {
  if (!list.hasNextPage) return null;
  return (
    <div className={styles['more']}>
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {label}
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
