import { useTranslations } from 'use-intl';
import type { PetView } from '../service/queries.ts';
import styles from './status-badge.module.css';

type Status = NonNullable<PetView['status']>;

/** Each has a shape of its own: colour alone tells nothing to many. */
const MARKS: Readonly<Record<Status, string>> = {
  available: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13z',
  pending: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13zm0 1.8a4.7 4.7 0 0 1 0 9.4z',
  sold: 'M6.4 11.9 2.5 8l1.5-1.5 2.4 2.4L12 3.3l1.5 1.5z',
};

/** Where a pet stands, in words, with a mark. Nothing for a pet without a status. */
export function StatusBadge({ status }: { status: Status | undefined }) {
  const t = useTranslations('pet');
  if (status === undefined) return null;
  return (
    <span className={styles['badge']} data-status={status}>
      <StatusMark status={status} />
      {t(`status.${status}`)}
    </span>
  );
}

export function StatusMark({ status }: { status: Status }) {
  return (
    <svg viewBox="0 0 16 16" width="0.85em" height="0.85em" aria-hidden="true" fill="currentColor" fillRule="evenodd">
      <path d={MARKS[status]} />
    </svg>
  );
}
