import { useTranslations } from 'use-intl';
import { useFailureText } from '../service/failure-text.ts';
import type { useSearchResults } from './search-results.ts';
import styles from './results.module.css';

interface MorePetsProps {
  results: ReturnType<typeof useSearchResults>;
  /** @param isByKeyboard activated without a pointer */
  onMore: (isByKeyboard: boolean) => void;
}

/** Below the results: their number, and a button for more. */
export function MorePets({ results, onMore }: MorePetsProps) {
  const t = useTranslations('catalogue');
  const failureText = useFailureText();
  const { items = [], total, hasNextPage, isFetchingNextPage, isFetchNextPageError, error } = results;
  const shown = items.length;
  return (
    <div className={styles['more']}>
      <p role="status" className="soft">
        {hasNextPage && total !== undefined && t('results.shown', { shown, total })}
      </p>
      {isFetchNextPageError && error !== null && (
        <p role="alert" className="wrong">
          {t('error.more')} {failureText(error)}
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
