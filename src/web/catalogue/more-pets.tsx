import { useTranslations } from 'use-intl';
import { useFailureText } from '../service/failure-text.ts';
import type { useFoundPets } from './found-pets.ts';
import styles from './results.module.css';

interface MorePetsProps {
  results: ReturnType<typeof useFoundPets>;
  /** @param isByKeyboard pressed without a pointer */
  onMore: (isByKeyboard: boolean) => void;
}

/** Below the pets: how many are seen, more of them, or that there are no more. */
export function MorePets({ results, onMore }: MorePetsProps) {
  const t = useTranslations('catalogue');
  const failureText = useFailureText();
  const {
    found = [],
    total,
    isPlaceholderData,
    hasNextPage,
    isFetchingNextPage,
    isFetchNextPageError,
    error,
  } = results;
  const shown = found.length;
  return (
    <div className={styles['more']}>
      <p role="status" className={styles['progress']}>
        {!hasNextPage && !isPlaceholderData && t('results.end', { count: shown })}
        {hasNextPage && total?.exact === true && t('results.shown', { shown, total: total.count })}
        {hasNextPage && total?.exact !== true && t('results.shownOfMany', { shown })}
      </p>
      {isFetchNextPageError && error !== null && (
        <p role="alert" className={styles['trouble']}>
          {t('trouble.more')} {failureText(error)}
        </p>
      )}
      {hasNextPage && (
        <button
          type="button"
          className={styles['button']}
          aria-disabled={isFetchingNextPage}
          onClick={({ detail }) => {
            if (!isFetchingNextPage) onMore(detail === 0);
          }}
        >
          {isFetchingNextPage ? t('results.loadingMore') : t('results.more')}
        </button>
      )}
    </div>
  );
}
