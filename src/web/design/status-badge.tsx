import { useTranslations } from 'use-intl';
import { STATUS_MARKS } from '../../api/web/drawings.ts';
import { Badge } from './badge.tsx';
import type { PetStatus } from '../service/queries.ts';

/** The status of a pet, as text with an icon. Renders nothing without a status. */
export function StatusBadge({ status }: { status: PetStatus | undefined }) {
  const t = useTranslations('pet');
  if (status === undefined) return null;
  return (
    <Badge tone={status}>
      <StatusMark status={status} />
      {t(`status.${status}`)}
    </Badge>
  );
}

export function StatusMark({ status }: { status: PetStatus }) {
  return (
    <svg viewBox="0 0 16 16" width="0.85em" height="0.85em" aria-hidden="true" fill="currentColor" fillRule="evenodd">
      <path d={STATUS_MARKS[status]} />
    </svg>
  );
}
