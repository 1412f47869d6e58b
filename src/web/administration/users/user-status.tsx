import { useTranslations } from 'use-intl';
import { USER_STATUS_CLOSED, USER_STATUSES } from '../../../api/web/admin-addresses.ts';
import styles from '../administration.module.css';

/** Closed is what matters; other numbers are kept as clients send them, and mean nothing here. */
export function UserStatus({ status }: { status: number | undefined }) {
  const t = useTranslations('administration.users');
  const known = USER_STATUSES.find((each) => each === status);
  return (
    <span className={styles['state']} data-closed={status === USER_STATUS_CLOSED || undefined}>
      {known === undefined ? t('status.none') : t(`status.${known}`)}
    </span>
  );
}
