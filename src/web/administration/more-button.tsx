import { Button } from '@mantine/core';
import { useTranslations } from 'use-intl';
import styles from './administration.module.css';

interface MoreButtonProps {
  /** What is read page by page. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

/** Shows the next page below those that are there. */
export function MoreButton({ list }: MoreButtonProps) {
  const t = useTranslations('administration');
  if (!list.hasNextPage) return null;
  return (
    <div className={styles['more']}>
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {t('more')}
      </Button>
    </div>
  );
}
